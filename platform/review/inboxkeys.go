package review

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// keys is the search for the lines of one view: first the keys of a page, each
// part of it by an index of its own and never more than a page long, then what a
// line shows.
type keys struct {
	q         InboxQuery
	now       time.Time
	me        string
	org       identity.Org
	after     bool // a page token was given
	delegated bool
	args      pgx.NamedArgs
}

func newKeys(actor identity.Actor, q InboxQuery, now time.Time) (*keys, error) {
	if q.View == "" {
		q.View = NeedsMe
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	if q.Since.IsZero() {
		q.Since = now.Add(-24 * time.Hour)
	}
	switch {
	case !slices.Contains([]View{NeedsMe, Waiting, Snoozed, Done}, q.View):
		return nil, fault.New(fault.Invalid, "no view of an inbox is called %.20q", q.View)
	case q.Limit < 0 || q.Limit > 200:
		return nil, fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	case q.App != "" && !appForm.MatchString(q.App):
		return nil, fault.New(fault.Invalid, "no application is called %.40q", q.App)
	}
	k := &keys{q: q, now: now, me: actor.ID, org: actor.Org, args: pgx.NamedArgs{"org": string(actor.Org), "me": actor.ID, "roles": texts(actor.Roles),
		"now": now, "app": q.App, "since": q.Since, "limit": q.Limit + 1}}
	return k, k.readCursor()
}

// never stands in a cursor for a date that does not come.
const never = "never"

// cursor is where the page after an item begins.
func (it Item) cursor(v View) string {
	at, id := it.DueAt, strings.TrimPrefix(it.Proposal.ID, "P-")
	if v == Done {
		at, id = it.DecidedAt, it.Decision
	}
	if at.IsZero() {
		return never + "/" + id
	}
	return strconv.FormatInt(at.UnixMicro(), 10) + "/" + id
}

func (k *keys) readCursor() error {
	if k.after = k.q.After != ""; !k.after {
		return nil
	}
	bad := fault.New(fault.Invalid, "the page token %.40q is not one that was given out", k.q.After)
	text, id, ok := strings.Cut(k.q.After, "/")
	at := pgtype.Timestamptz{Valid: true, InfinityModifier: pgtype.Infinity}
	if text != never {
		micros, err := strconv.ParseInt(text, 10, 64)
		ok = ok && err == nil && micros > 0 && micros < 1<<57
		at = pgtype.Timestamptz{Valid: true, Time: time.UnixMicro(micros).UTC()}
	}
	k.args["after"], k.args["after_id"] = at, id
	if k.q.View != Done {
		n, err := strconv.ParseInt(id, 10, 64)
		ok = ok && err == nil
		k.args["after_id"] = n
	} else {
		ok = ok && decisionForm.MatchString(id)
	}
	if !ok {
		return bad
	}
	return nil
}

// lookUp reads what is delegated to the person, which makes more need them.
func (s *Store) lookUp(ctx context.Context, tx pgx.Tx, k *keys) error {
	if k.q.View != NeedsMe {
		return nil
	}
	all, err := inForce(ctx, tx, k.org, k.me, k.now)
	if err != nil {
		return err
	}
	var from, app, kind, roles []string
	for _, d := range all {
		still, err := s.stillHolds(ctx, tx, d)
		if err != nil {
			return err
		}
		if len(still) > 0 {
			from, app, kind, roles = append(from, d.From), append(app, d.App), append(kind, d.Kind), append(roles, strings.Join(texts(still), ","))
		}
	}
	k.delegated = len(from) > 0
	k.args["g_from"], k.args["g_app"], k.args["g_kind"], k.args["g_roles"] = from, app, kind, roles
	return nil
}

// The parts of the statements. Every one that reads proposals by their date has
// an index in that order (migration 2); `sets` steps from one list of deciding
// roles to the next, of which there are few.
const (
	sets = `sets as (
			(select p.roles_key, p.app from gavel.proposal p where p.org = @org and p.state = 'open' order by p.roles_key, p.app limit 1)
			union all
			select n.roles_key, n.app from sets s cross join lateral (
				select p.roles_key, p.app from gavel.proposal p where p.org = @org and p.state = 'open' and (p.roles_key, p.app) > (s.roles_key, s.app)
				order by p.roles_key, p.app limit 1) n), mine as (
			select roles_key, app, string_to_array(roles_key, ',') as deciders from sets)`

	awake = ` and p.org = @org and p.state = 'open' and p.expires_at > @now
			and not exists (select from gavel.proposal_snooze z where z.org = @org and z.actor_id = @me and z.proposal = p.id and z.until > @now)`
	// free is what barredFrom and checkState say, as a condition.
	free = awake + ` and p.gate = 'approve' and p.requested_by <> @me and p.on_behalf_of <> @me and not @me = any (p.makers)
			and not (p.required > 1 and exists (select from gavel.decision d where d.org = @org and d.proposal = p.id and d.verdict = 'approve'
				and (d.actor_id = @me or d.on_behalf = @me)))`
	ofTheApp  = ` and (@app = '' or p.app = @app)`
	pageAfter = ` and (p.due, p.n) > (@after, @after_id)`
	inOrder   = ` order by p.due, p.n limit @limit`

	byRole = `select p.*, 'role' as why, '' as for_id from mine s cross join lateral (
			select p.due, p.n, p.id from gavel.proposal p where p.roles_key = s.roles_key and p.app = s.app and p.assigned_to = ''` + free + `%s` + inOrder + `) p
		where s.deciders && @roles::text[] and (@app = '' or s.app = @app)`
	byDelegation = `select p.*, 'delegated', g.from_id from unnest(@g_from::text[], @g_app::text[], @g_kind::text[], @g_roles::text[]) g(from_id, app, kind, roles)
			cross join mine s cross join lateral (
			select p.due, p.n, p.id from gavel.proposal p where p.roles_key = s.roles_key and p.app = s.app and p.assigned_to in ('', g.from_id)
				and (g.kind = '' or p.kind = g.kind) and not g.from_id = any (p.makers || p.requested_by || p.on_behalf_of)
				and not (p.required > 1 and exists (select from gavel.decision d where d.org = @org and d.proposal = p.id and d.verdict = 'approve'
					and (d.actor_id = g.from_id or d.on_behalf = g.from_id)))` + free + `%s` + inOrder + `) p
		where s.deciders && string_to_array(g.roles, ',') and not s.deciders && @roles::text[] and (g.app = '' or s.app = g.app) and (@app = '' or s.app = @app)`
	byAssignment = `(select p.due, p.n, p.id, 'assigned', '' from gavel.proposal p where p.assigned_to = @me and p.assigned_to <> ''` + free + ofTheApp + `%s` + inOrder + `)`
	byConfirming = `(select p.due, p.n, p.id, 'confirm', '' from gavel.proposal p where p.on_behalf_of = @me and p.on_behalf_of <> '' and p.gate = 'confirm'` +
		awake + ofTheApp + `%s` + inOrder + `)`

	waits      = ` and p.org = @org and p.state = 'open' and p.expires_at > @now` + ofTheApp + `%s` + inOrder + `)`
	askedFor   = `(select p.due, p.n, p.id, 'asked' as why, '' as for_id from gavel.proposal p where p.on_behalf_of = @me and p.on_behalf_of <> '' and p.gate = 'approve'` + waits
	askedBy    = `(select p.due, p.n, p.id, 'asked', '' from gavel.proposal p where p.requested_by = @me and p.requested_by not like 'agent:%%'` + waits
	signedByMe = `(select p.due, p.n, p.id, 'signed', '' from gavel.proposal p where p.required > 1
			and exists (select from gavel.decision d where d.org = @org and d.proposal = p.id and d.actor_id = @me and d.verdict = 'approve')` + waits

	putOff = `select p.due, p.n, p.id, '' as why, '' as for_id from gavel.proposal_snooze z join gavel.proposal p on p.org = @org and p.id = z.proposal
		where z.org = @org and z.actor_id = @me and z.until > @now and p.state = 'open'` + ofTheApp + `%s`

	decidedByMe = `select p.n, p.id, 'decided' as why, d.on_behalf as for_id, d.id as decision, d.verdict, d.at
		from gavel.decision d join gavel.proposal p on p.org = @org and p.id = d.proposal
		where d.org = @org and d.actor_id = @me and d.at >= @since` + ofTheApp
)

// open is the statement of the keys of a view of what waits.
func (k *keys) open() string {
	after := ""
	if k.after {
		after = pageAfter
	}
	fill := func(part string) string { return strings.ReplaceAll(strings.Replace(part, "%s", after, 1), "%%", "%") }
	head, parts := "with ", []string{putOff}
	switch k.q.View {
	case NeedsMe:
		head, parts = "with recursive "+sets+", ", []string{byRole, byAssignment, byConfirming}
		if k.delegated {
			parts = append(parts, byDelegation)
		}
	case Waiting:
		parts = []string{askedFor, askedBy, signedByMe}
	}
	for i := range parts {
		parts[i] = fill(parts[i])
	}
	return head + `found as (` + strings.Join(parts, " union all ") + `), keys as (
		select distinct on (due, n) due, n, id, why, for_id, '' as decision, '' as verdict, null::timestamptz as at from found order by due, n, why limit @limit) `
}

// done is the statement of the keys of what was decided.
func (k *keys) done() string {
	after := ""
	if k.after {
		after = ` and (d.at, d.id) < (@after, @after_id)`
	}
	return `with keys as (select null::timestamptz as due, f.* from (` + decidedByMe + after + ` order by d.at desc, d.id desc limit @limit) f) `
}

const lineColumns = `, p.line, coalesce(c.ref, ''), case when c.erased_at is null then coalesce(c.title, '') else '` + casefile.ErasedText + `' end, k.why, k.for_id,
	coalesce(l.actor_id, ''), coalesce(l.actor_name, ''), l.until,
	case when p.required > 1 then (select count(*) from gavel.decision v where v.org = p.org and v.proposal = p.id and v.verdict = 'approve') else 0 end,
	k.decision, k.verdict, k.at, case when a.state in ('planned', 'held') then a.not_before end, z.until`

const lineTables = ` from keys k join gavel.proposal p on p.org = @org and p.id = k.id
	left join gavel.case c on c.org = p.org and c.id = p.case_id
	left join gavel.proposal_claim l on l.org = p.org and l.proposal = p.id and l.until > @now
	left join gavel.proposal_snooze z on z.org = p.org and z.actor_id = @me and z.proposal = p.id and z.until > @now
	left join gavel.act a on k.decision <> '' and a.org = p.org and a.key = p.key`

// page is the statement of a page's lines, with one more than it has.
func (k *keys) page() string {
	if k.q.View == Done {
		return k.done() + `select ` + headColumns + lineColumns + lineTables + ` order by k.at desc, k.decision desc`
	}
	return k.open() + `select ` + headColumns + lineColumns + lineTables + ` order by k.due, k.n`
}

// count is the statement of how many lines there are, and how many of them are
// overdue. A test that has been found out is no line.
func (k *keys) count() string {
	if k.q.View == Done {
		return k.done() + `select count(*), 0 from keys k join gavel.proposal p on p.org = @org and p.id = k.id where p.truth is null or p.state = 'open'`
	}
	return k.open() + `select count(*), count(*) filter (where due <= @now) from keys`
}

func scanItem(row pgx.CollectableRow) (it Item, err error) {
	f := fields{p: &it.Proposal}
	var claimed, decided, undo, snoozed *time.Time
	err = row.Scan(append(f.targets(), &it.Line, &it.CaseRef, &it.Case, &it.Why, &it.For, &it.Claim.By, &it.Claim.Name, &claimed, &it.Signed,
		&it.Decision, &it.Verdict, &decided, &undo, &snoozed)...)
	if err != nil {
		return it, err
	}
	for _, t := range []struct{ from, to *time.Time }{{claimed, &it.Claim.Until}, {decided, &it.DecidedAt}, {undo, &it.UndoUntil}, {snoozed, &it.SnoozedUntil}} {
		if t.from != nil {
			*t.to = t.from.UTC()
		}
	}
	return it, f.settle()
}
