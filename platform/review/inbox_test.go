package review_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// inbox reads a view page by page and returns its lines as "P-1 role".
func (r *rig) inbox(t testing.TB, who identity.Actor, q review.InboxQuery) (lines []string) {
	t.Helper()
	for {
		page, err := r.Inbox(t.Context(), who, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			line := it.Proposal.ID + " " + string(it.Why)
			if it.For != "" {
				line += " for " + it.For
			}
			lines = append(lines, strings.TrimSpace(line))
			if it.Proposal.Args != nil || it.Proposal.Shown != nil {
				t.Errorf("an inbox carries the words of %s", it.Proposal.ID)
			}
		}
		if q.After = page.Next; q.After == "" {
			return lines
		}
	}
}

// due sets when an answer is wanted, in minutes from now.
func due(minutes int) func(*review.Proposal) {
	return func(p *review.Proposal) { p.DueAt = p.CreatedAt.Add(time.Duration(minutes) * time.Minute) }
}

func deciders(roles ...identity.Role) func(*review.Proposal) {
	return func(p *review.Proposal) { p.Deciders = roles }
}

func TestAnInboxShowsWhatNeedsOneWhyAndInWhichOrder(t *testing.T) {
	r := newRig(t, durable.Clock{})
	both := person("p:both", identity.ProgrammeManager, identity.Officer)
	r.people[both.ID] = both
	r.propose(t, due(30))                                                                         // P-1
	r.propose(t, due(10), deciders(identity.Officer))                                             // P-2
	r.propose(t)                                                                                  // P-3, never due
	r.propose(t, due(20), func(p *review.Proposal) { p.Makers = []string{manager.ID} })           // P-4
	r.propose(t, due(5), confirm, func(p *review.Proposal) { p.OnBehalfOf = manager.ID })         // P-5
	p6 := r.propose(t, due(15))                                                                   // P-6, assigned
	p7 := r.propose(t, due(25), two)                                                              // P-7, signed
	r.propose(t, due(1), deciders(identity.Officer, identity.ProgrammeManager))                   // P-8
	r.propose(t, due(40), func(p *review.Proposal) { p.App = "airshed"; p.Wake = review.Wake{} }) // P-9
	p10 := r.propose(t, due(2))                                                                   // P-10, snoozed
	r.propose(t, in(30*time.Millisecond))                                                         // P-11, expired
	r.propose(t, due(3), func(p *review.Proposal) { p.OnBehalfOf = manager.ID })                  // P-12, asked for
	r.propose(t, due(4), func(p *review.Proposal) { p.RequestedBy = manager.ID })                 // P-13, asked by
	time.Sleep(40 * time.Millisecond)
	if err := r.Assign(t.Context(), manager, p6.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	r.decide(t, manager, r.answer(p7, review.Approve))
	if err := r.Snooze(t.Context(), manager, p10.ID, r.clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	r.delegate(t, second, deputy.ID)
	r.delegate(t, second, officer.ID, func(d *review.Delegating) { d.App = "airshed" })
	for name, tt := range map[string]struct {
		who  identity.Actor
		q    review.InboxQuery
		want string
	}{
		"the manager's": {manager, review.InboxQuery{}, "P-8 role, P-5 confirm, P-1 role, P-9 role, P-3 role"},
		"another manager's": {second, review.InboxQuery{Limit: 3},
			"P-8 role, P-10 role, P-12 role, P-13 role, P-6 assigned, P-4 role, P-7 role, P-1 role, P-9 role, P-3 role"},
		"an officer's": {officer, review.InboxQuery{Limit: 1}, "P-8 role, P-2 role, P-9 delegated for p:second"},
		"one of both roles": {both, review.InboxQuery{Limit: 4},
			"P-8 role, P-10 role, P-12 role, P-13 role, P-2 role, P-4 role, P-7 role, P-1 role, P-9 role, P-3 role"},
		"a delegate's": {deputy, review.InboxQuery{Limit: 2},
			"P-8 delegated for p:second, P-10 delegated for p:second, P-12 delegated for p:second, " +
				"P-13 delegated for p:second, P-6 delegated for p:second, P-4 delegated for p:second, P-7 delegated for p:second, P-1 " +
				"delegated for p:second, " +
				"P-9 delegated for p:second, P-3 delegated for p:second"},
		"one application's": {manager, review.InboxQuery{App: "airshed"}, "P-9 role"},
		"a supervisor's":    {person("p:g", identity.GateSupervisor), review.InboxQuery{}, ""},
		"waiting on others": {manager, review.InboxQuery{View: review.Waiting, Limit: 1}, "P-12 asked, P-13 asked, P-7 signed"},
		"snoozed":           {manager, review.InboxQuery{View: review.Snoozed}, "P-10"},
		"nobody else's":     {second, review.InboxQuery{View: review.Snoozed}, ""},
		"done":              {manager, review.InboxQuery{View: review.Done}, "P-7 decided"},
		"of south": {identity.Actor{Kind: identity.Person, ID: manager.ID, Org: south, Roles: manager.Roles}, review.InboxQuery{},
			""},
	} {
		if got := strings.Join(r.inbox(t, tt.who, tt.q), ", "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
	}
	late := r.later(t, 12*time.Minute)
	day := review.InboxQuery{Since: r.clock.Now().Add(-time.Hour)}
	c, err := late.InboxCounts(t.Context(), manager, day)
	if want := (review.Counts{NeedsMe: 5, Overdue: 2, Today: 2, Later: 1, Waiting: 3, Snoozed: 1, Done: 1}); err != nil || c != want {
		t.Errorf("got %+v, %v, want %+v", c, err, want)
	}
	for most, want := range map[int]int{1: 1, 4: 4, 5: 5, 6: 5, 1000: 5} { // as far as it is asked, and exact below
		if n, err := late.InboxNeeds(t.Context(), manager, most); err != nil || n != want {
			t.Errorf("up to %d: got %d, %v, want %d", most, n, err, want)
		}
	}
	for group, want := range map[review.Group]string{review.Overdue: "P-8 role, P-5 confirm", review.Today: "P-1 role, P-9 role",
		review.Later: "P-3 role"} {
		day.Group, day.Limit = group, 1
		if got := strings.Join(late.inbox(t, manager, day), ", "); got != want {
			t.Errorf("%s: got %s, want %s", group, got, want)
		}
	}
	look, err := late.InboxLook(t.Context(), manager, review.InboxQuery{Since: day.Since, View: review.Waiting, App: "airshed",
		Kind: "call"})
	if want := (review.Counts{NeedsMe: 1, Today: 1}); err != nil || look.Counts != want || len(look.Items) != 0 {
		t.Errorf("got %+v, %v, want %+v", look, err, want)
	}
	if c, err := late.InboxCounts(t.Context(), manager, review.InboxQuery{Kind: "letter"}); err != nil || c != (review.Counts{}) {
		t.Errorf("of a kind there is not: got %+v, %v", c, err)
	}
	if got := strings.Join(r.later(t, 2*time.Hour).inbox(t, manager, review.InboxQuery{}), ", "); !strings.HasPrefix(got,
		"P-8 role, P-10 role") {
		t.Errorf("after the snooze: %s", got)
	}
	for name, tt := range map[string]struct {
		who  identity.Actor
		q    review.InboxQuery
		want fault.Kind
	}{
		"nobody": {identity.Actor{}, review.InboxQuery{}, fault.SignIn},
		"a machine": {identity.Actor{Kind: identity.Machine, ID: "m:x", Org: north, Scopes: []string{"read:cases"}},
			review.InboxQuery{}, fault.Refused},
		"no such view":      {manager, review.InboxQuery{View: "trash"}, fault.Invalid},
		"a long page":       {manager, review.InboxQuery{Limit: 201}, fault.Invalid},
		"a made-up token":   {manager, review.InboxQuery{After: "x/y"}, fault.Invalid},
		"another such":      {manager, review.InboxQuery{After: "never"}, fault.Invalid},
		"of another view":   {manager, review.InboxQuery{View: review.Done, After: "1/'"}, fault.Invalid},
		"no such app":       {manager, review.InboxQuery{App: "A"}, fault.Invalid},
		"no such kind":      {manager, review.InboxQuery{Kind: "A"}, fault.Invalid},
		"no such group":     {manager, review.InboxQuery{Group: "soon"}, fault.Invalid},
		"a group of others": {manager, review.InboxQuery{View: review.Waiting, Group: review.Today}, fault.Invalid},
		"a very large date": {manager, review.InboxQuery{After: "9223372036854775807/1"}, fault.Invalid},
	} {
		_, err := r.Inbox(t.Context(), tt.who, tt.q)
		wantKind(t, name, err, tt.want)
	}
}

func TestALineOfAnInboxSaysWhatAPersonNeeds(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, due(10), two, in(time.Hour), func(p *review.Proposal) { p.Undo = time.Hour })
	r.decide(t, second, r.answer(p, review.Approve))
	if _, err := r.Claim(t.Context(), person("p:third", identity.ProgrammeManager), p.ID); err != nil {
		t.Fatal(err)
	}
	page, err := r.later(t, 20*time.Minute).Inbox(t.Context(), manager, review.InboxQuery{})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	it := page.Items[0]
	if it.Line != "Send a letter" || it.CaseRef != r.file.Ref || it.Case != "About van-14" || it.Class != review.ExternalMail ||
		!it.Overdue ||
		!it.DueAt.Equal(p.DueAt.Truncate(time.Microsecond)) || it.Signed != 1 || it.Proposal.Required != 2 || it.Claim.By != "" {
		t.Errorf("got %+v", it)
	}
	page, err = r.Inbox(t.Context(), manager, review.InboxQuery{})
	if err != nil || page.Items[0].Claim.By != "p:third" || page.Items[0].Overdue {
		t.Errorf("got %+v, %v", page, err)
	}
	r.decide(t, manager, r.answer(p, review.Approve))
	page, err = r.Inbox(t.Context(), manager, review.InboxQuery{View: review.Done})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	it = page.Items[0]
	if it.Verdict != review.Approve || it.DecidedAt.IsZero() || !it.UndoUntil.Equal(r.get(t, p.ID).HeldUntil()) {
		t.Errorf("got %+v", it)
	}
	if page, err := r.later(t, 2*time.Hour).Inbox(t.Context(), manager, review.InboxQuery{View: review.Done}); err != nil ||
		!page.Items[0].UndoUntil.IsZero() {
		t.Errorf("after the window: %+v, %v", page, err)
	}
	write := r.propose(t, func(p *review.Proposal) { p.Effect = act.Write })
	filing := r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Class: func(p review.Proposal) review.Class {
		if p.ID == write.ID {
			return review.LegalFiling
		}
		return review.ByEffect(p)
	}}}})
	if page, err := filing.Inbox(t.Context(), manager, review.InboxQuery{}); err != nil || page.Items[0].Class != review.LegalFiling {
		t.Errorf("got %+v, %v", page, err)
	}
	if page, err := r.Inbox(t.Context(), manager, review.InboxQuery{}); err != nil || page.Items[0].Class != review.Routine {
		t.Errorf("got %+v, %v", page, err)
	}
}

