package poolpatrol

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
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
