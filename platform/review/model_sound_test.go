package review_test

import (
	"fmt"
	"testing"
)

// sound asks the database itself, over all rounds, with none of our code.
func sound(t *testing.T, r *rig) {
	t.Helper()
	for what, sql := range map[string]string{
		"acts whose proposal was not approved with the same arguments": `
			select a.key from gavel.act a left join gavel.proposal p on p.org = a.org and p.id = a.proposal
			where p.id is null or p.state not in ('approved', 'edited') or p.final_args_sha256 <> a.args_sha256`,
		"approvals that too few people gave": `
			select p.id from gavel.proposal p where p.state in ('approved', 'edited') and p.required >
				(select count(distinct actor_id) from gavel.decision d where d.org = p.org and d.proposal = p.id
				and d.verdict in ('approve', 'edit'))`,
		"decisions in the stead of who made or asked for it, or under no delegation of theirs": `
			select d.id from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
				left join gavel.delegation g on g.org = d.org and g.id = d.delegation
			where d.on_behalf <> '' and (p.gate <> 'approve' or d.on_behalf = any (p.makers || p.requested_by || p.on_behalf_of)
				or g.from_id is distinct from d.on_behalf or g.to_id is distinct from d.actor_id or g.ended_at < d.at or d.at >= g.ends_at
				or not g.roles && p.deciders)`,
		"people who are heard twice in one proposal": `
			select proposal from (select proposal, actor_id as who from gavel.decision where verdict <> 'undo'
				union all select proposal, on_behalf from gavel.decision where verdict <> 'undo' and on_behalf <> '') v
				group by proposal, who having count(*) > 1`,
		"tests of which anybody was told, or that became an act": `
			select p.id from gavel.proposal p where p.truth is not null and (exists (select from gavel.act a where a.key = p.key)
				or exists (select from gavel.outbox o where o.payload #>> '{input,proposal}' = p.id))`,
		"decisions by who made or asked for it": `
			select d.id from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
			where p.gate = 'approve' and d.actor_id = any (p.makers || p.requested_by || p.on_behalf_of)`,
		"decisions without a record": `
			select d.id from gavel.decision d where not exists (select from gavel.record r where r.org = d.org and r.id = d.record_id
			and r.kind = 'decision')`,
		"proposals told of twice": `
			select payload #>> '{input,proposal}' from gavel.outbox where payload #>> '{input,state}' <> 'undone' group by 1
			having count(*) > 1`,
		"ends that nobody was told of": `
			select p.id from gavel.proposal p where p.state <> 'open' and p.truth is null and not exists
				(select from gavel.outbox o where o.payload #>> '{input,proposal}' = p.id and o.payload #>> '{input,state}' = p.state)`,
		"ended acts without exactly one record of it": `
			select a.key from gavel.act a where a.ended_at is not null and 1 <> (select count(*) from gavel.record r
				where r.kind = 'act' and r.json::json #>> '{body,act}' = a.key and r.json::json #>> '{body,step}' = a.state)`,
	} {
		if bad := all[string](t, r.db, sql); len(bad) > 0 {
			t.Errorf("%d %s: %.200s", len(bad), what, fmt.Sprint(bad))
		}
	}
}

// unmet is what no round has met so far.
func unmet(t *testing.T, r *rig) (missing []string) {
	t.Helper()
	for what, sql := range map[string]string{
		"was approved":                   `select count(*) from gavel.proposal where state in ('approved', 'edited')`,
		"was turned down":                `select count(*) from gavel.proposal where state in ('rejected', 'sent_back')`,
		"expired":                        `select count(*) from gavel.proposal where state = 'expired'`,
		"was withdrawn":                  `select count(*) from gavel.proposal where state = 'withdrawn'`,
		"was carried out":                `select count(*) from gavel.act where state in ('done', 'failed', 'unknown')`,
		"was undone":                     `select count(*) from gavel.act where state = 'undone'`,
		"was decided in another's stead": `select count(*) from gavel.decision where on_behalf <> ''`,
		"was approved as a test": `select count(*) from gavel.proposal where truth is not null
			and state in ('approved', 'edited')`,
		"went on to others":                `select count(*) from gavel.proposal where escalated_at is not null`,
		"was decided by who it went on to": `select count(*) from gavel.decision where actor_id = 'p:officer'`,
		"changed its hands":                `select count(*) from gavel.act where fence > 1`,
	} {
		if all[int](t, r.db, sql)[0] == 0 {
			missing = append(missing, what)
		}
	}
	return missing
}
