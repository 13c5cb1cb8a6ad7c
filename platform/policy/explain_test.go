package policy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// TestAnExplanationNamesThePolicyWithItsPlaceAndText promises, for acts: the
// answer that May gives, the policies that decided as they stand in their files,
// and where none did, the nearest with the roles they let.
func TestAnExplanationNamesThePolicyWithItsPlaceAndText(t *testing.T) {
	r := policy.Standard()
	machine := identity.Actor{Kind: identity.Machine, ID: "m", Org: "north", Scopes: []string{"read:cases"}}
	for _, tt := range []struct {
		name             string
		actor            identity.Actor
		act              string
		word             policy.Word
		because, nearest string
	}{
		{"may", person(identity.Officer), "case.close", policy.Yes, "close-cases", ""},
		{"may not", person(identity.Analyst), "case.close", policy.No, "", "close-cases"},
		{"a machine may", machine, "case.read", policy.Yes, "machines-read-cases", ""},
		{"a machine never", machine, "case.close", policy.No, "", "close-cases"},
		{"of two permits", person(identity.Auditor), "case.name", policy.No, "", "administrators-say-whom-a-case-is-about annotate-cases"},
	} {
		e, err := r.ExplainAct(tt.actor, tt.act)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if e.Word != tt.word || idsOf(e.Because) != tt.because || idsOf(e.Nearest) != tt.nearest ||
			(r.May(tt.actor, tt.act) == nil) != (e.Word == policy.Yes) {
			t.Errorf("%s: got %s because %q, nearest %q; want %s because %q, nearest %q", tt.name, e.Word, idsOf(e.Because),
				idsOf(e.Nearest), tt.word, tt.because, tt.nearest)
		}
		for _, s := range append(e.Because, e.Nearest...) {
			if s.Set != "platform" || s.Line == 0 || !strings.HasPrefix(s.Text, `@id("`+s.ID+`")`) || !strings.HasSuffix(s.Text, ";") ||
				s.Says == "" {
				t.Errorf("%s: %+v does not stand as it is written", tt.name, s)
			}
		}
	}
	e, err := r.ExplainAct(person(identity.Analyst), "case.close")
	if err != nil || !strings.Contains(e.Nearest[0].Says, "officer, programme_manager, hr, pass_admin") {
		t.Errorf("got %+v, %v; want the roles that may", e.Nearest, err)
	}
	if _, err := r.ExplainAct(person(identity.Analyst), "case.burn"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an act there is not: %v", err)
	}
	viewing := person(identity.Officer)
	viewing.Viewing = identity.Officer
	if e, err := r.ExplainAct(viewing, "case.close"); err != nil || e.Word != policy.No || len(e.Before) != 1 {
		t.Errorf("who looks as another: got %+v, %v", e, err)
	}
}

func idsOf(all []policy.Stated) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.ID
	}
	return strings.Join(out, " ")
}

