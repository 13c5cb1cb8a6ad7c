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
	reads     bool // the person may read proposals, and so what was found
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
	if q.EndOfDay.IsZero() {
		q.EndOfDay = q.Since.Add(24 * time.Hour)
	}
	switch {
	case !slices.Contains([]View{NeedsMe, Waiting, Snoozed, Done}, q.View):
		return nil, fault.New(fault.Invalid, "no view of an inbox is called %.20q", q.View)
	case !slices.Contains([]Group{"", Overdue, Today, Later}, q.Group) || q.Group != "" && q.View != NeedsMe:
		return nil, fault.New(fault.Invalid, "no part of the view %s is called %.20q", q.View, q.Group)
	case q.Limit < 0 || q.Limit > 200:
		return nil, fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	case q.App != "" && !appForm.MatchString(q.App):
		return nil, fault.New(fault.Invalid, "no application is called %.40q", q.App)
	case q.Kind != "" && !kindForm.MatchString(q.Kind):
		return nil, fault.New(fault.Invalid, "no kind is called %.40q", q.Kind)
	}
	k := &keys{q: q, now: now, me: actor.ID, org: actor.Org, args: pgx.NamedArgs{"org": string(actor.Org), "me": actor.ID,
		"roles": texts(actor.Roles),
		"now":   now, "app": q.App, "kind": q.Kind, "since": q.Since, "day": q.EndOfDay, "limit": q.Limit + 1}}
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
	bad := fault.New(fault.Invalid, "the page token %.40q is not one that was given out", k.q.After).Because("no_such_page_of_list")
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
			from, app, kind, roles = append(from, d.From), append(app, d.App), append(kind, d.Kind),
				append(roles, strings.Join(texts(still), ","))
		}
	}
	k.delegated = len(from) > 0
	k.args["g_from"], k.args["g_app"], k.args["g_kind"], k.args["g_roles"] = from, app, kind, roles
	return nil
}

// The parts of the statements, each with a place for what narrows, orders and
// bounds it. Every one that reads proposals by their date has an index in that
// order (migrations 2 and 3); `sets` steps from one list of deciding roles to the
// next, of which there are few. `aside` is what the person put off, made, or has
// had a voice in: little, and looked up by them.
const (
	sets = `sets as (
			(select p.roles_key, p.app from gavel.proposal p where p.org = @org and p.state = 'open' order by p.roles_key, p.app limit 1)
			union all
			select n.roles_key, n.app from sets s cross join lateral (
				select p.roles_key, p.app from gavel.proposal p where p.org = @org and p.state = 'open'
				and (p.roles_key, p.app) > (s.roles_key, s.app)
				order by p.roles_key, p.app limit 1) n), mine as (
			select roles_key, app, string_to_array(roles_key, ',') as deciders from sets where @app = '' or app = @app)`
	aside = `off as materialized (
			select z.proposal from gavel.proposal_snooze z where z.org = @org and z.actor_id = @me and z.until > @now),
			aside as materialized (
			select proposal from off union all select b.proposal from gavel.proposal_barred b where b.org = @org and b.person = @me)`

	narrow = ` and (@kind = '' or p.kind = @kind)`
	awake  = ` and p.org = @org and p.state = 'open' and p.expires_at > @now`
	// free is what barredFrom and checkState say, as a condition.
	free = awake + ` and p.gate = 'approve' and p.requested_by <> @me and p.on_behalf_of <> @me and p.id not in (select proposal from aside)` + narrow
	// ofTheApp narrows what is not read by the application.
	ofTheApp = ` and (@app = '' or p.app = @app)` + narrow

	// The offset keeps the planner from reading all that waits to join it.
	byRole = `select p.*, 'role' as why, '' as for_id from mine s cross join lateral (
			select p.due, p.n, p.id from gavel.proposal p where p.roles_key = s.roles_key and p.app = s.app
			and p.assigned_to = ''` + free + `%s offset 0) p
		where s.deciders && @roles::text[]`
	// What is assigned to the giver is read too where the person has the right
	// themselves: it is in nobody else's inbox.
	byDelegation = `select p.*, 'delegated', g.from_id from unnest(@g_from::text[], @g_app::text[], @g_kind::text[],
		@g_roles::text[]) g(from_id, app, kind, roles)
			cross join mine s cross join lateral (select unnest(case when s.deciders && @roles::text[] then array[g.from_id]
			else array['', g.from_id] end) as whose) a
			cross join lateral (
			select p.due, p.n, p.id from gavel.proposal p where p.roles_key = s.roles_key and p.app = s.app and p.assigned_to = a.whose
				and (g.kind = '' or p.kind = g.kind) and p.requested_by <> g.from_id and p.on_behalf_of <> g.from_id
				and not exists (select from gavel.proposal_barred b where b.org = @org and b.person = g.from_id
				and b.proposal = p.id)` + free + `%s offset 0) p
		where s.deciders && string_to_array(g.roles, ',') and (g.app = '' or s.app = g.app)`
	byAssignment = `(select p.due, p.n, p.id, 'assigned', '' from gavel.proposal p where p.assigned_to = @me
		and p.assigned_to <> ''` + free + ofTheApp + `%s)`
	byConfirming = `(select p.due, p.n, p.id, 'confirm', '' from gavel.proposal p where p.on_behalf_of = @me and p.on_behalf_of <> ''
		and p.gate = 'confirm'` +
		awake + ` and p.id not in (select proposal from off)` + ofTheApp + `%s)`

	waits    = awake + ofTheApp + `%s)`
	askedFor = `(select p.due, p.n, p.id, 'asked' as why, '' as for_id from gavel.proposal p where p.on_behalf_of = @me
		and p.on_behalf_of <> '' and p.gate = 'approve'` + waits
	askedBy = `(select p.due, p.n, p.id, 'asked', '' from gavel.proposal p where p.requested_by = @me
		and p.requested_by not like 'agent:%%'` + waits
	signedByMe = `(select p.due, p.n, p.id, 'signed', '' from gavel.proposal_barred b join gavel.proposal p on p.org = @org
		and p.id = b.proposal
			where b.org = @org and b.person = @me and b.why = 'signed'` + waits

	putOff = `(select p.due, p.n, p.id, '' as why, '' as for_id from gavel.proposal_snooze z join gavel.proposal p on p.org = @org
		and p.id = z.proposal
		where z.org = @org and z.actor_id = @me and z.until > @now` + waits

	decidedByMe = `select p.n, p.id, 'decided' as why, d.on_behalf as for_id, d.id as decision, d.verdict, d.at
		from gavel.decision d join gavel.proposal p on p.org = @org and p.id = d.proposal
		where d.org = @org and d.actor_id = @me and d.at >= @since` + ofTheApp
)

