package program

import (
	"strings"
	"time"
)

// A promise is a question to the database that is answered with nothing while the
// promise is kept, and what breaks it.
type promise struct {
	promise string
	query   string // lines that begin with the van
	breaks  string // makes it broken, where everything was well
}

// args are what a query is given: since when nobody writes any more.
func (p promise) args(quiet time.Time) []any {
	if strings.Contains(p.query, "$1") {
		return []any{quiet}
	}
	return nil
}

// keepLedger makes room for what the walks did themselves, each with the moment on
// the installation's clock from which it could be seen by anybody, and for how long
// it held; and a view of who was taken off a roster by which request.
func (g *patrol) keepLedger() {
	g.t.Helper()
	g.does(`create table public.walked (what text not null, van text not null, who text not null, ref text not null,
		at timestamptz not null, until timestamptz)`)
	g.does(`create view public.removal as
		select r.vanpool_id as van, r.employee_id as who, r.removed_case_id as case_id, p.id as proposal, p.created_at as asked_at, e.at
		from poolpatrol.rider r
		join gavel.proposal p on p.org = r.org and p.case_id = r.removed_case_id and p.tool = 'cancel_membership'
		and coalesce(p.final_args, p.args)::jsonb->>'employee_id' = r.employee_id
		join gavel.act a on a.org = p.org and a.key = p.key and a.state = 'done'
		join poolpatrol.case_event e on e.org = p.org and e.case_id = p.case_id and e.key = 'proposal:' || p.id
		where r.removed_case_id is not null`)
}

// notes writes down what a walk did, once it can be seen.
func (g *patrol) notes(what, van, who, ref string) {
	g.does(`insert into public.walked values ($1, $2, $3, $4, $5)`, what, van, who, ref, g.clock.Now())
}

// ends writes down that something is over, before it is.
func (g *patrol) ends(what, who string) {
	g.does(`update public.walked set until = $3 where what = $1 and who = $2 and until is null`, what, who, g.clock.Now())
}

// reached is that somebody was noted, by a person, to have been told after a moment.
const reached = `exists (select from gavel.proposal q join gavel.act b on b.org = q.org and b.key = q.key where q.case_id = x.case_id
	and q.tool = 'settle_case' and b.state = 'done'
	and coalesce(q.final_args, q.args)::jsonb->>'choice' = 'reached' and coalesce(q.final_args, q.args)::jsonb->>'employee_id' = x.who
	and q.ended_at < x.at and q.ended_at > `

// wrote is that somebody wrote after a moment, and was believed: who answers has our letters.
const wrote = `exists (select from gavel.mail_in r where r.case_id = x.case_id and r.sender = 'rider:' || x.who and r.state = 'accepted'
	and r.kind <> 'bounce' and r.received_at < x.at and r.received_at > `

const asking = `n.kind in ('first', 'again', 'answer', 'draft')`

// planted is a mail in the case of somebody who was taken off a roster, kept just
// before that.
const planted = `insert into gavel.mail_in (org, id, state, reason, kind, match, case_id, sender, message_id, via, sealed, raw_sha256,
	raw_size, files, received_at)
	select 'north', 'min_00000000000000000000000000', 'accepted', '', '%KIND%', 'token', x.case_id, 'rider:' || x.who, 'planted', 'webhook',
	'', repeat('0', 64), 1, '[]', x.at - interval '1 hour' from removal x limit 1;
	insert into public.walked select '%WHAT%', x.van, x.who, 'planted', x.at - interval '1 hour' from removal x limit 1`

func plantMail(kind, what string) string {
	return strings.NewReplacer("%KIND%", kind, "%WHAT%", what).Replace(planted)
}

// promises are the safety and liveness statements of a case's life.
func promises() []promise {
	return append(promisesOfRemoval(), promisesOfCases()...)
}