// A page of an inbox reads as many rows as it has lines, or nearly, of however
// many wait: by an index in the order of the page.
func TestALongInboxIsReadByItsIndex(t *testing.T) {
	const many = 30_000
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	exec(t, r.db.AdminURL, fmt.Sprintf(`insert into gavel.proposal (org, id, n, case_id, kind, app, tool, effect, key, run, call, gate,
		args, args_sha256, shown, shown_sha256,
			requested_by, on_behalf_of, makers, deciders, allowed, required, policy_record, expires_at, undo, wake, created_at, due_at)
		select org, 'P-' || i, i, case_id, kind, (array['poolpatrol', 'airshed', 'netra'])[1 + i %% 3], tool, effect, key || i, run, call,
		gate, args, args_sha256, shown, shown_sha256,
			requested_by, on_behalf_of, makers, case when i %% 10 = 0 then array['programme_manager'] when i %% 2 = 0 then array['officer']
			else array['officer', 'hr'] end,
			allowed, required, policy_record, expires_at, undo, wake, created_at, now() + i * interval '1 second'
		from gavel.proposal, generate_series(2, %d) i where id = '%s'`, many, p.ID), `vacuum analyze gavel.proposal`)
	r.delegate(t, officer, deputy.ID)
	var after string
	for i, tt := range []struct {
		who identity.Actor
		q   review.InboxQuery
	}{
		{manager, review.InboxQuery{}},
		{officer, review.InboxQuery{}},
		{deputy, review.InboxQuery{}},
		{officer, review.InboxQuery{App: "netra"}},
		{person("p:guard", identity.GateSupervisor), review.InboxQuery{}},
		{manager, review.InboxQuery{View: review.Waiting}},
		{manager, review.InboxQuery{View: review.Snoozed}},
		{manager, review.InboxQuery{View: review.Done}},
		{manager, review.InboxQuery{After: "deep"}},
	} {
		if tt.q.After != "" {
			tt.q.After = after
		}
		asked, err := r.InboxStatements(t.Context(), tt.who, tt.q)
		if err != nil {
			t.Fatal(err)
		}
		read, scans := explain(t, r, asked[1])
		if read > 800 || slices.Contains(scans, "Seq Scan proposal") {
			t.Errorf("query %d reads %d rows by %v", i, read, scans)
		}
		page, err := r.Inbox(t.Context(), tt.who, tt.q)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			for range 20 { // a thousand lines on
				if page, err = r.Inbox(t.Context(), tt.who, review.InboxQuery{After: page.Next}); err != nil || len(page.Items) != 50 {
					t.Fatalf("%d lines, %v", len(page.Items), err)
				}
			}
			after = page.Next
		}
	}
	c, err := r.InboxCounts(t.Context(), officer, review.InboxQuery{})
	if err != nil || c.NeedsMe != many-1-many/10 { // exactly
		t.Errorf("got %+v, %v", c, err)
	}
	asked, err := r.InboxStatements(t.Context(), officer, review.InboxQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if read, scans := explain(t, r, asked[2]); read > many+2_000 || slices.Contains(scans, "Seq Scan proposal") ||
		!slices.Contains(scans, "Index Only Scan proposal") {
		t.Errorf("counting %d reads %d rows by %v", c.NeedsMe, read, scans)
	}
}

