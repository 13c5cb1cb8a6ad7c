package poolpatrol

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// A checkTally is in how many vans of a pass a check failed.
type checkTally struct {
	Check check.Name
	Vans  int
}

// passTallies counts the vans of a pass that failed, by check, the most first. A
// van that failed two checks is in both.
func (s *Store) passTallies(ctx context.Context, actor identity.Actor, pass string) (all []checkTally, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const count = `select c, count(*) from poolpatrol.audit_run, unnest(checks) c where pass = $1 group by c order by 2 desc, 1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, count, pass)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[checkTally])
		return err
	})
	return all, err
}

// gapCount is how many things are missing from the records.
func (s *Store) gapCount(ctx context.Context, actor identity.Actor) (n int, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return 0, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from poolpatrol.gap`).Scan(&n)
	})
	return n, err
}

// A siteName is a site, for a list to choose from.
type siteName struct {
	ID   fleet.SiteID
	Name string
}

// label is what people call the site.
func (n siteName) label() string {
	if n.Name == "" {
		return string(n.ID)
	}
	return n.Name
}

// maxSites bounds a list to choose from.
const maxSites = 500

// siteNames lists the sites there are vans at.
func (s *Store) siteNames(ctx context.Context, actor identity.Actor) (all []siteName, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const list = `select id, name from poolpatrol.site s where exists (select from poolpatrol.vanpool v where v.org = s.org and v.site_id = s.id)
		order by nullif(name, ''), id limit $1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, maxSites)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[siteName])
		return err
	})
	return all, err
}

// siteLabel is what people call a site; its id where it has no name.
func (s *Store) siteLabel(ctx context.Context, actor identity.Actor, id fleet.SiteID) (string, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return "", err
	}
	one := siteName{ID: id}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select coalesce((select name from poolpatrol.site where id = $1), '')`, id).Scan(&one.Name)
	})
	return one.label(), err
}

// shiftNames are what people call the shifts, by id; one without a name is not among
// them.
func (s *Store) shiftNames(ctx context.Context, actor identity.Actor) (map[fleet.ShiftID]string, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	found := map[fleet.ShiftID]string{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select id, name from poolpatrol.shift where name <> '' order by id limit $1`, maxSites)
		var id fleet.ShiftID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			found[id] = name
			return nil
		})
		return err
	})
	return found, err
}

// A caseLink leads to a case that is open.
type caseLink struct {
	ID      casefile.CaseID
	Ref     string
	Vanpool fleet.VanpoolID
	State   string
}

// openCases are the cases that are open of a van, or that somebody is on: one of the
// two is named.
func (s *Store) openCases(ctx context.Context, actor identity.Actor, van fleet.VanpoolID, who fleet.EmployeeID) (all []caseLink, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const list = `select c.id, c.ref, c.vanpool_id, c.state from poolpatrol.case c where c.state not in ('resolved', 'cancelled')
		and (c.vanpool_id = $1 or exists (select from poolpatrol.case_subject x where x.case_id = c.id and x.employee_id = $2 and x.state in ('open', 'cancel_pending')))
		order by c.opened_at desc, c.id limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, van, who, mostRuns)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[caseLink])
		return err
	})
	return all, err
}

// vanSites says at which site some vans are.
func (s *Store) vanSites(ctx context.Context, actor identity.Actor, runs []Run) (map[fleet.VanpoolID]siteName, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	vans := make([]string, len(runs))
	for i, r := range runs {
		vans[i] = string(r.Vanpool)
	}
	found := make(map[fleet.VanpoolID]siteName, len(vans))
	const list = `select v.id, s.id, s.name from poolpatrol.vanpool v join poolpatrol.site s on s.org = v.org and s.id = v.site_id where v.id = any($1)`
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, vans)
		var van fleet.VanpoolID
		var at siteName
		_, err := pgx.ForEachRow(rows, []any{&van, &at.ID, &at.Name}, func() error {
			found[van] = at
			return nil
		})
		return err
	})
	return found, err
}
