package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Interval is how often a sequencer should be ticked. Half a second keeps every
// record's wait well under the two seconds we promise, and a busy year under
// 64 million checkpoints.
const Interval = 500 * time.Millisecond

// batch is the most that one transaction takes in: some tens of milliseconds of
// work, so that a server that stops never waits long for it.
const batch = 4096

// lockKey is the advisory lock of whoever extends the tree, held for one
// transaction at a time: nobody has to notice that a server died.
const lockKey = 0x6761_7665_6c6c_6f67 // "gavellog"

// A SequencerConfig says how to extend and sign a log.
type SequencerConfig struct {
	System   *postgres.System
	Signer   string           // secret key, as NewKey made it
	Previous string           // at a change of keys, the secret key before, so that it vouches for this one; else empty
	Now      func() time.Time // the installation's clock, for the record of a change of keys
	Logger   *slog.Logger

	// Shelf is where checkpoints are published: nothing is signed that has not grown
	// out of what lies there. Nil where nothing is published.
	Shelf Shelf

	// Announce adds to the transaction that takes records in whatever tells the
	// rest of the system about them; nil for nothing.
	Announce Announcer
}

// An Announcer adds to a batch whatever tells open pages of records that the log has just taken in.
type Announcer = func(b *pgx.Batch, orgs, records []string)

// A Sequencer takes committed records into the tree. Every server may run one:
// they take turns.
type Sequencer struct {
	sys      *postgres.System
	key      signingKey
	previous *signingKey
	now      func() time.Time
	logger   *slog.Logger
	announce func(b *pgx.Batch, orgs, records []string)
	shelf    Shelf
	left     *tlog.Tree // as this sequencer left it, proved against what is published; nil for not known
}

// NewSequencer checks the keys.
func NewSequencer(c SequencerConfig) (*Sequencer, error) {
	key, err := parseSigner(c.Signer)
	if err != nil {
		return nil, err
	}
	s := &Sequencer{sys: c.System, key: key, now: c.Now, logger: c.Logger, announce: c.Announce, shelf: c.Shelf}
	if c.Previous != "" {
		previous, err := parseSigner(c.Previous)
		if err != nil {
			return nil, err
		}
		if previous.Name() != key.Name() {
			return nil, fault.New(fault.Invalid, "the log's previous key is for %s, the present one for %s", previous.Name(), key.Name())
		}
		s.previous = &previous
	}
	return s, nil
}

// Verifier is the public half of the key this sequencer signs with.
func (s *Sequencer) Verifier() Verifier { return s.key.public }

// Run works at every tick until the context ends. Trouble is logged when it comes,
// changes and goes, and tried again, never returned.
func (s *Sequencer) Run(ctx context.Context, tick <-chan time.Time) error {
	said := trouble{
		bad:  func(err error) { s.logger.ErrorContext(ctx, "the log cannot be extended", "error", err) },
		good: func() { s.logger.InfoContext(ctx, "the log is extended again") },
	}
	return ticked(ctx, tick, func() error {
		_, err := s.Drain(ctx)
		return err
	}, &said)
}

// Drain takes in everything that is committed now, in as many transactions as
// it needs, and says how many records that were. Where another server is at it,
// it does nothing. It is for one goroutine at a time.
func (s *Sequencer) Drain(ctx context.Context) (int, error) {
	total := 0
	for {
		n, more, err := s.step(ctx)
		total += n
		if err != nil || !more {
			return total, err
		}
	}
}

