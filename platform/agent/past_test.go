package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

var adele = identity.Actor{Kind: identity.Person, ID: "adele", Name: "Adele", Org: north, Roles: []identity.Role{identity.OrgAdmin}}

// rulesWith are the yard's policies with some more.
func (r *rig) rulesWith(t *testing.T, more string) *policy.Rules {
	t.Helper()
	set, err := policy.Parse(policy.File{Name: "yard.cedar", Text: []byte(strings.ReplaceAll(agenttest.Policies+more, "yard", r.app))})
	if err != nil {
		t.Fatal(err)
	}
	return policy.Standard().With(r.app, set)
}

// TestPastCallsArePutToOtherPolicies promises that a simulation knows every call
// of the runs since then: which would have been refused or asked about, which
// not, and that the same policies change nothing.
func TestPastCallsArePutToOtherPolicies(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	began := time.Now().Add(-time.Minute)
	r.closed(r.open("clerk", "look a; look b | look forbidden | post c | burn d").ID)
	past, err := r.Store.Past(t.Context(), aruna, r.Registry, began)
	if err != nil {
		t.Fatal(err)
	}
	same := r.rulesWith(t, "").Simulate(past.Calls, 100)
	if same.Calls != 4 || len(same.Changed) != 0 || len(same.Untold) != 0 {
		t.Fatalf("under the same policies: %+v", same)
	}
	if want := []policy.Untold{{Why: "turned away before the policies were asked: no such tool, wrong arguments, or not for that role",
		Calls: 1}}; !slices.Equal(past.Untold, want) {
		t.Errorf("got %+v, want %+v", past.Untold, want)
	}
	next := r.rulesWith(t, `
		@id("no-b") forbid (principal, action, resource) when { context.tool == "yard.look" && context.args.word == "b" };
		@id("ask-post") forbid (principal, action == Action::"call_unattended", resource) when { context.tool == "yard.post" };`)
	got := next.Simulate(past.Calls, 100)
	var changed []string
	for _, c := range got.Changed {
		changed = append(changed, fmt.Sprintf("%s %s to %s by %v", c.Tool[strings.Index(c.Tool, ".")+1:], c.Was, c.Would,
			c.Because[len(c.Because)-1]))
	}
	slices.Sort(changed)
	if want := []string{"look yes to no by no-b", "post yes to asks a person by ask-post"}; !slices.Equal(changed, want) ||
		len(got.Untold) != 0 {
		t.Errorf("got %q and %+v, want %q", changed, got.Untold, want)
	}
	top := query[string](t, r.db, `select id from gavel.run`)
	if !strings.HasPrefix(got.Changed[0].Call, top+"/") {
		t.Errorf("call %s is not one of run %s", got.Changed[0].Call, top)
	}
}

// TestAnOperatorSimulatesWithoutReadingArguments promises that nobody learns by a
// clever policy what they may not read: calls that depend on it are not told.
func TestAnOperatorSimulatesWithoutReadingArguments(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	began := time.Now().Add(-time.Minute)
	r.closed(r.open("clerk", "look secret | post c").ID)
	past, err := r.Store.Past(t.Context(), oscar, r.Registry, began)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range past.Calls {
		if len(c.Question.Args) > 0 {
			t.Errorf("an operator was given %s", c.Question.Args)
		}
	}
	probe := r.rulesWith(t, `@id("probe") forbid (principal, action, resource) when { context.tool == "yard.look" && context.args.word like "s*" };
		@id("ask-post") forbid (principal, action == Action::"call_unattended", resource) when { context.tool == "yard.post" };`)
	got := probe.Simulate(past.Calls, 100)
	if len(got.Changed) != 1 || !strings.HasSuffix(got.Changed[0].Tool, ".post") || len(got.Untold) != 1 ||
		got.Untold[0] != (policy.Untold{Why: "the arguments are not yours to read", Calls: 1}) {
		t.Errorf("got %+v", got)
	}
	for _, who := range []identity.Actor{asha, olga, {}} {
		if _, err := r.Store.Past(t.Context(), who, r.Registry, began); !fault.Is(err, fault.Refused) && !fault.Is(err, fault.SignIn) {
			t.Errorf("%s looks back: %v", who.ID, err)
		}
	}
	south := aruna
	south.Org = postgrestest.South
	if past, err := r.Store.Past(t.Context(), south, r.Registry, began); err != nil || len(past.Calls) != 0 {
		t.Errorf("another organisation sees %+v, %v", past, err)
	}
	if past, err := r.Store.Past(t.Context(), aruna, r.Registry, time.Now().Add(time.Hour)); err != nil || len(past.Calls) != 0 {
		t.Errorf("of runs that are yet to begin: %+v, %v", past, err)
	}
}

