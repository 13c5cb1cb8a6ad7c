package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// GroundsNow pins the records of one van as they are now, under a pass of its own:
// the van, who rides in it, and where else they ride. Of nobody else anything is read. It is
// judged by a version of the terms: that of its case.
func GroundsNow(ctx context.Context, tx pgx.Tx, org identity.Org, van fleet.VanpoolID, version int64, key string,
	at time.Time) (p Pass, g Grounds, err error) {
	t, err := term.Of(ctx, tx, org, version)
	if err != nil {
		return p, g, err
	}
	g.Policy = t.Policy(version)
	p, err = PassBy(ctx, tx, "key", key)
	if err == nil { // an earlier try pinned what it read
		g, err = readGrounds(ctx, tx, p.Snapshot, areaIn)
		g.Policy = t.Policy(version)
		return p, g, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return p, g, err
	}
	if err := record.Hold(ctx, tx); err != nil {
		return p, g, err
	}
	of, err := areaOf(ctx, tx, van)
	if err != nil {
		return p, g, fmt.Errorf("read who rides in %s: %w", van, err)
	}
	records, err := record.ReadSome(ctx, tx, of)
	if err != nil {
		return p, g, err
	}
	kept, err := pin(ctx, tx, records, at)
	if err == nil {
		p = Pass{ID: PassJob.NewID(), Kind: ReAudit, AskedBy: identity.Gavel(org).ID, Snapshot: kept.ID,
			Policy: PolicyDigest(g.Policy), Terms: version, State: job.Running, Planned: 1, BeganAt: at}
		const insert = `insert into poolpatrol.pass (org, id, kind, key, asked_by, snapshot, policy, terms_version, planned, began_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
		_, err = tx.Exec(ctx, insert, org, p.ID, p.Kind, key, p.AskedBy, p.Snapshot, p.Policy, p.Terms, p.Planned, p.BeganAt)
	}
	if err != nil {
		return p, g, err
	}
	if g.Book, err = fleet.NewBook(records); err != nil {
		return p, g, err
	}
	return p, g, g.readBeside(ctx, tx, of)
}

// areaOf is what bears on one van: those in which its riders have a seat, and
// everybody who rides in one of them.
func areaOf(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) (of record.Area, err error) {
	const (
		vans = `select $1::text union select vanpool_id from poolpatrol.rider where removed_on is null
			and employee_id in (select employee_id from poolpatrol.rider where vanpool_id = $1 and removed_on is null)`
		people = `select distinct employee_id from poolpatrol.rider where removed_on is null and vanpool_id = any($1)`
	)
	rows, _ := tx.Query(ctx, vans, van)
	if of.Vans, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return of, err
	}
	rows, _ = tx.Query(ctx, people, of.Vans)
	of.People, err = pgx.AppendRows([]string{}, rows, pgx.RowTo[string])
	return of, err
}

// areaIn is what records are of.
func areaIn(r fleet.Records) record.Area {
	of := record.Area{Vans: []string{}, People: []string{}}
	for _, v := range r.Vanpools {
		of.Vans = append(of.Vans, string(v.ID))
		for _, x := range v.Riders {
			of.People = append(of.People, string(x.Employee))
		}
	}
	return of
}

// everywhere is the area of a pass over every van.
func everywhere(fleet.Records) record.Area { return record.Area{} }

// Grounds are what an audit rests on.
type Grounds struct {
	Book    *fleet.Book
	Inputs  audit.Inputs
	Granted check.Exceptions
	Policy  audit.Policy // of a second look at one van; a pass has Policies
}

// Judges are who judges the one van of a second look.
func (g Grounds) Judges() []check.Specialist { return audit.Specialists(g.Policy, g.Book, g.Inputs) }

// Ways are the ways that such a look asks for.
func (g Grounds) Ways(at time.Time) []location.Pair { return audit.Ways(g.Book, at, g.Policy.Location) }

// readGrounds reads a snapshot and what stands beside it, in the area that of says
// its records are of.
func readGrounds(ctx context.Context, tx pgx.Tx, snapshot string, of func(fleet.Records) record.Area) (g Grounds, err error) {
	_, records, err := readSnapshot(ctx, tx, snapshot)
	if err != nil {
		return g, err
	}
	if g.Book, err = fleet.NewBook(records); err != nil {
		return g, err
	}
	return g, g.readBeside(ctx, tx, of(records))
}

// GroundsOf reads what an audit of a snapshot rests on: the book that the caller has
// of it, if nobody has been erased from the snapshot since, and what stands beside it.
// Without such a book it is read, and keep says that it may be kept.
func GroundsOf(ctx context.Context, tx pgx.Tx, snapshot string, have *fleet.Book) (g Grounds, keep bool, err error) {
	if g.Book = have; g.Book != nil {
		var whole bool
		if err := tx.QueryRow(ctx, `select erased_at is null from poolpatrol.snapshot where id = $1`, snapshot).Scan(&whole); err != nil {
			return g, false, fmt.Errorf("read snapshot %s: %w", snapshot, err)
		}
		if whole {
			return g, false, g.readBeside(ctx, tx, record.Area{})
		}
	}
	s, records, err := readSnapshot(ctx, tx, snapshot)
	if err != nil {
		return g, false, err
	}
	if g.Book, err = fleet.NewBook(records); err != nil {
		return g, false, err
	}
	return g, s.ErasedAt == nil, g.readBeside(ctx, tx, record.Area{})
}

// readBeside reads what an area is judged by besides the book: exceptions and feeds.
func (g *Grounds) readBeside(ctx context.Context, tx pgx.Tx, of record.Area) (err error) {
	var subjects []string
	if of.Vans != nil {
		subjects = slices.Concat(of.Vans, of.People)
	}
	if g.Granted, err = record.ReadExceptions(ctx, tx, subjects); err != nil {
		return err
	}
	g.Inputs.Badges, g.Inputs.Permits, err = record.ReadFeeds(ctx, tx, of.People)
	return err
}