// step takes in one batch: numbers, tiles and the signed checkpoint are one
// transaction, so after a crash the log is as it was before or as it is after.
func (s *Sequencer) step(ctx context.Context) (taken int, more bool, err error) {
	left := s.left
	err = s.sys.InTx(ctx, func(tx pgx.Tx) error {
		mine := false
		if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock($1)`, int64(lockKey)).Scan(&mine); err != nil || !mine {
			return err
		}
		head, err := s.head(ctx, tx)
		if err != nil {
			return err
		}
		turn, signers, err := s.keyTurn(ctx, tx, head)
		if err != nil {
			return err
		}
		if turn != nil {
			more = true
			left, err = s.takeIn(ctx, tx, head, haul{entries: []waiting{*turn}}, signers...)
			return err
		}
		h, err := s.read(ctx, tx)
		if err != nil || len(h.rows) == 0 {
			return err
		}
		taken, more = len(h.entries), h.full
		left, err = s.takeIn(ctx, tx, head, h, s.key)
		return err
	})
	if err != nil {
		s.left = nil // whatever went wrong, the database may be another one next time
		return 0, false, err
	}
	s.left = left
	return taken, more, nil
}

// head is the tree so far. Nothing is built on a checkpoint that the key in
// force did not sign.
func (s *Sequencer) head(ctx context.Context, tx pgx.Tx) (tlog.Tree, error) {
	c, err := Newest(ctx, tx)
	if fault.Is(err, fault.NotFound) {
		return tlog.Tree{}, nil
	}
	if err != nil {
		return tlog.Tree{}, err
	}
	keys, err := ReadKeys(ctx, tx)
	if err != nil {
		return tlog.Tree{}, err
	}
	if c.Origin != s.key.Name() {
		return tlog.Tree{}, fault.New(fault.Conflict, "this log is %s, and the key that should sign it is for %s", c.Origin, s.key.Name()).
			WithNext("give this server a key of this log")
	}
	if !c.SignedBy(keys.At(c.Tree.N)) {
		return tlog.Tree{}, fault.New(fault.Internal, "the log is damaged: checkpoint %d was not signed by the key in force", c.Tree.N).
			WithNext("find out what was changed: gavel audit fsck")
	}
	return c.Tree, nil
}

// A waiting record is one that the tree has yet to take in.
type waiting struct {
	Org    identity.Org
	Record RecordID
	Leaf   tlog.Hash
}

// A haul is what one step takes out of the queue.
type haul struct {
	entries []waiting
	astray  []waiting    // whose record is gone, to be set aside
	rows    []pgtype.TID // of the queue, to be deleted
	full    bool         // there may be more
}

// read hauls in the oldest waiting records. The leaf is the hash of what is
// stored, not of what somebody said was stored. A row whose record is gone is
// set aside, as evidence; one whose record is in the tree already is cleared away.
//
// Why a queue, and not a look for records without a number: a number or a time
// given on insert is no guide, because transactions commit in another order, and
// whoever remembers "everything up to 1000 is in" misses number 998 that commits
// late. A mark on the record would have to be cleared by changing the record. A
// watermark of transaction ids finds late commits, but is stopped by any long
// transaction on the server and is meaningless after a restore into another
// one. A row that is deleted when its record has been taken in has none of these
// faults, and its cost does not depend on the size of the log.
func (s *Sequencer) read(ctx context.Context, tx pgx.Tx) (haul, error) {
	const oldest = `
		select q.row, q.org, q.record_id, sha256('\x00'::bytea || convert_to(r.json, 'UTF8')), p.seq is not null
		from (select ctid as row, pos, org, record_id from gavel_sys.log_queue order by pos limit $1) q
		left join gavel.record r on r.org = q.org and r.id = q.record_id
		left join gavel.record_place p on p.org = q.org and p.record_id = q.record_id
		order by q.pos`
	rows, _ := tx.Query(ctx, oldest, batch) // ForEachRow reports Query's error too
	var h haul
	var row pgtype.TID
	var w waiting
	var leaf []byte
	var placed bool
	seen := map[RecordID]bool{}
	tag, err := pgx.ForEachRow(rows, []any{&row, &w.Org, &w.Record, &leaf, &placed}, func() error {
		h.rows = append(h.rows, row)
		if leaf == nil {
			h.astray = append(h.astray, w)
			return nil
		}
		if !placed && !seen[w.Record] {
			seen[w.Record] = true
			w.Leaf = tlog.Hash(leaf)
			h.entries = append(h.entries, w)
		}
		return nil
	})
	if err != nil {
		return haul{}, fmt.Errorf("read waiting records: %w", err)
	}
	h.full = tag.RowsAffected() == batch
	return h, nil
}

// takeIn puts a haul on the right of the tree and signs the result, which it
// returns. Before that the tree is held against its published copy.
func (s *Sequencer) takeIn(ctx context.Context, tx pgx.Tx, head tlog.Tree, h haul, signers ...note.Signer) (*tlog.Tree, error) {
	b := &pgx.Batch{}
	if len(h.rows) > 0 {
		b.Queue(`delete from gavel_sys.log_queue where ctid = any($1)`, h.rows)
	}
	if len(h.astray) > 0 {
		s.logger.ErrorContext(ctx, "records that were to go into the log are gone, and their rows are set aside: gavel audit fsck names "+
			"them",
			"rows", len(h.astray), "first", h.astray[0].Record)
		orgs, ids := names(h.astray)
		b.Queue(`insert into gavel_sys.log_astray (org, record_id) select org, id
			from unnest($1::text[], $2::text[]) as t(org, id)`, orgs, ids)
	}
	left := s.left
	if len(h.entries) > 0 {
		if err := s.held(ctx, tx, head); err != nil {
			return nil, err
		}
		g, err := newGrowth(head, tilesOf(ctx, tx))
		if err != nil {
			return nil, err
		}
		for _, e := range h.entries {
			if err := g.add(e.Leaf); err != nil {
				return nil, err
			}
		}
		if left, err = s.writeLater(b, g, h.entries, signers); err != nil {
			return nil, err
		}
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("extend the log beyond %d: %w", head.N, err)
	}
	return left, nil
}

// writeLater adds to a batch what makes a growth last: places, tiles and the
// signed checkpoint of the tree that it returns.
func (s *Sequencer) writeLater(b *pgx.Batch, g *growth, entries []waiting, signers []note.Signer) (*tlog.Tree, error) {
	tree, err := g.tree()
	if err != nil {
		return nil, err
	}
	c, err := sign(s.key.Name(), tree, signers...)
	if err != nil {
		return nil, err
	}
	ts, data, err := g.changed()
	if err != nil {
		return nil, err
	}
	orgs, ids := names(entries)
	const place = `insert into gavel.record_place (org, record_id, seq)
		select org, id, $3::bigint + ord - 1 from unnest($1::text[], $2::text[]) with ordinality as t(org, id, ord)`
	b.Queue(place, orgs, ids, g.old.N)
	for i, t := range ts {
		b.Queue(insertTile, t.L, t.N, data[i])
	}
	b.Queue(insertCheckpoint, c.Tree.N, c.Note)
	if s.announce != nil {
		s.announce(b, orgs, ids)
	}
	return &tree, nil
}

// names are the organisations and the ids of some records, as a statement takes them.
func names(all []waiting) (orgs, ids []string) {
	orgs, ids = make([]string, len(all)), make([]string, len(all))
	for i, w := range all {
		orgs[i], ids[i] = string(w.Org), string(w.Record)
	}
	return orgs, ids
}