// What is assigned to somebody is in nobody's inbox but theirs: and in that of who
// decides in their stead, whatever that one may by their own right.
func TestWhatIsAssignedToWhoDelegatedIsInTheDelegatesInbox(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, due(10))
	r.propose(t, due(20)) // P-2, nobody's in particular
	if err := r.Assign(t.Context(), officerWho(identity.ProgrammeManager), p.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.inbox(t, manager, review.InboxQuery{}), ", "); got != "P-2 role" {
		t.Fatalf("before: %s", got)
	}
	r.delegate(t, second, manager.ID)
	if got, want := strings.Join(r.inbox(t, manager, review.InboxQuery{}), ", "), "P-1 delegated for p:second, P-2 role"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c, err := r.InboxCounts(t.Context(), manager, review.InboxQuery{}); err != nil || c.NeedsMe != 2 {
		t.Errorf("got %+v, %v, want 2", c, err)
	}
	if n, err := r.InboxNeeds(t.Context(), manager, 3); err != nil || n != 2 {
		t.Errorf("got %d, %v, want 2", n, err)
	}
}

// officerWho is somebody who may also decide what a role decides.
func officerWho(role identity.Role) identity.Actor { return person("p:chief", identity.Officer, role) }

// explain runs a statement and adds up the rows that its scans read.
func explain(t testing.TB, r *rig, ask review.Statement) (read int, scans []string) {
	t.Helper()
	type node struct {
		Type     string  `json:"Node Type"`
		Relation string  `json:"Relation Name"`
		Rows     float64 `json:"Actual Rows"`
		Removed  float64 `json:"Rows Removed by Filter"`
		Loops    float64 `json:"Actual Loops"`
		Plans    []node  `json:"Plans"`
	}
	var text string
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `explain (analyze, format json) `+ask.SQL, ask.Args...).Scan(&text)
	})
	var plans []struct{ Plan node }
	if err == nil {
		err = json.Unmarshal([]byte(text), &plans)
	}
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n node)
	walk = func(n node) {
		if n.Relation != "" {
			read += int((n.Rows + n.Removed) * n.Loops)
			scans = append(scans, n.Type+" "+n.Relation)
		}
		for _, c := range n.Plans {
			walk(c)
		}
	}
	walk(plans[0].Plan)
	return read, scans
}
