package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/muster"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Onsite is where people are by the passes of a site: those who may be there or are expected today, who is out, and who
// should have been back.
func (s *Store) Onsite(ctx context.Context, who identity.Actor, id string) (sheet muster.Sheet, err error) {
	if err := s.May(who, ActOnsite); err != nil {
		return sheet, err
	}
	now := s.Now()
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		setup, err := SetupIn(ctx, tx, who.Org)
		if err != nil {
			return err
		}
		site, known := setup.Site(id)
		if id == "" || !known {
			return fault.New(fault.NotFound, "there is no site %.40q", id).WithNext("the sites are in the settings of gate passes")
		}
		all, err := sightings(ctx, tx, site.ID, now, pass.DayOf(now, site.Location()))
		sheet = muster.Sheet{List: muster.Of(all, now), Site: site.Name, Zone: site.Location()}
		return err
	})
	return sheet, err
}

func sightings(ctx context.Context, tx pgx.Tx, site string, now, day time.Time) ([]muster.Sighting, error) {
	const there = `select p.number, p.person_name, p.employee_ref, p.type, p.status, p.person_back, p.returnable, p.created_at, ` + dueBack + `,
			p.exit_time, p.return_time
		from gatepass.pass p where p.site_id = $1 and p.deleted_at is null and p.erased_at is null
		and (p.status in ('pending', 'approved') and p.valid_from <= $2 and p.valid_until >= $2
			or p.status = 'exited' and (p.returnable or p.exit_time >= $3) or p.status = 'returned' and p.return_time >= $3)`
	rows, _ := tx.Query(ctx, there, site, now, day)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g muster.Sighting, err error) {
		return g, row.Scan(&g.Number, &g.Name, &g.Ref, &g.Type, &g.Status, &g.Back, &g.Returnable, moment{&g.Made}, moment{&g.Due},
			moment{&g.Left}, moment{&g.Came})
	})
	if err != nil {
		return nil, fmt.Errorf("read who is at site %s: %w", site, err)
	}
	return all, nil
}

// TakeOut notes that a file with names left: what it is and how many rows it has.
func (s *Store) TakeOut(ctx context.Context, who identity.Actor, name string, rows int, file []byte) error {
	return s.In(ctx, who.Org, func(tx pgx.Tx) error {
		_, err := audit.NoteExport(ctx, tx, who, s.Now(), audit.Departure{File: "records", Name: name, Subject: "log",
			SHA256: blob.Sum(file), Size: int64(len(file)), Rows: rows})
		return err
	})
}
