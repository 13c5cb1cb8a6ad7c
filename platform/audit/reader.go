package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A ReaderConfig says where a log is read.
type ReaderConfig struct {
	DB     *postgres.DB
	System *postgres.System // counts what waits, and finds a file that left by its digest; nothing else
	Shelf  Shelf            // where checkpoints are published; nil leaves that step out
}

// A Reader answers the questions that people ask of the log, each in a
// transaction of the organisation that asks, for packages that run no SQL.
type Reader struct {
	db     *postgres.DB
	system *postgres.System
	shelf  Shelf
}

// NewReader makes a reader.
func NewReader(c ReaderConfig) *Reader {
	return &Reader{db: c.DB, system: c.System, shelf: c.Shelf}
}

// A Page is a part of the list of records, newest first.
type Page struct {
	Entries []Entry  // one that cannot be read has its Damage and no Record
	Next    RecordID // Query.Before of the next page; empty on the last
}

// Page reads a part of an organisation's records. Unlike List it goes on past a
// record that cannot be read: people who look for damage must see the rest.
func (r *Reader) Page(ctx context.Context, org identity.Org, want Query) (p Page, err error) {
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		p.Entries, p.Next, err = list(ctx, tx, want, scanAny)
		return err
	})
	return p, err
}

// Entry reads one record.
func (r *Reader) Entry(ctx context.Context, org identity.Org, id RecordID) (e Entry, err error) {
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		e, err = Get(ctx, tx, id)
		return err
	})
	return e, err
}

// Verify is the function of that name for one organisation's record.
func (r *Reader) Verify(ctx context.Context, org identity.Org, id RecordID, trusted []Verifier) (v Verification, err error) {
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		v, err = Verify(ctx, tx, id, trusted, r.shelf)
		return err
	})
	return v, err
}

// NoteExport is the function of that name in a transaction of its own, for a
// file that was made from what this reader read.
func (r *Reader) NoteExport(ctx context.Context, actor identity.Actor, at time.Time, d Departure) (id RecordID, err error) {
	err = r.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		id, err = NoteExport(ctx, tx, actor, at, d)
		return err
	})
	return id, err
}

// Keys lists the keys that the log names, the one in force first.
func (r *Reader) Keys(ctx context.Context) ([]Verifier, error) {
	terms, err := readTerms(ctx, r.system)
	keys := make([]Verifier, len(terms))
	for i, t := range terms {
		keys[len(terms)-1-i] = t.Key
	}
	return keys, err
}

// A State is how the log stands, as one organisation sees it.
type State struct {
	Checkpoint Checkpoint   // the newest; zero for a log without entries
	Key        Verifier     // in force; empty for a log without entries
	Damage     *fault.Error // why the newest checkpoint cannot be read; nil if it can
	Waiting    int          // records of the organisation that the tree has not taken in
	More       bool         // Waiting is only the part that was counted
	Since      time.Time    // the oldest of those counted, to the millisecond
}

// maxCounted bounds how many rows of the queue are looked at. A log that is kept
// has a few; one that stood still for an hour may have millions.
const maxCounted = 100_000

// State reads how the log stands.
func (r *Reader) State(ctx context.Context, org identity.Org) (s State, err error) {
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		s.Checkpoint, err = Newest(ctx, tx)
		switch {
		case fault.Is(err, fault.Invalid):
			s.Damage = fault.From(fault.Internal, err, "the log's newest checkpoint is damaged").
				WithNext("find out what was changed: gavel audit fsck")
		case err != nil && !fault.Is(err, fault.NotFound):
			return err
		}
		keys, err := ReadKeys(ctx, tx)
		s.Key = keys.Newest()
		return err
	})
	if err != nil {
		return s, err
	}
	return s, r.countWaiting(ctx, org, &s)
}

// countWaiting reads the queue, which has a row exactly as long as its record is
// not in the tree. An organisation's own transaction cannot see it, because it
// holds the rows of all. A row that cannot be a record's is fsck's business.
func (r *Reader) countWaiting(ctx context.Context, org identity.Org, s *State) error {
	const count = `select count(*) filter (where ours), coalesce(min(record_id) filter (where ours), ''), count(*) = $2
		from (select record_id, org = $1 and record_id ~ '^rec_[0-7][0-9A-HJKMNP-TV-Z]{25}$' as ours from gavel_sys.log_queue limit $2) q`
	rows, _ := r.system.Query(ctx, count, org, maxCounted)
	var oldest string
	_, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
		return struct{}{}, row.Scan(&s.Waiting, &oldest, &s.More)
	})
	if err != nil {
		return fmt.Errorf("count the records that wait: %w", err)
	}
	if s.Waiting == 0 {
		return nil
	}
	id, err := ulid.ParseStrict(strings.TrimPrefix(oldest, "rec_"))
	s.Since = ulid.Time(id.Time()).UTC()
	return err
}