// TestErasedArgumentsAreSaidToBeErased promises that a simulation says what it
// could not put together again.
func TestErasedArgumentsAreSaidToBeErased(t *testing.T) {
	rider := seal.Subject{Type: "rider", ID: "R-7"}
	r := newRig(t, func(c *agenttest.Config) { c.Subjects = []seal.Subject{rider} })
	r.run()
	began := time.Now().Add(-time.Minute)
	r.closed(r.open("clerk", "look a").ID)
	if _, err := r.vault.Erase(t.Context(), adele, seal.Request{Subject: rider, Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	past, err := agent.NewStore(r.db.App, r.vault, policy.Standard(), durable.Clock{}).Past(t.Context(), aruna, r.Registry, began)
	if err != nil {
		t.Fatal(err)
	}
	got := r.rulesWith(t, `@id("more") forbid (principal, action, resource) when { context.tool == "yard.look" && context.args.word == "b" };`).Simulate(past.Calls, 100)
	if len(got.Untold) != 1 || got.Untold[0] != (policy.Untold{Why: "the arguments were erased", Calls: 1}) {
		t.Errorf("got %+v of %+v", got, past)
	}
}

// TestWhichPoliciesAreInForceIsOnRecord promises one record for each organisation
// when they change, and none when they do not.
func TestWhichPoliciesAreInForceIsOnRecord(t *testing.T) {
	r := newRig(t, nil)
	put := func(rules *policy.Rules) int {
		t.Helper()
		n, err := agent.PutInForce(t.Context(), r.db.App, durable.Clock{}, rules)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first, second := policy.Standard(), r.rulesWith(t, "")
	orgs := query[int](t, r.db, `select count(*)::int from gavel_sys.organisation`)
	for i, tt := range []struct {
		rules *policy.Rules
		want  int
	}{{first, orgs}, {first, 0}, {second, orgs}, {second, 0}, {first, orgs}} {
		if got := put(tt.rules); got != tt.want {
			t.Errorf("start %d: %d records, want %d", i+1, got, tt.want)
		}
	}
	if n := query[int](t, r.db, `select count(*)::int from gavel.record where kind = 'policy_set'`); n != 3 {
		t.Errorf("%d records in north, want 3", n)
	}
	before := query[string](t, r.db, `select json::jsonb #>> '{body,before}' from gavel.record where kind = 'policy_set' order by id desc
		limit 1`)
	kept := query[int](t, r.db, `select count(*)::int from gavel_sys.policy_set where sha256 = any ($1)`, []string{first.Own().
		Digest(), second.App(r.app).Digest()})
	if before != second.Digest() || kept != 2 {
		t.Errorf("before was %s, want %s; %d sets are kept, want 2", before, second.Digest(), kept)
	}
}

// TestCallsFromOutsideAnyRunAreLookedBackOn promises that what people's own
// programs asked for is put to other policies too, and that look-ups, which keep
// no arguments, are counted as not told.
func TestCallsFromOutsideAnyRunAreLookedBackOn(t *testing.T) {
	r := newRig(t, nil)
	began := time.Now().Add(-time.Minute)
	one := string(r.idle().ID)
	r.proposes(asha, "letter", "b", one)
	if _, err := r.call(asha, "look", "a", one); err != nil {
		t.Fatal(err)
	}
	past, err := r.Store.Past(t.Context(), aruna, r.Registry, began)
	if err != nil {
		t.Fatal(err)
	}
	if len(past.Calls) != 1 || past.Calls[0].Was != policy.Asks || !strings.HasPrefix(past.Calls[0].Call, "call_") {
		t.Fatalf("got %+v", past)
	}
	if len(past.Untold) != 1 || past.Untold[0].Calls != 1 || !strings.Contains(past.Untold[0].Why, "look-ups and refusals") {
		t.Errorf("got %+v", past.Untold)
	}
	got := r.rulesWith(t, `@id("no-b") forbid (principal, action, resource) when { context.tool == "yard.letter" && context.args.word == "b" };`).Simulate(past.Calls, 10)
	if len(got.Changed) != 1 || got.Changed[0].Would != policy.No {
		t.Errorf("got %+v", got)
	}
}
