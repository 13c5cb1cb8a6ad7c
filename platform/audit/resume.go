package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Lost is a run of entries whose records a restored database no longer has. It
// is also the body of the record of kind LogResumed that says so.
type Lost struct {
	From   int64    `json:"from"`
	Upto   int64    `json:"upto"` // the first that is not lost
	Root   string   `json:"root"` // of the published tree of so many entries
	Reason string   `json:"reason"`
	Record RecordID `json:"record,omitempty"` // empty in the record itself
}

// Resume lets a log go on whose database was restored from an older copy: it takes
// the hashes of the lost entries back from the published copy, so that the tree is
// again the one that others hold, and puts on record which entries were lost and
// why it goes on. Nothing that was published is touched, and nothing is signed: the
// published checkpoint was. The servers go on by themselves.
//
// It is a Conflict where nothing was lost, where what was published cannot be read
// back, and where this database has signed entries that the published tree has not:
// then one of the two must go, and that is for people to decide.
func Resume(ctx context.Context, sys *postgres.System, s Shelf, reason string, at time.Time) (Lost, error) {
	var lost Lost
	var err error
	if lost.Reason, err = checkReason(reason); err != nil {
		return lost, err
	}
	head, err := Newest(ctx, sys)
	if err != nil {
		return lost, err
	}
	o, err := aheadOf(ctx, sys, s, head)
	if err != nil {
		return lost, err
	}
	hashes, err := readBack(ctx, s, o.Tree, head.Tree.N) // before the transaction: it may take minutes
	if err != nil {
		return lost, err
	}
	lost.From, lost.Upto, lost.Root = head.Tree.N, o.Tree.N, o.Tree.Hash.String()
	err = sys.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(lockKey)); err != nil {
			return err
		}
		now, err := Newest(ctx, tx)
		if err != nil {
			return err
		}
		if now.Tree != head.Tree {
			return fault.New(fault.Conflict, "the log has changed meanwhile").WithNext("stop all servers but one, and try again")
		}
		if lost.Record, err = Append(ctx, tx, Record{At: at, Kind: LogResumed, Actor: identity.Gavel(Installation), Subject: "log",
			Body: lost}); err != nil {
			return err
		}
		return adopt(ctx, tx, hashes, head, o, lost)
	})
	return lost, err
}

// aheadOf is the published checkpoint, where more was published than is here.
func aheadOf(ctx context.Context, q querier, s Shelf, head Checkpoint) (outside, error) {
	o, err := readOutside(ctx, s)
	if err != nil {
		return o, err
	}
	if o.Tree.N <= head.Tree.N {
		if o.Tree.N > 0 {
			if err := o.fits(ctx, q, head.Origin, head.Tree); err != nil {
				return o, err
			}
		}
		return o, fault.New(fault.Conflict, "nothing that was published is missing here: the log needs nobody's word to go on")
	}
	keys, err := ReadKeys(ctx, q)
	if err != nil {
		return o, err
	}
	if o.Origin != head.Origin || !o.SignedBy(keys.Newest()) {
		return o, fault.New(fault.Conflict, "what was published is not signed by the key that this database knows").
			WithNext("restore a copy that is newer than the last change of keys: docs/runbook/log-restored.md")
	}
	return o, nil
}

// adopt grows the tree here into the published one, and holds the result against
// its signed root: that it is this tree's, too, is proved and not believed.
func adopt(ctx context.Context, tx pgx.Tx, hashes []tlog.Hash, head Checkpoint, o outside, lost Lost) error {
	g, err := newGrowth(head.Tree, tilesOf(ctx, tx))
	if err != nil {
		return err
	}
	for _, h := range hashes {
		if err := g.add(h); err != nil {
			return err
		}
	}
	tree, err := g.tree()
	if err != nil {
		return err
	}
	if tree != o.Tree {
		return fault.New(fault.Conflict, "the published tree of %d entries has not grown out of the one here: there are two histories",
			o.Tree.N).
			WithNext("decide which of them stays: docs/runbook/log-restored.md")
	}
	return writeAdopted(ctx, tx, g, o, lost)
}

func writeAdopted(ctx context.Context, tx pgx.Tx, g *growth, o outside, lost Lost) error {
	ts, data, err := g.changed()
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for i, t := range ts {
		b.Queue(insertTile, t.L, t.N, data[i])
	}
	b.Queue(insertCheckpoint, o.Tree.N, o.Note)
	b.Queue(`insert into gavel_sys.log_lost (from_size, to_size, record_id) values ($1, $2, $3)`, lost.From, lost.Upto, lost.Record)
	b.Queue(listPublished, o.Tree.N)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("go on from the published tree of %d entries: %w", o.Tree.N, err)
	}
	return nil
}

// lossCheck is what fsck knows about entries that were lost: those that are listed
// and that a record of the log names too.
type lossCheck []Lost

func newLossCheck(ctx context.Context, q querier, r *Report) (lossCheck, error) {
	const all = `select l.from_size, l.to_size, l.record_id, coalesce(r.json, '') from gavel_sys.log_lost l
		left join gavel.record r on r.org = $1 and r.id = l.record_id and r.kind = $2 order by l.from_size`
	rows, _ := q.Query(ctx, all, Installation, LogResumed) // ForEachRow reports Query's error too
	var known lossCheck
	var row Lost
	var text string
	_, err := pgx.ForEachRow(rows, []any{&row.From, &row.Upto, &row.Record, &text}, func() error {
		var said struct {
			Body Lost `json:"body"`
		}
		if json.Unmarshal([]byte(text), &said) != nil || said.Body.From != row.From || said.Body.Upto != row.Upto {
			r.find("lost", "entries %d to %d are listed as lost in a restore, and the log has no record of that", row.From, row.Upto-1)
			return nil
		}
		said.Body.Record = row.Record
		known = append(known, said.Body)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which entries were lost: %w", err)
	}
	r.Lost = known
	return known, nil
}

// has reports whether an entry is known to be lost.
func (k lossCheck) has(seq int64) bool {
	for _, l := range k {
		if l.From <= seq && seq < l.Upto {
			return true
		}
	}
	return false
}

// compareLeaves holds the hashes beside a published checkpoint against the tree
// here, and names the first that differs. Copies of earlier versions have none.
func compareLeaves(ctx context.Context, q querier, s Shelf, t tlog.Tree, r *Report) error {
	data, _, err := s.GetNamed(ctx, leavesName(t))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the leaves of the published checkpoint %d: %w", t.N, err)
	}
	l, err := parseLeaves(data)
	if err != nil || l.before.N+int64(len(l.hashes)) != t.N {
		r.find("published", "the leaves beside the published checkpoint %d are damaged", t.N)
		return nil
	}
	here, err := readLeafTiles(ctx, q, l.before.N, t.N)
	if err != nil {
		return err
	}
	for i, h := range l.hashes {
		seq := l.before.N + int64(i)
		switch ours, there := leafOf(here, seq); {
		case !there:
			r.find("published", "entries %d to %d are in the published copy and not here", seq, t.N-1)
			return nil
		case ours != h:
			r.find("published", "entry %d is another one in the published copy than here", seq)
			return nil
		}
	}
	return nil
}
