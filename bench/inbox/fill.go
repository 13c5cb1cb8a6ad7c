package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/postgres"
)

// fill makes the data. Chance is a hash of the row's number, so that every run has
// the same. Triggers and foreign keys are off while rows are made in bulk: the
// rows are such as they would let through.
func (g *ground) fill(ctx context.Context, systemURL string, o options) error {
	sys, err := postgres.OpenSystem(ctx, systemURL)
	if err != nil {
		return err
	}
	defer sys.Close()
	for _, one := range []postgres.Organisation{{Org: org, Title: "North", Zone: "Asia/Kolkata"}, {Org: "south", Title: "South",
		Zone: "Asia/Kolkata"}} {
		if err := sys.AddOrganisation(ctx, one); err != nil {
			return err
		}
	}
	size := strings.NewReplacer("@open", fmt.Sprint(o.open), "@ended", fmt.Sprint(o.ended), "@cases", fmt.Sprint(o.cases),
		"@some", fmt.Sprint(o.open/50), "@digest", "repeat('ab', 32)", "@me", "'"+reader.ID+"'")
	var all []string
	for _, one := range []string{`set session_replication_role = replica`, chance, cases, waiting, elsewhere, ended, decisions, acts,
		signed, barred, around, delegations, numbers, tidy, touched} {
		for _, part := range strings.Split(one, ";;") {
			all = append(all, size.Replace(part))
		}
	}
	return g.sql(ctx, g.name, all...)
}