func promisesOfRemoval() []promise {
	return []promise{
		{"nobody is taken off a roster but by one approval of a person who may",
			`select r.vanpool_id || ' ' || r.employee_id from poolpatrol.rider r where r.removed_on is not null
				and not (r.removed_case_id is null and exists (select from public.walked w where w.what = 'left' and w.who = r.employee_id))
				and 1 <> (select count(*) from removal x join gavel.proposal p on p.id = x.proposal
				join gavel.decision d on d.id = p.ended_by
					where x.van = r.vanpool_id and x.who = r.employee_id and p.state in ('approved', 'edited') and d.actor_kind = 'person'
					and 'programme_manager' = any (d.roles) and d.at <= x.at)`,
			`update poolpatrol.rider set removed_on = '2026-01-01'
				where ctid = (select ctid from poolpatrol.rider where removed_on is null limit 1)`},
		{"nobody is cancelled over a reply that nobody read",
			`select x.van || ' ' || x.who || ' ' || m.id from removal x join gavel.mail_in m on m.case_id = x.case_id
				join public.walked w on w.what = 'reply' and w.ref = m.message_id
				where m.state in ('accepted', 'held') and w.at < x.at
				and not exists (select from gavel.proposal q join gavel.act b on b.org = q.org and b.key = q.key where q.case_id = x.case_id
				and b.state = 'done'
					and q.tool in ('settle_case', 'send_email_for_review') and q.created_at > m.received_at and q.ended_at < x.at)`,
			plantMail("written", "reply")},
		{"nobody is cancelled after a mail came back, unless they were reached or wrote since",
			`select x.van || ' ' || x.who || ' ' || m.id from removal x join gavel.mail_in m on m.case_id = x.case_id and m.kind = 'bounce'
				and m.state = 'accepted' and m.sender = 'rider:' || x.who
				join public.walked w on w.what = 'bounce' and w.ref = m.message_id
				where w.at < x.at and not ` + reached + `m.received_at) and not ` + wrote + `m.received_at)
				and not exists (select from gavel.mail n where n.case_id = x.case_id and n.recipient = m.sender and n.state = 'sent'
				and ` + asking + ` and n.ended_at > m.received_at and n.ended_at < x.at)`,
			plantMail("bounce", "bounce")},
		{"nobody is cancelled whose last letter was not delivered, unless they were reached or wrote since",
			`select x.van || ' ' || x.who || ' ' || m.id from removal x join gavel.mail m on m.case_id = x.case_id
				and m.recipient = 'rider:' || x.who
				where m.state in ('undeliverable', 'unknown') and m.kind in ('first', 'again', 'answer', 'draft') and m.ended_at < x.at
				and not ` + reached + `m.ended_at) and not ` + wrote + `m.ended_at)
				and not exists (select from gavel.mail n where n.case_id = x.case_id and n.recipient = m.recipient and n.state = 'sent'
				and ` + asking + ` and n.ended_at > m.ended_at and n.ended_at < x.at)`,
			`update gavel.mail m set state = 'undeliverable' from removal x where m.case_id = x.case_id
				and m.recipient = 'rider:' || x.who`},
		{"nobody is cancelled who was never told",
			`select x.van || ' ' || x.who from removal x where not ` + reached + `'-infinity')
				and not exists (select from gavel.mail n where n.case_id = x.case_id and n.recipient = 'rider:' || x.who
				and n.state = 'sent' and ` + asking + ` and n.ended_at < x.at)`,
			`update gavel.mail set recipient = 'rider:EMP-9999' from removal x where mail.case_id = x.case_id`},
		{"nobody is cancelled while they are away",
			`select x.van || ' ' || x.who from removal x join public.walked w on w.what = 'away' and w.who = x.who and w.at < x.at
				and coalesce(w.until, 'infinity') > x.at`,
			`insert into public.walked select 'away', x.van, x.who, '', x.at - interval '1 hour' from removal x limit 1`},
		{"nobody is cancelled who fits by then",
			`select x.van || ' ' || x.who from removal x join public.walked w on w.what = 'fits' and w.who = x.who and w.at < x.at
				and coalesce(w.until, 'infinity') > x.at`,
			`insert into public.walked select 'fits', x.van, x.who, '', x.at - interval '1 hour' from removal x limit 1`},
		{"nobody is cancelled of whom the records do not say enough any more",
			`select x.van || ' ' || x.who from removal x join public.walked w on w.what = 'gap' and w.who = x.who and w.at < x.at
				and coalesce(w.until, 'infinity') > x.at`,
			`insert into public.walked select 'gap', x.van, x.who, '', x.at - interval '1 hour' from removal x limit 1`},
	}
}