// found is a part of a statement for each way by which something is in a view,
// narrowed, ordered and bounded by rest.
func (k *keys) found(v View, rest string) string {
	parts := []string{putOff}
	switch v {
	case NeedsMe:
		parts = []string{byRole, byAssignment, byConfirming}
		if k.delegated {
			parts = append(parts, byDelegation)
		}
	case Waiting:
		parts = []string{askedFor, askedBy, signedByMe}
	}
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.Replace(part, "%s", rest, 1), "%%", "%")
	}
	return strings.Join(parts, " union all ")
}

// inGroup narrows to a part of what needs somebody.
func inGroup(g Group) string {
	return map[Group]string{Overdue: ` and p.due <= @now`, Today: ` and p.due > @now and p.due < @day`,
		Later: ` and p.due > @now and p.due >= @day`}[g]
}

// open is the statement of the keys of a view of what waits.
func (k *keys) open() string {
	rest := inGroup(k.q.Group)
	if k.after {
		rest += ` and (p.due, p.n) > (@after, @after_id)`
	}
	rest += ` order by p.due, p.n limit @limit`
	head := "with "
	if k.q.View == NeedsMe {
		head = "with recursive " + sets + ", " + aside + ", "
	}
	return head + `found as (` + k.found(k.q.View, rest) + `), keys as (
		select distinct on (due, n) due, n, id, why, for_id, '' as decision, '' as verdict, null::timestamptz as at from found order by due, n, why limit @limit) `
}

// done is the statement of the keys of what was decided.
func (k *keys) done() string {
	after := ""
	if k.after {
		after = ` and (d.at, d.id) < (@after, @after_id)`
	}
	return `with keys as (select null::timestamptz as due, f.* from (` + decidedByMe + after +
		` order by d.at desc, d.id desc limit @limit) f) `
}

// What was found is read from the document itself: a copy beside it would be a second
// thing to erase.
const lineColumns = `, ` + findingColumn +
	`, p.line, coalesce(c.ref, ''), case when c.erased_at is null then coalesce(c.title, '') else '` + casefile.ErasedText +
	`' end, k.why, k.for_id,
	coalesce(l.actor_id, ''), coalesce(l.actor_name, ''), l.until,
	case when p.required > 1 then (select count(*) from gavel.decision v where v.org = p.org and v.proposal = p.id
	and v.verdict = 'approve') else 0 end,
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

// count is the statement of how much there is of everything. What one may decide
// for several people is one; so is what one asked for and has signed. A test that
// has been found out is no line of what is done.
func (k *keys) count() string {
	return `with recursive ` + sets + `, ` + aside + `,
		needs as (select distinct due, n from (` + k.found(NeedsMe, "") + `) f),
		waits as (select distinct n from (` + k.found(Waiting, "") + `) f),
		put as (select n from (` + k.found(Snoozed, "") + `) f),
		done as (select d.decision, p.key, p.state from (` + decidedByMe + `) d join gavel.proposal p on p.org = @org and p.id = d.id
			where p.truth is null or p.state = 'open')
		select count(*) filter (where due <= @now), count(*) filter (where due > @now and due < @day),
		count(*) filter (where due > @now and due >= @day),
			(select count(*) from waits), (select count(*) from put), (select count(*) from done),
			(select count(*) from done d join gavel.act a on a.org = @org and a.key = d.key where d.state <> 'open'
			and a.state in ('planned', 'held') and a.not_before > @now)
		from needs`
}

// needs is the statement of how much needs somebody, up to a bound. What is cut off
// at the bound names no proposal twice, so the sum has reached it too.
func (k *keys) needs() string {
	return `with recursive ` + sets + `, ` + aside + `
		select count(*) from (select distinct n from (` + k.found(NeedsMe, " limit @most") + `) f limit @most) f`
}

func scanItem(row pgx.CollectableRow) (it Item, err error) {
	f := fields{p: &it.Proposal}
	var claimed, decided, undo, snoozed *time.Time
	var found *string
	err = row.Scan(append(f.targets(), &found, &it.Line, &it.CaseRef, &it.Case, &it.Why, &it.For, &it.Claim.By, &it.Claim.Name, &claimed,
		&it.Signed,
		&it.Decision, &it.Verdict, &decided, &undo, &snoozed)...)
	if err != nil {
		return it, err
	}
	for _, t := range []struct{ from, to *time.Time }{{claimed, &it.Claim.Until}, {decided, &it.DecidedAt}, {undo, &it.UndoUntil},
		{snoozed, &it.SnoozedUntil}} {
		if t.from != nil {
			*t.to = t.from.UTC()
		}
	}
	it.Finding = readFinding(found)
	return it, f.settle()
}