// The statements, in order.
const (
	// chance(i, what, n) is a number from 0 to n-1 that looks like chance.
	chance = `create function pg_temp.chance(i bigint, what int, n int) returns int language sql immutable as
		$$ select ((hashint8extended(i, what) & 2147483647) % n)::int $$;;
	create function pg_temp.words(i bigint, n int) returns text language sql immutable as
		$$ select repeat(md5(i::text), n) $$`

	cases = `insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		select 'north', 'case_' || lpad(i::text, 26, '0'), (array['airshed', 'netra', 'gatepass', 'poolpatrol', 'report'])[1 + i % 5],
		'case-' || i, 'REF-' || i,
			'About van ' || i || ', night shift ' || left(md5(i::text), 8), 'open', 'opened', now() - i * interval '1 minute', 3
		from generate_series(1, @cases) i`

	// Twelve in a hundred wait for lists of roles that the reader is in. A fifth of
	// those is assigned to somebody else. An eighth of all are due before the day is over, or were.
	proposal = `(org, id, n, case_id, kind, app, tool, effect, key, run, call, gate, args, args_sha256, shown, shown_sha256, requested_by, on_behalf_of, makers,
			deciders, allowed, required, policy_record, expires_at, undo, wake, created_at, line, due_at, assigned_to`
	shape = `lateral (select pg_temp.chance(i, 1, 1000) as role, pg_temp.chance(i, 2, 1000) as date, pg_temp.chance(i, 3, 1000) as whose, pg_temp.chance(i, 4, 1000) as kind) c,
		lateral (select case
			when c.role < 90 then array['officer'] when c.role < 120 then array['officer', 'programme_manager'] when c.role < 360 then array['analyst']
			when c.role < 560 then array['programme_manager'] when c.role < 700 then array['hr'] when c.role < 840 then array['pass_admin']
			when c.role < 920 then array['pass_admin', 'hr'] when c.role < 960 then array['gate_supervisor'] else array['hr', 'programme_manager'] end as deciders) d`
	fields = `'case_' || lpad((1 + i % @cases)::text, 26, '0'), (array['call', 'letter', 'filing', 'pass'])[1 + c.kind % 4],
			(array['airshed', 'netra', 'gatepass', 'poolpatrol', 'report'])[1 + i % 5], 'send_letter', (array['write', 'outside'])[1 + c.kind % 2],
			'run_' || lpad(i::text, 26, '0') || '/0.1', 'run_' || lpad(i::text, 26, '0'), '0.1',
			case when c.whose between 990 and 994 then 'confirm' else 'approve' end,
			'{"to":"' || pg_temp.words(i, 6) || '"}', @digest, '{"line":"Send a letter","args":"' || pg_temp.words(i, 25) || '"}', @digest,
			'agent:poolpatrol/writer', case when c.whose in (990, 996) then @me else 'p:' || pg_temp.chance(i, 5, 500) end,
			case when c.whose < 8 then array[@me] when c.whose < 400 then array['p:' || pg_temp.chance(i, 6, 500)] else '{}'::text[] end,
			case when c.whose between 990 and 994 then '{}'::text[] else d.deciders end, array['approve', 'edit', 'send_back', 'reject'],
			case when c.whose between 850 and 989 then 2 else 1 end, 'rec_1'`
	waiting = `insert into gavel.proposal ` + proposal + `)
		select 'north', 'P-' || i, i, ` + fields + `, now() + interval '40 days', '30 seconds', '{}', now() - pg_temp.chance(i, 7, 5000) * interval '1 minute',
			'Send letter ' || i || ' about van ' || i % 400 || ' to the office',
			case when c.date < 50 then now() - (1 + c.date) * interval '10 minutes' when c.date < 130
			then now() + (1 + c.date) * interval '2 minutes'
				when c.date < 950 then now() + (1 + c.date) * interval '50 minutes' end,
			case when c.whose between 990 and 994 then '' when c.whose between 600 and 799 then 'p:' || pg_temp.chance(i, 8, 500)
			when c.whose between 800 and 819 and 'officer' = any (d.deciders) then @me else '' end
		from generate_series(1, @open) i, ` + shape

	// Another organisation's, which nobody here may see.
	elsewhere = `insert into gavel.proposal ` + proposal + `)
		select 'south', 'P-' || i, i, ` + fields + `, 'infinity', '30 seconds', '{}', now(), 'Elsewhere', null, ''
		from generate_series(1, @open / 5) i, ` + shape

	ended = `insert into gavel.proposal ` + proposal + `, state, final_args_sha256, ended_at, ended_by)
		select 'north', 'P-' || i, i, ` + fields + `, 'infinity', '30 seconds', '{}', now() - (i - @open) * interval '3 minutes', 'Send letter ' || i, null, '',
			'approved', @digest, now() - (i - @open) * interval '2 minutes', 'decision-' || i
		from generate_series(@open + 1, @open + @ended) i, ` + shape

	// The reader has made one in forty of the decisions there are, and some today.
	decisions = `insert into gavel.decision (org, id, proposal, verdict, actor_kind, actor_id, actor_name, roles, at, shown_sha256,
		args_sha256, reason, opened, record_id)
		select 'north', 'decision-' || i, 'P-' || i, 'approve', 'person', case when i % 40 = 0 then @me
		else 'p:' || pg_temp.chance(i, 9, 500) end, 'Somebody', array['officer'],
			now() - (i - @open) * interval '2 minutes', @digest, @digest, 'Seen.', '[]', 'rec_1'
		from generate_series(@open + 1, @open + @ended) i`
	acts = `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, agent, args, args_sha256, proposal, by_kind, by_id,
		not_before, planned_at, state, ended_at)
		select p.org, p.key, p.case_id, p.run, p.call, p.app, p.tool, p.effect, '', p.args, p.args_sha256, p.id, 'person', 'p:1',
			case when p.ended_at > now() - interval '4 hours' then now() + interval '4 hours' end, p.ended_at,
			case when p.ended_at > now() - interval '4 hours' then 'planned' else 'undone' end, case
			when p.ended_at > now() - interval '4 hours' then null else p.ended_at end
		from gavel.proposal p where p.org = 'north' and p.state = 'approved' and p.n <= @open + 20000`

	// Half of what needs two has one, of which the reader gave some.
	signed = `insert into gavel.decision (org, id, proposal, verdict, actor_kind, actor_id, actor_name, roles, at, shown_sha256,
		args_sha256, reason, opened, record_id)
		select 'north', 'half-way-' || n, id, 'approve', 'person', case when n % 30 = 0 then @me
		else 'p:' || pg_temp.chance(n, 10, 500) end, 'Somebody', array['officer'],
			created_at + interval '1 minute', @digest, @digest, '', '[]', 'rec_1'
		from gavel.proposal where org = 'north' and state = 'open' and required = 2 and n % 2 = 0`
	barred = `insert into gavel.proposal_barred (org, person, proposal, why)
		select distinct org, unnest(makers), id, 'made' from gavel.proposal where state = 'open' on conflict do nothing;;
	insert into gavel.proposal_barred (org, person, proposal, why)
		select d.org, d.actor_id, d.proposal, 'signed' from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
		where p.state = 'open' on conflict do nothing`

	// What people do around proposals: the reader has put some off, others many.
	around = `insert into gavel.proposal_snooze (org, actor_id, proposal, until)
		select 'north', @me, id, now() + interval '1 day' from gavel.proposal where org = 'north' and state = 'open'
		and 'officer' = any (deciders) and n % 80 = 0;;
	insert into gavel.proposal_snooze (org, actor_id, proposal, until)
		select 'north', 'p:' || pg_temp.chance(n, 11, 500), id, now() + interval '1 day' from gavel.proposal where org = 'north'
		and state = 'open' and n % 20 = 1;;
	insert into gavel.proposal_claim (org, proposal, actor_id, actor_name, until)
		select 'north', id, 'p:7', 'Asha', now() + interval '10 minutes' from gavel.proposal where org = 'north' and state = 'open'
		and n % 300 = 0`

	// Two people let the reader decide for them, and many let others.
	delegations = `insert into gavel.delegation (org, id, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason,
		made_at, record_id)
		values ('north', 'del_00000000000000000000000001', 'dev:programme_manager@north', 'Manager', @me, 'Officer',
		array['programme_manager'], 'poolpatrol', 'call', now() - interval '1 day', now() + interval '9 days', '', now() - interval '1 day',
		'rec_1'),
			('north', 'del_00000000000000000000000002', 'dev:hr@north', 'HR', @me, 'Officer', array['hr'], 'gatepass', 'pass',
			now() - interval '1 day', now() + interval '9 days', '', now() - interval '1 day', 'rec_1');;
	insert into gavel.delegation (org, id, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason, made_at,
	record_id)
		select 'north', 'del_' || lpad((100 + i)::text, 26, '0'), 'p:' || i, '', 'p:' || i + 1, '', array['hr'], '', '',
		now() - interval '1 day', now() + interval '9 days', '', now(), 'rec_1' from generate_series(1, 400) i`
	numbers = `insert into gavel.proposal_number (org, last) values ('north', @open + @ended), ('south', @open)`

	tidy = `vacuum analyze`

	// Some have changed since the tables were last tidied up, as they always have.
	touched = `update gavel.proposal set reminded_at = now() where org = 'north' and state = 'open' and n % 50 = 3`
)