func promisesOfCases() []promise {
	return []promise{
		{"a van has one open case at a time",
			`select a.vanpool_id || ' ' || a.ref || ' ' || b.ref from poolpatrol.case a
				join poolpatrol.case b on b.vanpool_id = a.vanpool_id and b.id > a.id
				where tstzrange(a.opened_at, coalesce(a.ended_at, 'infinity')) && tstzrange(b.opened_at, coalesce(b.ended_at, 'infinity'))`,
			`insert into poolpatrol.case select (jsonb_populate_record(c, '{"id": "case_00000000000000000000000000"}')).*
				from poolpatrol.case c where ctid = (select ctid from poolpatrol.case where ended_at is not null limit 1)`},
		{"nobody is written to who is not on the case",
			`select c.vanpool_id || ' ' || m.id || ' ' || m.recipient from gavel.mail m join poolpatrol.case c on c.org = m.org
				and c.id = m.case_id
				join poolpatrol.vanpool v on v.org = c.org and v.id = c.vanpool_id
				where not exists (select from poolpatrol.case_subject s where s.case_id = m.case_id
				and 'rider:' || s.employee_id = m.recipient) and not (m.kind = 'seat_free' and m.recipient = 'rider:' || v.coordinator_id)`,
			`update gavel.mail set recipient = 'rider:EMP-9999' where id = (select min(id) from gavel.mail where case_id is not null)`},
		{"no letter goes out twice",
			`select c.vanpool_id || ' ' || m.kind || ' ' || m.recipient from gavel.mail m join poolpatrol.case c on c.org = m.org
				and c.id = m.case_id
				where m.kind in ('first', 'closing', 'removed') group by c.vanpool_id, m.case_id, m.kind, m.recipient having count(*) > 1`,
			`insert into gavel.mail select (jsonb_populate_record(m,
				'{"id": "mail_00000000000000000000000000", "key": "planted", "message_id": "planted@mail.example.org"}')).*
				from gavel.mail m where ctid = (select ctid from gavel.mail where kind = 'first' limit 1)`},
		{"who may not decide has decided nothing",
			`select c.vanpool_id || ' ' || d.id from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
				join poolpatrol.case c on c.org = p.org and c.id = p.case_id
				where d.actor_kind <> 'person' or not 'programme_manager' = any (d.roles)`,
			`update gavel.decision set roles = '{officer}' where ctid = (select ctid from gavel.decision limit 1)`},
		{"a van is looked at again three times at most in a case",
			`select vanpool_id || ' ' || (life->>'re_audit_count') from poolpatrol.case where (life->>'re_audit_count')::int > 3`,
			`update poolpatrol.case set life = life || '{"re_audit_count": 4}' where ctid = (select ctid from poolpatrol.case limit 1)`},
		{"a case that ended says so once in its history, and is closed",
			`select c.vanpool_id || ' ' || c.ref || ' ' || c.state from poolpatrol.case c join gavel.case f on f.org = c.org and f.id = c.id
				where c.ended_at is not null
				and (f.state <> 'closed' or (c.state = 'cancelled') <> exists (select from removal x where x.case_id = c.id)
					or 1 <> (select count(*) from gavel.case_entry e where e.case_id = c.id and e.body ~ '→ (resolved|cancelled)'))`,
			`delete from gavel.case_entry where body ~ '→ (resolved|cancelled)'
				and ctid = (select ctid from gavel.case_entry where body ~ '→ (resolved|cancelled)' limit 1)`},
		{"every case ends where people answer and nobody writes, and nobody is asked any more then",
			`select vanpool_id || ' ' || state from poolpatrol.case where ended_at is null
				union all select c.vanpool_id || ' ' || p.id from gavel.proposal p join poolpatrol.case c on c.org = p.org
				and c.id = p.case_id where p.state = 'open' and p.kind = 'call'`,
			`update gavel.proposal set state = 'open', ended_at = null, ended_by = null, final_args_sha256 = null
				where ctid = (select ctid from gavel.proposal where kind = 'call' limit 1)`},
		// The letter; three times reply and re-audit; the decision. To go before a person
		// is no step, and neither is a look that could not be done.
		{"a case ends within eight steps where people answer and nobody writes",
			`select c.vanpool_id || ' ' || c.ref from poolpatrol.case c where 8 <
				(select count(*) from gavel.case_entry e where e.case_id = c.id and e.at > $1 and e.body ~ '→'
				and e.body !~ '→ hitl_review')
				- 2 * (select count(*) from poolpatrol.case_event e where e.case_id = c.id and e.at > $1 and e.event->>'kind' = 're_audited'
				and e.event->>'failed' = 'true')`,
			`insert into gavel.case_entry select 'north', c.id, 1000 + n, 'planted' || n, 'planted', $1::timestamptz + interval '1 day',
				'system', 'planted', 'planted', 'open → re_audit', repeat('0', 16)::bytea
				from (select id from poolpatrol.case limit 1) c, generate_series(1, 9) n`},
	}
}

// breakEach breaks each promise in turn, in a transaction that is taken back, and
// sees to it that its question finds it.
func (g *patrol) breakEach(quiet time.Time) {
	g.t.Helper()
	for _, p := range promises() {
		tx, err := g.all.Begin(g.t.Context())
		if err != nil {
			g.t.Fatal(err)
		}
		_, err = tx.Exec(g.t.Context(), `set local session_replication_role = replica`) // without triggers and references
		for statement := range strings.SplitSeq(p.breaks, ";\n") {
			if err == nil {
				_, err = tx.Exec(g.t.Context(), statement, promise{query: statement}.args(quiet)...)
			}
		}
		found := 0
		if err == nil {
			err = tx.QueryRow(g.t.Context(), `select count(*) from (`+p.query+`) broken`, p.args(quiet)...).Scan(&found)
		}
		if err != nil || found == 0 {
			g.t.Errorf("%q was broken, and the question finds %d: %v", p.promise, found, err)
		}
		_ = tx.Rollback(g.t.Context())
	}
}
