package agent

import (
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/review"
)

// Announce tells open pages which runs have moved, for records that the log has
// just taken in: turns and orders name the run, decisions and acts the act's
// key, which begins with it. The top of the tree is told too. A decision changes what
// a page shows and not the run's version, so the version told is a moment. See
// casefile.Announce for when it runs.
func Announce(b *pgx.Batch, orgs, records []string) {
	const notify = `
		with moved as (
			select distinct r.org, case when r.kind in ($3, $4) then r.subject
				else split_part(coalesce(r.json::json #>> '{body,act}', r.json::json #>> '{body,key}', ''), '/', 1) end as run
			from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
			where r.kind in ($3, $4, $5, $6, $7)
		), told as (
			select m.org, m.run from moved m
			union
			select m.org, d.root from moved m join gavel.run d on d.org = m.org and d.id = m.run
		)
		select pg_notify('gavel_live', json_build_object('org', d.org, 'object', d.id, 'version',
		(extract(epoch from clock_timestamp()) * 1000)::bigint)::text)
		from told t join gavel.run d on d.org = t.org and d.id = t.run`
	b.Queue(notify, orgs, records, string(audit.ModelCall), string(OrderRecord), string(audit.Decision), string(audit.Act),
		string(review.KindProposal))
}
