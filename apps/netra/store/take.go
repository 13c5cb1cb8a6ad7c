package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
)

// MaxPart is the most signals that are taken in one transaction.
const MaxPart = 50_000

// A Part is some lines of a feed, as they came through the door.
type Part struct {
	Ingest  string // that it goes on with; empty begins one
	Name    string // of the file or the feed
	Feed    string // its form
	Lines   int
	Signals []signal.Signal // Take puts them in its order
	Refused map[string]int  // how many lines, by why
	Held    []Held
}

// A Held is a line that was stopped because it holds personal data: which, and what kinds.
type Held struct {
	Line  int
	Kinds map[pii.Kind]int
}

// An Ingest is one bringing of signals, as far as it has come.
type Ingest struct {
	ID          string
	Name        string
	Feed        string
	AskedBy     string
	Parts       int
	Lines       int64
	Taken       int64
	Known       int64
	Refused     int64
	Quarantined int64
	Reasons     map[string]int64
	BeganAt     time.Time
	LastAt      time.Time
}

const ingestColumns = `id, name, feed, asked_by, parts, lines, taken, known, refused, quarantined, reasons, began_at, last_at`

// ListedAt is where it stands in the list.
func (i Ingest) ListedAt() Cursor { return Cursor{At: i.BeganAt, ID: i.ID} }

// Take keeps a part of a feed: its signals and the sums they change in one transaction, so that each is counted once, whatever
// is repeated and whoever is killed. Who brings a part waits until it is kept. Parts of one organisation are written side by side, and
// change sums one after the other.
func (s *Store) Take(ctx context.Context, actor identity.Actor, p Part) (i Ingest, err error) {
	if err := s.rules.May(actor, ActIngest); err != nil {
		return i, err
	}
	if len(p.Signals) > MaxPart {
		return i, fault.New(fault.TooLarge, "a part has at most %d signals", MaxPart)
	}
	if err := s.openDays(ctx, actor.Org, p.Signals); err != nil {
		return i, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		i, err = s.take(ctx, tx, actor, p)
		return err
	})
	return i, err
}

func (s *Store) take(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Part) (i Ingest, err error) {
	if _, err := tx.Exec(ctx, `set local statement_timeout = '120s'`); err != nil {
		return i, err
	}
	var part int64
	if err := tx.QueryRow(ctx, `select nextval('netra.part')`).Scan(&part); err != nil {
		return i, err
	}
	fresh, err := copySignals(ctx, tx, part, p.Signals)
	if err != nil {
		return i, err
	}
	// Only now: rows that another part brings as well wait for each other in the table, in the same order everywhere. Signals are seen
	// together with their sums, because both are committed at once.
	if err := HoldSums(ctx, tx, actor.Org); err != nil {
		return i, err
	}
	if err := addSums(ctx, tx, fresh); err != nil {
		return i, err
	}
	if i, err = s.note(ctx, tx, actor, p, int64(len(fresh))); err != nil {
		return i, err
	}
	return i, s.hold(ctx, tx, actor.Org, i.ID, part, p.Held)
}

// openDays makes sure that the days of signals have their part of the table.
func (s *Store) openDays(ctx context.Context, org identity.Org, all []signal.Signal) error {
	missing := map[time.Time]bool{}
	for i := range all {
		day := all[i].At.UTC().Truncate(24 * time.Hour)
		if _, ok := s.opened.Load(day); !ok {
			missing[day] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	days := slices.SortedFunc(maps.Keys(missing), time.Time.Compare)
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local statement_timeout = '120s'`); err != nil { // a year is hundreds of tables with their indexes
			return err
		}
		_, err := tx.Exec(ctx, `select netra.open_days(d, d) from unnest($1::date[]) d`, days)
		return err
	})
	if err != nil {
		return err
	}
	for _, day := range days {
		s.opened.Store(day, true)
	}
	return nil
}

// note adds a part to its ingest, or begins one.
func (s *Store) note(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Part, taken int64) (i Ingest, err error) {
	now := s.Now()
	if p.Ingest == "" {
		i = Ingest{ID: newID("NIN"), BeganAt: now, Reasons: map[string]int64{}}
		const begin = `insert into netra.ingest (org, id, name, feed, asked_by, began_at, last_at) values ($1, $2, $3, $4, $5, $6, $6)`
		if _, err := tx.Exec(ctx, begin, actor.Org, i.ID, p.Name, p.Feed, actor.ID, now); err != nil {
			return i, err
		}
	} else if i, err = ingestBy(ctx, tx, p.Ingest); err != nil {
		return i, err
	}
	refused := int64(0)
	for why, n := range p.Refused {
		i.Reasons[why] += int64(n)
		refused += int64(n)
	}
	reasons, err := json.Marshal(i.Reasons)
	if err != nil {
		return i, err
	}
	const add = `update netra.ingest set parts = parts + 1, lines = lines + $2, taken = taken + $3, known = known + $4,
		refused = refused + $5,
		quarantined = quarantined + $6, reasons = $7, last_at = $8 where id = $1 returning ` + ingestColumns
	rows, _ := tx.Query(ctx, add, i.ID, p.Lines, taken, int64(len(p.Signals))-taken, refused, len(p.Held), reasons, now)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Ingest])
}

func ingestBy(ctx context.Context, tx pgx.Tx, id string) (Ingest, error) {
	rows, _ := tx.Query(ctx, `select `+ingestColumns+` from netra.ingest where id = $1`, id)
	i, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Ingest])
	if errors.Is(err, pgx.ErrNoRows) {
		return i, fault.New(fault.NotFound, "no ingest is called %.40q", id).WithNext("see the list of ingests")
	}
	return i, err
}

// hold writes down which lines were stopped, and nothing of what they said.
func (s *Store) hold(ctx context.Context, tx pgx.Tx, org identity.Org, ingest string, part int64, all []Held) error {
	if len(all) == 0 {
		return nil
	}
	var batch pgx.Batch
	const insert = `insert into netra.quarantine (org, ingest, part, line, kinds, rules, at) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict do nothing`
	for _, h := range all {
		kinds, err := json.Marshal(h.Kinds)
		if err != nil {
			return err
		}
		batch.Queue(insert, org, ingest, part, h.Line, kinds, pii.Rules, s.Now())
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// Ingests lists ingests, the newest first, from a place on, which may be zero.
func (s *Store) Ingests(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Ingest, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + ingestColumns + ` from netra.ingest where $1::timestamptz is null or (began_at, id) < ($1, $2)
		order by began_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Ingest])
		return err
	})
	return all, err
}

// Ingest reads one, and which of its lines were stopped, so many at most.
func (s *Store) Ingest(ctx context.Context, actor identity.Actor, id string, most int) (i Ingest, held []Held, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return i, nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if i, err = ingestBy(ctx, tx, id); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `select line, kinds from netra.quarantine where ingest = $1 order by part, line limit $2`, id, most)
		held, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Held])
		return err
	})
	return i, held, err
}

// byTime orders signals as they come into the table fastest.
func byTime(a, b signal.Signal) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }
