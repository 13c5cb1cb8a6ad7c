package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

func (r *rig) delegate(t testing.TB, from identity.Actor, to string, edit ...func(*review.Delegating)) review.Delegation {
	t.Helper()
	in := review.Delegating{To: to, EndsAt: r.clock.Now().Add(24 * time.Hour), Reason: "On leave."}
	for _, e := range edit {
		e(&in)
	}
	d, err := r.Delegate(t.Context(), from, in)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestADelegateDecidesInAnothersSteadAndTheRecordSaysSo(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	_, err := r.Decide(t.Context(), deputy, r.answer(p, review.Approve))
	wantKind(t, "before it is delegated", err, fault.Refused)
	d := r.delegate(t, manager, deputy.ID)
	yes := r.answer(p, review.Approve)
	for range 2 { // the same decision twice decides once
		if got := r.decide(t, deputy, yes); got.State != review.Approved {
			t.Fatalf("got %s", got.State)
		}
	}
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || len(made) != 1 || made[0].ActorID != deputy.ID || made[0].OnBehalf != manager.ID || made[0].Delegation != d.ID {
		t.Errorf("got %+v, %v", made, err)
	}
	if recs := r.records(t, audit.Decision); len(recs) != 1 || !strings.Contains(recs[0], `"on_behalf":"`+manager.ID+`"`) ||
		!strings.Contains(recs[0], d.ID) {
		t.Errorf("the log says %v", recs)
	}
	if recs := r.records(t, review.KindDelegation); len(recs) != 1 || !strings.Contains(recs[0], `"to":"`+deputy.ID+`"`) ||
		strings.Contains(recs[0], "leave") {
		t.Errorf("the log says %v, want ids and no words", recs)
	}
	entries, err := r.files.Entries(t.Context(), north, r.file.ID, casefile.EntryQuery{})
	if err != nil || entries[0].Text != "P-1: approve on behalf of p:manager" || entries[0].ActorID != deputy.ID {
		t.Errorf("got %+v, %v", entries, err)
	}
	if a, ok := r.act(t, p); !ok || a.ByID != deputy.ID {
		t.Errorf("got %+v", a)
	}
	told, err := r.Notices(t.Context(), deputy, time.Time{})
	if err != nil || len(told) != 1 || told[0].Kind != review.NoticeDelegated {
		t.Errorf("the deputy is told %v, %v", told, err)
	}
}

func TestADelegationReachesAsFarAsItsGiverItsDatesAndItsScope(t *testing.T) {
	r := newRig(t, durable.Clock{})
	now := r.clock.Now()
	third := person("p:third", identity.Officer)
	for name, tt := range map[string]struct {
		set   func(r *rig) // what else is so
		in    func(*review.Delegating)
		p     func(*review.Proposal)
		actor identity.Actor
		want  fault.Kind // Internal: it may be decided
	}{
		"all of it":           {actor: deputy},
		"this application":    {in: func(d *review.Delegating) { d.App = "poolpatrol" }, actor: deputy},
		"another application": {in: func(d *review.Delegating) { d.App = "airshed" }, actor: deputy, want: fault.Refused},
		"this kind":           {in: func(d *review.Delegating) { d.Kind = "call" }, actor: deputy},
		"another kind":        {in: func(d *review.Delegating) { d.Kind = "letter" }, actor: deputy, want: fault.Refused},
		"to begin tomorrow": {in: func(d *review.Delegating) {
			d.StartsAt, d.EndsAt = now.Add(24*time.Hour),
				now.Add(48*time.Hour)
		}, actor: deputy, want: fault.Refused},
		"to somebody else": {actor: third, want: fault.Refused},
		"the giver made the thing": {p: func(p *review.Proposal) { p.Makers = []string{manager.ID} }, actor: deputy,
			want: fault.Refused},
		"the giver asked for it": {p: func(p *review.Proposal) { p.OnBehalfOf = manager.ID }, actor: deputy, want: fault.Refused},
		"the delegate made the thing": {p: func(p *review.Proposal) { p.Makers = []string{deputy.ID} }, actor: deputy,
			want: fault.Refused},
		"the delegate asked for it": {p: func(p *review.Proposal) { p.RequestedBy = deputy.ID }, actor: deputy, want: fault.Refused},
		"another role decides": {p: func(p *review.Proposal) { p.Deciders = []identity.Role{identity.Officer} }, actor: deputy,
			want: fault.Refused},
		"the giver's own confirmation": {p: func(p *review.Proposal) { confirm(p); p.OnBehalfOf = manager.ID }, actor: deputy,
			want: fault.Refused},
		"the giver has lost the role": {set: func(r *rig) { r.people[manager.ID] = person(manager.ID, identity.Officer) }, actor: deputy,
			want: fault.Refused},
		"the giver has left": {set: func(r *rig) { delete(r.people, manager.ID) }, actor: deputy, want: fault.Refused},
		"by an agent with the same id": {actor: identity.Actor{Kind: identity.Agent, ID: deputy.ID, Org: north, Roles: deputy.Roles},
			want: fault.Refused},
		"while looking as another does": {actor: identity.Actor{Kind: identity.Person, ID: deputy.ID, Org: north, Roles: deputy.Roles,
			Viewing: identity.Analyst}, want: fault.Refused},
	} {
		r.people[manager.ID] = manager
		edits := []func(*review.Delegating){}
		if tt.in != nil {
			edits = append(edits, tt.in)
		}
		d := r.delegate(t, manager, deputy.ID, edits...)
		var change []func(*review.Proposal)
		if tt.p != nil {
			change = append(change, tt.p)
		}
		p := r.propose(t, change...)
		if tt.set != nil {
			tt.set(r)
		}
		_, err := r.Decide(t.Context(), tt.actor, r.answer(p, review.Approve))
		if tt.want == fault.Internal && err != nil || tt.want != fault.Internal && !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
		if _, err := r.EndDelegation(t.Context(), deputy, d.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnEndedDelegationCountsNoMoreAndUndoesNothing(t *testing.T) {
	r := newRig(t, durable.Clock{})
	before, after := r.propose(t), r.propose(t)
	d := r.delegate(t, manager, deputy.ID)
	r.decide(t, deputy, r.answer(before, review.Approve))
	_, err := r.EndDelegation(t.Context(), officer, d.ID)
	wantKind(t, "by a stranger to it", err, fault.Refused)
	_, err = r.EndDelegation(t.Context(), identity.Actor{Kind: identity.Person, ID: "p:s", Org: south, Roles: manager.Roles}, d.ID)
	wantKind(t, "from another organisation", err, fault.NotFound)
	for range 2 {
		if got, err := r.EndDelegation(t.Context(), manager, d.ID); err != nil || got.EndedBy != manager.ID || got.InForce(r.clock.Now()) {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	_, err = r.Decide(t.Context(), deputy, r.answer(after, review.Approve))
	wantKind(t, "after its end", err, fault.Refused)
	if got, err := r.Get(t.Context(), manager, before.ID); err != nil || got.State != review.Approved {
		t.Errorf("what was decided is %s, %v", got.State, err)
	}
	if n := len(r.records(t, review.KindDelegation)); n != 2 {
		t.Errorf("%d records, want made and ended", n)
	}
	short := r.delegate(t, manager, deputy.ID, func(in *review.Delegating) { in.EndsAt = r.clock.Now().Add(time.Hour) })
	_, err = r.later(t, 2*time.Hour).Decide(t.Context(), deputy, r.answer(after, review.Approve))
	wantKind(t, "after its date", err, fault.Refused)
	if list, _, err := r.Delegations(t.Context(), deputy, review.DelegationQuery{Person: deputy.ID}); err != nil || len(list) != 1 ||
		list[0].ID != short.ID {
		t.Errorf("got %v, %v", list, err)
	}
	if list, _, err := r.Delegations(t.Context(), deputy, review.DelegationQuery{Person: deputy.ID, Over: true}); err != nil ||
		len(list) != 2 {
		t.Errorf("got %v, %v", list, err)
	}
	_, _, err = r.Delegations(t.Context(), deputy, review.DelegationQuery{Person: manager.ID})
	wantKind(t, "another's", err, fault.Refused)
}

func TestADelegationIsNotPassedOn(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	r.delegate(t, manager, deputy.ID)
	_, err := r.Delegate(t.Context(), deputy, review.Delegating{To: officer.ID, Roles: manager.Roles, EndsAt: r.clock.Now().Add(time.Hour)})
	wantKind(t, "a role one does not hold", err, fault.Refused)
	r.delegate(t, deputy, officer.ID) // an analyst's own right, which decides nothing
	_, err = r.Decide(t.Context(), officer, r.answer(p, review.Approve))
	wantKind(t, "two steps away", err, fault.Refused)
}

func TestOneVoiceIsNotHeardTwiceThroughADelegation(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.delegate(t, manager, deputy.ID)
	r.delegate(t, manager, officer.ID)
	two := func() review.Proposal { return r.propose(t, two) }

	p := two() // the giver, then the delegate
	r.decide(t, manager, r.answer(p, review.Approve))
	_, err := r.Decide(t.Context(), deputy, r.answer(p, review.Approve))
	wantKind(t, "the delegate after the giver", err, fault.Conflict)

	p = two() // the delegate, then the giver, then another delegate
	r.decide(t, deputy, r.answer(p, review.Approve))
	_, err = r.Decide(t.Context(), manager, r.answer(p, review.Approve))
	wantKind(t, "the giver after the delegate", err, fault.Conflict)
	_, err = r.Decide(t.Context(), officer, r.answer(p, review.Approve))
	wantKind(t, "another delegate of the same giver", err, fault.Conflict)

	r.delegate(t, second, deputy.ID) // the same delegate, for another
	_, err = r.Decide(t.Context(), deputy, r.answer(p, review.Approve))
	wantKind(t, "the delegate again, for somebody else", err, fault.Conflict)
	if got := r.decide(t, second, r.answer(p, review.Approve)); got.State != review.Approved {
		t.Errorf("two people have approved: %s", got.State)
	}

	p = two()
	d := r.answer(p, review.Approve)
	d.For = second.ID
	r.decide(t, deputy, d)
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || made[0].OnBehalf != second.ID {
		t.Errorf("got %+v, %v: they said for whom", made, err)
	}
	slots := review.Slots(p, made)
	if len(slots) != 2 || !slots[0].Signed() || slots[0].For != second.ID || slots[1].Signed() {
		t.Errorf("got %+v, want 1 of 2", slots)
	}
	d.For = manager.ID
	_, err = r.Decide(t.Context(), deputy, d)
	wantKind(t, "the same decision for somebody else", err, fault.Conflict)
}

func TestWhoHoldsTheRoleDecidesForThemselvesUnlessTheySayOtherwise(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.delegate(t, second, manager.ID)
	own, lent := r.propose(t), r.propose(t)
	r.decide(t, manager, r.answer(own, review.Approve))
	d := r.answer(lent, review.Approve)
	d.For = "p:nobody"
	_, err := r.Decide(t.Context(), manager, d)
	wantKind(t, "for somebody who delegated nothing", err, fault.Refused)
	d.For = second.ID
	r.decide(t, manager, d)
	for p, want := range map[string]string{own.ID: "", lent.ID: second.ID} {
		if made, err := r.Decisions(t.Context(), north, p); err != nil || made[0].OnBehalf != want {
			t.Errorf("%s: got %+v, %v, want it for %q", p, made, err, want)
		}
	}
}

func TestDelegationsThatMakeNoSenseAreRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	now := r.clock.Now()
	ok := review.Delegating{To: deputy.ID, EndsAt: now.Add(time.Hour)}
	for name, tt := range map[string]struct {
		actor identity.Actor
		edit  func(*review.Delegating)
		want  fault.Kind
	}{
		"nobody": {identity.Actor{}, func(*review.Delegating) {}, fault.SignIn},
		"a machine": {identity.Actor{Kind: identity.Machine, ID: "m:x", Org: north, Scopes: []string{"read:cases"}},
			func(*review.Delegating) {}, fault.Refused},
		"to nobody":               {manager, func(d *review.Delegating) { d.To = "" }, fault.Invalid},
		"to oneself":              {manager, func(d *review.Delegating) { d.To = manager.ID }, fault.Invalid},
		"to who is not known":     {manager, func(d *review.Delegating) { d.To = "p:stranger" }, fault.NotFound},
		"without an end":          {manager, func(d *review.Delegating) { d.EndsAt = time.Time{} }, fault.Invalid},
		"that has ended":          {manager, func(d *review.Delegating) { d.EndsAt = now.Add(-time.Hour) }, fault.Invalid},
		"for ever":                {manager, func(d *review.Delegating) { d.EndsAt = now.AddDate(2, 0, 0) }, fault.Invalid},
		"of a role one has not":   {manager, func(d *review.Delegating) { d.Roles = []identity.Role{identity.Officer} }, fault.Refused},
		"of no such application":  {manager, func(d *review.Delegating) { d.App = "Pool Patrol" }, fault.Invalid},
		"with a very long reason": {manager, func(d *review.Delegating) { d.Reason = strings.Repeat("x", 2001) }, fault.Invalid},
	} {
		in := ok
		tt.edit(&in)
		_, err := r.Delegate(t.Context(), tt.actor, in)
		wantKind(t, name, err, tt.want)
	}
	r.people["p:s"] = identity.Actor{Kind: identity.Person, ID: "p:s", Org: south, Roles: manager.Roles}
	in := ok
	in.To = "p:s"
	_, err := r.Delegate(t.Context(), manager, in)
	wantKind(t, "to somebody of another organisation", err, fault.NotFound)
	for range 50 {
		r.delegate(t, second, deputy.ID)
	}
	_, err = r.Delegate(t.Context(), second, ok)
	wantKind(t, "one too many", err, fault.Conflict)
}

// A forged decision names a delegation that does not bear it out.
func TestTheDatabaseRefusesForgedDelegatedDecisions(t *testing.T) {
	r := newRig(t, durable.Clock{})
	now := r.clock.Now()
	open := r.propose(t)                                                                      // P-1
	r.propose(t, confirm)                                                                     // P-2
	r.propose(t, two)                                                                         // P-3
	r.propose(t, func(p *review.Proposal) { p.Makers = []string{manager.ID} })                // P-4
	r.propose(t, func(p *review.Proposal) { p.Deciders = []identity.Role{identity.Officer} }) // P-5
	good := r.delegate(t, manager, deputy.ID).ID
	later := r.delegate(t, manager, deputy.ID, func(d *review.Delegating) {
		d.StartsAt, d.EndsAt = now.Add(time.Hour),
			now.Add(2*time.Hour)
	}).ID
	elsewhere := r.delegate(t, manager, deputy.ID, func(d *review.Delegating) { d.App = "airshed" }).ID
	kind := r.delegate(t, manager, deputy.ID, func(d *review.Delegating) { d.Kind = "letter" }).ID
	ended := r.delegate(t, manager, deputy.ID).ID
	if _, err := r.EndDelegation(t.Context(), manager, ended); err != nil {
		t.Fatal(err)
	}
	r.decide(t, manager, r.answer(review.Proposal{ID: "P-3", ShownSHA256: r.get(t, "P-3").ShownSHA256}, review.Approve))
	ins := func(proposal, actor, behalf, delegation string) string {
		return fmt.Sprintf(`insert into gavel.decision (org, id, proposal, verdict, actor_kind, actor_id, actor_name, roles, at,
			shown_sha256, args_sha256, reason, opened,
				record_id, on_behalf, delegation)
			select org, 'decision-x', id, 'approve', 'person', '%s', 'n', array['analyst'], clock_timestamp(), shown_sha256, args_sha256,
			'', '', 'rec_1', '%s', '%s'
			from gavel.proposal where id = '%s'`, actor, behalf, delegation, proposal)
	}
	for name, sql := range map[string]string{
		"under no delegation":           ins("P-1", deputy.ID, manager.ID, "del_x"),
		"in a stead without a name":     ins("P-1", deputy.ID, "", good),
		"in one's own stead":            ins("P-1", manager.ID, manager.ID, good),
		"by another than it is for":     ins("P-1", officer.ID, manager.ID, good),
		"for another than who gave it":  ins("P-1", deputy.ID, second.ID, good),
		"before it begins":              ins("P-1", deputy.ID, manager.ID, later),
		"after it was ended":            ins("P-1", deputy.ID, manager.ID, ended),
		"of another application":        ins("P-1", deputy.ID, manager.ID, elsewhere),
		"of another kind":               ins("P-1", deputy.ID, manager.ID, kind),
		"a confirmation":                ins("P-2", rider, manager.ID, good),
		"after the giver's own voice":   ins("P-3", deputy.ID, manager.ID, good),
		"of what the giver made":        ins("P-4", deputy.ID, manager.ID, good),
		"of what the giver cannot":      ins("P-5", deputy.ID, manager.ID, good),
		"a delegation gets a later end": `update gavel.delegation set ends_at = ends_at + interval '1 day' where id = '` + good + `'`,
		"a delegation gets more roles":  `update gavel.delegation set roles = '{officer}' where id = '` + good + `'`,
		"an ended one comes back":       `update gavel.delegation set ended_at = null, ended_by = null where id = '` + ended + `'`,
	} {
		for role, url := range map[string]string{"app": r.db.AppURL, "owner": r.db.OwnerURL} {
			err := tryAs(t, url, sql)
			ours := slices.ContainsFunc([]string{"decision_may", "decision_behalf", "delegation_stays"},
				func(c string) bool { return postgres.Violates(err, c) })
			if err == nil || role == "owner" && !ours {
				t.Errorf("%s, as %s: got %v, want it refused", name, role, err)
			}
		}
	}
	if err := tryAs(t, r.db.AppURL, ins(open.ID, deputy.ID, manager.ID, good)); err != nil {
		t.Errorf("an honest one: %v", err)
	}
}

func (r *rig) get(t testing.TB, id string) review.Proposal {
	t.Helper()
	p, err := r.Get(t.Context(), identity.Gavel(north), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
