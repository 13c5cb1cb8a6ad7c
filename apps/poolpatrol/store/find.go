package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/search"
)

// Finds is what of the programme people find by name and id: its riders, vans, passes and
// audits. Names are personal, and found by those who may read the records.
func Finds() []search.Source {
	of := func(kind, statement string) search.Source {
		return search.Source{Kind: search.Kind(programme.Name + "." + kind), Act: programme.ActRead,
			Find: func(ctx context.Context, tx pgx.Tx, q search.Query) ([]search.Hit, error) {
				rows, _ := tx.Query(ctx, statement, q.Args())
				return pgx.CollectRows(rows, scanHit)
			}}
	}
	return []search.Source{of("rider", findRiders), of("van", findVans), of("pass", findPasses), of("audit", findAudits)}
}

func scanHit(row pgx.CollectableRow) (h search.Hit, err error) {
	h.App = programme.Name
	err = row.Scan(&h.ID, &h.Ref, &h.Title, &h.Says, &h.State, &h.At, &h.Exact, &h.Address)
	return h, err
}

// Statements of the search: id, where it belongs, title, message, state, moment, whether it
// was named, page.
var (
	findRiders = `select e.id,
			coalesce((select string_agg(r.vanpool_id, ', ' order by r.vanpool_id) from poolpatrol.rider r
				where r.org = e.org and r.employee_id = e.id and r.removed_on is null), ''),
			e.name, '', 'pool.standing_is.' || e.status, 'epoch'::timestamptz, e.id = upper(@text) as named,
			'/poolpatrol/employees/' || e.id
		from poolpatrol.employee e where e.org = @org and ` + search.Fits(`e.id || ' ' || e.name`) + `
		order by named desc, e.id limit @most`
	findVans = `select v.id, coalesce(nullif(w.name, ''), v.site_id), v.id, '', 'pool.standing_is.' || v.status, 'epoch'::timestamptz,
		v.id = upper(@text) as named,
			'/poolpatrol/vanpools/' || v.id
		from poolpatrol.vanpool v join poolpatrol.site w on w.org = v.org and w.id = v.site_id
		where v.org = @org and ` + search.Fits(`v.id || ' ' || v.site_id || ' ' || w.name`) + `
		order by named desc, v.id limit @most`
	findPasses = `select s.id, '', '', 'search.pass.' || s.kind, 'pool.pass_is.' || s.state, s.began_at, s.id = upper(@text) as named,
		'/poolpatrol/passes/' || s.id
		from poolpatrol.pass s where s.org = @org and ` + search.Fits(`s.id`) + `
		order by named desc, s.began_at desc, s.id limit @most`
	// An audit is found by its whole id alone: there is one of each van in every pass.
	findAudits = `select a.id, a.pass, a.vanpool_id, '', 'pool.outcome.' || a.outcome, a.at, true, '/poolpatrol/runs/' || a.id
		from poolpatrol.audit_run a where a.org = @org and a.id = upper(@text) limit @most`
)
