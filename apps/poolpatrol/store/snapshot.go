package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// A Snapshot is the records as an audit read them.
type Snapshot struct {
	ID        string
	TakenAt   time.Time
	RecordsAt time.Time // how old the records were then
	SHA256    string    // of their JSON, before anybody was erased from them
	Vanpools  int
	Riders    int
	Parts     int
	ErasedAt  *time.Time // somebody was taken out of it since
}

// A part is some of a snapshot's records, small enough to be read and written
// again by itself when somebody is erased from it.
const (
	partVans      = 500
	partEmployees = 1000
	maxPart       = 64 << 20 // unpacked, in bytes
)

// pin keeps records as they were read at a moment. Records that are the same as
// those of the newest snapshot are kept once.
func pin(ctx context.Context, tx pgx.Tx, r fleet.Records, at time.Time) (Snapshot, error) {
	r = record.InOrder(whole(r))
	sum, err := digest(r)
	if err != nil {
		return Snapshot{}, err
	}
	newest, err := newestSnapshot(ctx, tx)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read the newest snapshot: %w", err)
	}
	if newest.SHA256 == sum && newest.ErasedAt == nil {
		return newest, nil
	}
	parts := split(r)
	s := Snapshot{TakenAt: at.UTC().Truncate(time.Microsecond), RecordsAt: r.Taken, SHA256: sum, Vanpools: len(r.Vanpools),
		Parts: len(parts)}
	for _, v := range r.Vanpools {
		s.Riders += len(v.Riders)
	}
	if s.ID, err = insertSnapshot(ctx, tx, s); err != nil {
		return Snapshot{}, err
	}
	for n, p := range parts {
		if err := insertPart(ctx, tx, s.ID, n, p); err != nil {
			return Snapshot{}, err
		}
	}
	return s, nil
}

// Pinned is what came of pinning a pass. Snapshot and Records are empty where it was
// pinned before.
type Pinned struct {
	More     bool // there is something to look at
	Snapshot Snapshot
	Records  fleet.Records
}

// PinPass reads the records and keeps them as the pass reads them, or refuses the
// pass where they are too old.
func (s *Store) PinPass(ctx context.Context, in PassInput) (out Pinned, err error) {
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		p, err := LockPass(ctx, tx, in.Pass)
		if err != nil || p.Snapshot != "" || p.State != job.Running {
			out.More = p.State == job.Running
			return err
		}
		if err := s.Report(ctx, tx, in.Org, &p); err != nil || p.State != job.Running {
			return err
		}
		if err := record.Hold(ctx, tx); err != nil {
			return err
		}
		if out.Records, err = record.Read(ctx, tx); err != nil {
			return err
		}
		now := s.clock.Now()
		if stale := audit.Fresh(out.Records.Taken, now); stale != nil {
			words, _ := fault.Words(stale)
			return s.endPass(ctx, tx, in.Org, in.Pass, job.End{State: job.Refused, Reason: words})
		}
		if out.Snapshot, err = pin(ctx, tx, out.Records, now); err != nil {
			return err
		}
		if err := begin(ctx, tx, &p, out, now); err != nil {
			return err
		}
		err = s.Report(ctx, tx, in.Org, &p)
		out.More = p.State == job.Running
		return err
	})
	return out, err
}

// begin notes what a pass reads, and how many vans that are.
func begin(ctx context.Context, tx pgx.Tx, p *Pass, read Pinned, now time.Time) error {
	among, err := VansOf(ctx, tx, p.Kind, now)
	if err != nil {
		return err
	}
	for _, v := range read.Records.Vanpools {
		if v.Standing == fleet.Active && LooksAt(among, v.ID) {
			p.Planned++
		}
	}
	p.Snapshot = read.Snapshot.ID
	// It begins when it reads: everybody is judged as of that moment.
	_, err = tx.Exec(ctx, `update poolpatrol.pass set snapshot = $2, planned = $3, began_at = $4 where id = $1`, p.ID, p.Snapshot,
		p.Planned, now)
	return err
}

// whole has a list for each kind, so that none is written as [] and not as null.
func whole(r fleet.Records) fleet.Records {
	r.Taken = r.Taken.UTC()
	r.Sites, r.Shifts = append([]fleet.Site{}, r.Sites...), append([]fleet.Shift{}, r.Shifts...)
	r.Employees, r.Vanpools = append([]fleet.Employee{}, r.Employees...), append([]fleet.Vanpool{}, r.Vanpools...)
	for i := range r.Vanpools {
		r.Vanpools[i].Riders = append([]fleet.Rider{}, r.Vanpools[i].Riders...)
	}
	return r
}

