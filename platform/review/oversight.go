package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// An Oversight is how decisions were made in one role. There is nothing in it
// about a person, and where one person alone has decided in a role, what could
// only be about them is left out.
type Oversight struct {
	Role          identity.Role // empty: confirmed by the person it was done for
	Decided       int           // decisions on real proposals
	Seeded        int           // decisions on tests
	Caught        *int          // of which so many were not approved as they stood; nil where one person decided them all
	MedianSeconds *float64      // what was decided was open on the page; nil where that is not known, or one person's
}

// OversightReport says for each role how many proposals were decided since a
// moment, how many of those were tests, how many of the tests were caught, and
// how long things were open before they were decided. Who holds several roles
// that may decide counts in each of them; who decides in another's stead counts
// in the roles that were delegated.
func (s *Store) OversightReport(ctx context.Context, actor identity.Actor, since time.Time) (list []Oversight, err error) {
	if err := s.rules.May(actor, actOversee); err != nil {
		return nil, err
	}
	const report = `
		with made as (
			select d.actor_id, d.verdict, d.open_seconds, p.truth is not null as test,
				case when p.gate = 'confirm' then array['']
					else array(select unnest(coalesce(g.roles, d.roles)) intersect select unnest(p.deciders)) end as roles
			from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
				left join gavel.delegation g on g.org = d.org and g.id = d.delegation
			where d.org = $1 and d.at >= $2 and d.verdict <> 'undo'
		)
		select role, count(*) filter (where not test), count(*) filter (where test),
			case when count(distinct actor_id) filter (where test) <> 1 then count(*) filter (where test and verdict <> 'approve') end,
			case when count(distinct actor_id) filter (where open_seconds is not null) <> 1
				then percentile_cont(0.5) within group (order by open_seconds) end
		from made, unnest(roles) role group by role order by role`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, report, actor.Org, since)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Oversight])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("report on oversight: %w", err)
	}
	return list, nil
}
