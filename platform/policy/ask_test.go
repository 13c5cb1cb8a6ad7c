package policy_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// parse makes a set of one file.
func parse(t testing.TB, text string) *policy.Set {
	t.Helper()
	s, err := policy.Parse(policy.File{Name: "test.cedar", Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shift is the question most tests ask: an analyst's agent reads a shift.
func shift() policy.Question {
	return policy.Question{
		Actor: identity.Actor{Kind: identity.Agent, ID: "agent:poolpatrol/investigator", Org: "north"},
		For:   identity.Actor{Kind: identity.Person, ID: "asha", Org: "north", Roles: []identity.Role{identity.Analyst}},
		App:   "poolpatrol", Tool: "get_shift", Effect: "read", Case: "case_1",
		Resource: map[string]any{"owner": "asha", "stops": 3},
		Args:     json.RawMessage(`{"van":"V7","day":4,"share":0.25,"tags":["a","b"],"note":null}`),
	}
}

const (
	both = `@id("both") permit (principal in Role::"analyst", action in [Action::"call", Action::"call_unattended"], resource) when { context.tool == "poolpatrol.get_shift" };`
	half = `@id("half") permit (principal in Role::"analyst", action == Action::"call", resource) when { context.tool == "poolpatrol.get_shift" };`
)

// TestTheAnswerIsWhatThePoliciesSay promises the table of the two questions:
// refused, asked, or let run, and by whom.
func TestTheAnswerIsWhatThePoliciesSay(t *testing.T) {
	for _, tt := range []struct {
		name, text       string
		call, unattended bool
		because          []string
	}{
		{"no policy at all", ``, false, false, []string{policy.NoPermit}},
		{"both permitted", both, true, true, []string{"both"}},
		{"half-written", half, true, false, []string{"half", policy.NoPermit}},
		{"unattended alone is nothing", `@id("u") permit (principal, action == Action::"call_unattended", resource);`,
			false, false, []string{policy.NoPermit, "u"}},
		{"a forbid wins", both + `@id("no") forbid (principal, action, resource);`, false, false, []string{"no"}},
		{"a forbid of the unattended asks a person",
			both + `@id("ask") forbid (principal is Agent, action == Action::"call_unattended", resource);`,
			true, false, []string{"both", "ask"}},
		{"another tool", `@id("x") permit (principal, action == Action::"call", resource) when { context.tool == "poolpatrol.cancel" };`,
			false, false, []string{policy.NoPermit}},
		{"another role", `@id("x") permit (principal in Role::"hr", action == Action::"call", resource);`,
			false, false, []string{policy.NoPermit}},
		{"everything a policy can see",
			`@id("all") permit (principal == Agent::"agent:poolpatrol/investigator", action == Action::"call", resource is Case) when {
			principal is Agent && principal.id like "agent:*" && principal in Role::"analyst" && context.app == "poolpatrol" && context.effect == "read"
			&& !context.taint && context.org == "north" && context.roles.contains("analyst") && context.on_behalf_of == "asha"
			&& resource == Case::"case_1" && resource.owner == context.on_behalf_of && resource.stops < 4
			&& context.args.van == "V7" && context.args.day + 1 == 5 && context.args.share.lessThan(decimal("0.3"))
			&& context.args.tags.containsAll(["b", "a"]) && !(context.args has note) && ["poolpatrol.get_shift"].contains(context.tool) };`,
			true, false, []string{"all", policy.NoPermit}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parse(t, tt.text)
			got := s.Ask(shift())
			if got.Call != tt.call || got.Unattended != tt.unattended || !slices.Equal(got.Because, tt.because) || len(got.Errors) > 0 {
				t.Errorf("got %+v, want call %v, unattended %v, because %q", got, tt.call, tt.unattended, tt.because)
			}
			if got.Digest != s.Digest() {
				t.Errorf("answered in the name of %s, want %s", got.Digest, s.Digest())
			}
		})
	}
}

// TestAnErrorNeverPermits promises that a policy which cannot be evaluated turns
// the answer into a no, whether it is a permit or a forbid, and that the record
// of it repeats no value.
func TestAnErrorNeverPermits(t *testing.T) {
	for _, tt := range []struct{ name, broken, says string }{
		{"a missing attribute", `context.args.nobody == 1`, "there is no attribute nobody"},
		{"a missing attribute of the case", `resource.nobody == 1`, "there is no attribute nobody"},
		{"a text as a number", `context.args.van < 3`, "type error: expected comparable value, got string"},
		{"a decimal as a whole number", `context.args.share < 3`, "type error: expected comparable value, got decimal"},
		{"a text that is no decimal", `decimal(context.args.van) == decimal("1.0")`, "a value could not be read"},
		{"an overflow", `context.args.day * 9223372036854775807 > 1`, "a number is too large"},
	} {
		for _, effect := range []string{"permit", "forbid"} {
			t.Run(effect+" with "+tt.name, func(t *testing.T) {
				s := parse(t, both+`@id("broken") `+effect+` (principal, action in [Action::"call", Action::"call_unattended"], resource) when { `+tt.broken+` };`)
				got := s.Ask(shift())
				if got.Call || got.Unattended {
					t.Errorf("got %+v, want a no", got)
				}
				if want := []string{"broken: " + tt.says}; !slices.Equal(got.Errors, want) ||
					!slices.Equal(got.Because, []string{policy.Failed}) {
					t.Errorf("got errors %q because %q, want %q because %q", got.Errors, got.Because, want, policy.Failed)
				}
			})
		}
	}
}

// TestAQuestionThatMakesNoSenseIsRefused promises a no to whoever asks without
// saying who, for whom, or what, under a policy that permits everything.
func TestAQuestionThatMakesNoSenseIsRefused(t *testing.T) {
	s := parse(t, `@id("all") permit (principal, action in [Action::"call", Action::"call_unattended"], resource);`)
	if got := s.Ask(shift()); !got.Call || !got.Unattended {
		t.Fatalf("got %+v, want the sound question let through", got)
	}
	for name, spoil := range map[string]func(*policy.Question){
		"nobody asks":                func(q *policy.Question) { q.Actor = identity.Actor{} },
		"an actor of no known kind":  func(q *policy.Question) { q.Actor.Kind = "ghost" },
		"an actor of nowhere":        func(q *policy.Question) { q.Actor.Org = "" },
		"for half a person":          func(q *policy.Question) { q.For.ID = "" },
		"for another agent":          func(q *policy.Question) { q.For.Kind = identity.Agent },
		"for someone elsewhere":      func(q *policy.Question) { q.For.Org = "south" },
		"no tool":                    func(q *policy.Question) { q.Tool = "" },
		"a tool with another's name": func(q *policy.Question) { q.Tool = "x.y" },
		"no app":                     func(q *policy.Question) { q.App = "" },
		"no effect":                  func(q *policy.Question) { q.Effect = "" },
		"an effect there is not":     func(q *policy.Question) { q.Effect = "look" },
		"args that are not JSON":     func(q *policy.Question) { q.Args = json.RawMessage(`{"a":`) },
		"args that are a list":       func(q *policy.Question) { q.Args = json.RawMessage(`[]`) },
		"args that are null":         func(q *policy.Question) { q.Args = json.RawMessage(`null`) },
		"a name twice":               func(q *policy.Question) { q.Args = json.RawMessage(`{"a":1,"a":2}`) },
		"a null in a list":           func(q *policy.Question) { q.Args = json.RawMessage(`{"a":[null]}`) },
		"two values":                 func(q *policy.Question) { q.Args = json.RawMessage(`{} {}`) },
		"an attribute of no form":    func(q *policy.Question) { q.Resource = map[string]any{"f": func() {}} },
	} {
		q := shift()
		spoil(&q)
		if got := s.Ask(q); got.Call || got.Unattended || len(got.Errors) != 1 || got.Digest != s.Digest() {
			t.Errorf("%s: got %+v, want a no with its reason", name, got)
		}
	}
}

// TestASetThatIsNotThereRefuses promises that a forgotten set lets nothing pass.
func TestASetThatIsNotThereRefuses(t *testing.T) {
	var s *policy.Set
	if got := s.Ask(shift()); got.Call || got.Unattended || !slices.Equal(got.Because, []string{policy.NoPermit}) {
		t.Errorf("got %+v, want a no", got)
	}
}

// TestAnAgentHasTheRolesOfWhomItActsFor promises that an agent never has more
// than the person it works for, and its own roles only when it works alone.
func TestAnAgentHasTheRolesOfWhomItActsFor(t *testing.T) {
	s := parse(t, `@id("hr") permit (principal in Role::"hr", action == Action::"call", resource);`)
	hr := []identity.Role{identity.HR}
	for _, tt := range []struct {
		name       string
		own, lent  []identity.Role
		kind       identity.Kind
		nobody, ok bool
	}{
		{"agent for hr", nil, hr, identity.Agent, false, true},
		{"agent with hr for an analyst", hr, []identity.Role{identity.Analyst}, identity.Agent, false, false},
		{"agent with hr for someone without roles", hr, nil, identity.Agent, false, false},
		{"agent with hr by itself", hr, nil, identity.Agent, true, true},
		{"agent by itself", nil, nil, identity.Agent, true, false},
		{"person with hr", hr, nil, identity.Person, true, true},
		{"person for someone with hr", nil, hr, identity.Person, false, false},
		{"machine for someone with hr", nil, hr, identity.Machine, false, false},
	} {
		q := shift()
		q.Actor.Kind, q.Actor.Roles, q.For.Roles = tt.kind, tt.own, tt.lent
		if tt.nobody {
			q.For = identity.Actor{}
		}
		if got := s.Ask(q); got.Call != tt.ok {
			t.Errorf("%s: got %+v, want call %v", tt.name, got, tt.ok)
		}
	}
}

// TestManyMayAskAtOnce promises, under the race detector, that one set serves
// questions side by side.
func TestManyMayAskAtOnce(t *testing.T) {
	s := parse(t, both)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := s.Ask(shift()); !got.Unattended {
					t.Errorf("got %+v, want unattended", got)
				}
			}
		})
	}
	wg.Wait()
}