// digest is the SHA-256 of records in order, as JSON.
func digest(r fleet.Records) (string, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(r); err != nil {
		return "", fmt.Errorf("write records as JSON: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// split cuts records into parts. Each holds one kind: sites and shifts are the
// first, and people are in parts that hold nothing else.
func split(r fleet.Records) []fleet.Records {
	parts := []fleet.Records{{Taken: r.Taken, Sites: r.Sites, Shifts: r.Shifts}}
	for some := range slices.Chunk(r.Employees, partEmployees) {
		parts = append(parts, fleet.Records{Employees: some})
	}
	for some := range slices.Chunk(r.Vanpools, partVans) {
		parts = append(parts, fleet.Records{Vanpools: some})
	}
	return parts
}

const snapshotColumns = `id, taken_at, records_at, sha256, vanpools, riders, parts, erased_at`

// newestSnapshot is the newest of all vans; those of one van, looked at for its
// case, are not counted. It is zero where there is none.
func newestSnapshot(ctx context.Context, tx pgx.Tx) (Snapshot, error) {
	rows, _ := tx.Query(ctx, `select `+snapshotColumns+` from poolpatrol.snapshot s
		where not exists (select from poolpatrol.pass p where p.snapshot = s.id and p.kind = 're_audit') order by taken_at desc, id desc
		limit 1`)
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Snapshot])
	if errors.Is(err, pgx.ErrNoRows) {
		return Snapshot{}, nil
	}
	return s, err
}

// insertSnapshot draws an id, and another one where that is taken.
func insertSnapshot(ctx context.Context, tx pgx.Tx, s Snapshot) (id string, err error) {
	const insert = `insert into poolpatrol.snapshot (org, id, taken_at, records_at, sha256, vanpools, riders, parts)
		values (current_setting('gavel.org'), $1, $2, $3, $4, $5, $6, $7) on conflict do nothing`
	for range Tries {
		id = NewID("SNAP")
		tag, err := tx.Exec(ctx, insert, id, s.TakenAt, s.RecordsAt, s.SHA256, s.Vanpools, s.Riders, s.Parts)
		if err != nil {
			return "", fmt.Errorf("insert snapshot: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return id, nil
		}
	}
	return "", fault.New(fault.Unavailable, "no free id was found for a snapshot")
}

func insertPart(ctx context.Context, tx pgx.Tx, snapshot string, n int, p fleet.Records) error {
	body, err := pack(p)
	if err != nil {
		return err
	}
	var first, last *string
	if k := len(p.Employees); k > 0 {
		first, last = (*string)(&p.Employees[0].ID), (*string)(&p.Employees[k-1].ID)
	}
	const insert = `insert into poolpatrol.snapshot_part (org, snapshot, n, first_employee, last_employee, body)
		values (current_setting('gavel.org'), $1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, insert, snapshot, n, first, last, body); err != nil {
		return fmt.Errorf("insert part of a snapshot: %w", err)
	}
	return nil
}

// pack writes some records as gzipped JSON.
func pack(p fleet.Records) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return nil, fmt.Errorf("write records as JSON: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unpack reads what pack wrote.
func unpack(body []byte) (p fleet.Records, err error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return p, err
	}
	return p, json.NewDecoder(io.LimitReader(r, maxPart)).Decode(&p)
}

// readSnapshot reads records as an audit read them. Where nobody was erased from
// them since, they are proved to be the same.
func readSnapshot(ctx context.Context, tx pgx.Tx, id string) (Snapshot, fleet.Records, error) {
	rows, _ := tx.Query(ctx, `select `+snapshotColumns+` from poolpatrol.snapshot where id = $1`, id)
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Snapshot])
	if errors.Is(err, pgx.ErrNoRows) {
		return s, fleet.Records{}, fault.New(fault.NotFound, "snapshot %.40q", id)
	}
	if err != nil {
		return s, fleet.Records{}, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	r, err := readParts(ctx, tx, s)
	if err != nil {
		return s, r, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	if s.ErasedAt == nil {
		sum, err := digest(r)
		if err != nil {
			return s, r, err
		}
		if sum != s.SHA256 {
			return s, r, fault.New(fault.Internal, "snapshot %s is not what was kept: its digest differs", id)
		}
	}
	return s, r, record.LoadZones(r.Sites)
}

func readParts(ctx context.Context, tx pgx.Tx, s Snapshot) (fleet.Records, error) {
	r := whole(fleet.Records{})
	n := 0
	var body []byte
	rows, _ := tx.Query(ctx, `select body from poolpatrol.snapshot_part where snapshot = $1 order by n`, s.ID)
	_, err := pgx.ForEachRow(rows, []any{&body}, func() error {
		p, err := unpack(body)
		if err != nil {
			return err
		}
		if n++; n == 1 {
			r.Taken = p.Taken
		}
		r.Sites, r.Shifts = append(r.Sites, p.Sites...), append(r.Shifts, p.Shifts...)
		r.Employees, r.Vanpools = append(r.Employees, p.Employees...), append(r.Vanpools, p.Vanpools...)
		return nil
	})
	if err == nil && n != s.Parts {
		err = fault.New(fault.Internal, "it has %d parts of %d", n, s.Parts)
	}
	return r, err
}