// TestACallIsExplainedWithItsArguments promises the same for tools: forbids,
// errors, the tool's own gate and roles, and what becomes of the call.
func TestACallIsExplainedWithItsArguments(t *testing.T) {
	set, err := policy.Parse(exampleFile(t))
	if err != nil {
		t.Fatal(err)
	}
	r := policy.Standard().With("poolpatrol", set)
	cancel := policy.Tool{App: "poolpatrol", Name: "cancel_rides", Effect: "write", Gate: "off",
		Roles: []identity.Role{identity.ProgrammeManager}}
	gated := cancel
	gated.Gate = "approve"
	for _, tt := range []struct {
		name, args       string
		role             identity.Role
		tool             policy.Tool
		word             policy.Word
		because, nearest string
		before, failed   string
	}{
		{"runs", `{"rides":3}`, identity.ProgrammeManager, cancel, policy.Yes, "cancel-a-few-rides cancel-rides", "", "", ""},
		{"asks", `{"rides":7}`, identity.ProgrammeManager, cancel, policy.Asks, "cancel-rides", "", "", ""},
		{"its own gate asks", `{"rides":3}`, identity.ProgrammeManager, gated, policy.Asks, "cancel-a-few-rides cancel-rides", "",
			"gate is approve", ""},
		{"is forbidden", `{"rides":3,"employee":"asha"}`, identity.ProgrammeManager, cancel, policy.No, "never-about-oneself",
			"cancel-rides", "", ""},
		{"fails", `{}`, identity.ProgrammeManager, cancel, policy.Asks, "cancel-a-few-rides cancel-rides", "", "",
			"there is no attribute rides"},
		{"is not for that role", `{"rides":3}`, identity.Analyst, cancel, policy.No, "", "cancel-rides",
			"the tool is for programme_manager", ""},
	} {
		q := shift()
		q.Tool, q.Effect, q.Args, q.For.Roles = "cancel_rides", "write", json.RawMessage(tt.args), []identity.Role{tt.role}
		e, err := r.ExplainCall(q, tt.tool)
		if err != nil {
			t.Fatal(err)
		}
		if e.Word != tt.word || idsOf(e.Because) != tt.because || idsOf(e.Nearest) != tt.nearest ||
			!strings.Contains(strings.Join(e.Before, "; "), tt.before) || !strings.Contains(strings.Join(e.Errors, "; "), tt.failed) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
	if _, err := r.ExplainCall(policy.Question{}, cancel); !fault.Is(err, fault.Invalid) {
		t.Errorf("a question of nobody: %v", err)
	}
}

// TestASimulationSaysWhichCallsGoOtherwise promises counts of all, a list with a
// bound, and for what cannot be told the reason.
func TestASimulationSaysWhichCallsGoOtherwise(t *testing.T) {
	set, err := policy.Parse(exampleFile(t))
	if err != nil {
		t.Fatal(err)
	}
	now := policy.Standard().With("poolpatrol", set)
	next, err := now.Replace(policy.File{Name: "poolpatrol/p.cedar", Text: []byte(`
		@id("few") permit (principal in Role::"programme_manager", action in [Action::"call", Action::"call_unattended"], resource)
		when { context.tool == "poolpatrol.cancel_rides" && context.args.rides <= 2 };`)})
	if err != nil {
		t.Fatal(err)
	}
	tool := policy.Tool{App: "poolpatrol", Name: "cancel_rides", Effect: "write", Gate: "off",
		Roles: []identity.Role{identity.ProgrammeManager}}
	past := func(id, args string, change func(*policy.Past)) policy.Past {
		q := shift()
		q.Tool, q.Effect, q.Args, q.For.Roles = "cancel_rides", "write", json.RawMessage(args), []identity.Role{identity.ProgrammeManager}
		p := policy.Past{Call: id, At: time.Unix(0, 0).UTC(), Question: q, Tool: tool}
		if change != nil {
			change(&p)
		}
		if p.Was == "" {
			p.Was = outcome(tool, now.App("poolpatrol").Ask(q), false)
		}
		return p
	}
	calls := []policy.Past{
		past("one", `{"rides":1}`, nil), past("three", `{"rides":3}`, nil), past("seven", `{"rides":7}`, nil),
		past("lost", ``, func(p *policy.Past) { p.NoArgs, p.Was = "the arguments were erased", policy.Yes }),
		past("outside", `{"rides":1}`, func(p *policy.Past) { p.Outsider, p.Was = true, policy.Asks }),
		// refused with any arguments
		past("refused", `{"rides":1}`, func(p *policy.Past) { p.Question.Tool, p.Was, p.NoArgs = "burn", policy.No, "gone" }),
	}
	got := next.Simulate(calls, 1)
	want := []policy.Count{{Was: policy.Yes, Would: policy.Yes, Calls: 1}, {Was: policy.Yes, Would: policy.No, Calls: 1},
		{Was: policy.Asks, Would: policy.No, Calls: 1},
		{Was: policy.Asks, Would: policy.Asks, Calls: 1}, {Was: policy.No, Would: policy.No, Calls: 1}}
	if got.Calls != 6 || !slices.Equal(got.Counts, want) || len(got.Changed) != 1 || got.More != 1 || got.Digest != next.Digest() {
		t.Errorf("got %+v", got)
	}
	if c := got.Changed[0]; c.Call != "three" || c.Was != policy.Yes || c.Would != policy.No ||
		!slices.Equal(c.Because, []string{policy.NoPermit}) {
		t.Errorf("got %+v", c)
	}
	got.Note("the arguments were erased", 2)
	got.Note("the tool is gone", 1)
	if !slices.Equal(got.Untold, []policy.Untold{{Why: "the arguments were erased", Calls: 3}, {Why: "the tool is gone", Calls: 1}}) {
		t.Errorf("got %+v", got.Untold)
	}
}
