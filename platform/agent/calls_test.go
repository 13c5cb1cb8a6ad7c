package agent_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// call asks for a tool from outside any run.
func (r *rig) call(by identity.Actor, name, word, on string) (agent.Taken, error) {
	args, err := json.Marshal(map[string]string{"word": word})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.Calls.Take(r.t.Context(), by, agent.Call{App: r.app, Tool: name, Args: args, Case: on, Via: "mcp"})
}

// idle opens a case of the platform's own, which no worker here closes.
func (r *rig) idle() casefile.Case {
	r.t.Helper()
	c, _, err := r.Cases.Open(r.t.Context(), asha, casefile.Opening{App: casefile.General().App, Key: rand.Text(), Title: "nothing"})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// proposes is call, where people are to decide.
func (r *rig) proposes(by identity.Actor, name, word, on string) agent.Asked {
	r.t.Helper()
	taken, err := r.call(by, name, word, on)
	if err != nil {
		r.t.Fatal(err)
	}
	if taken.Asked == nil || taken.Result != nil {
		r.t.Fatalf("%s %s was not proposed: %s", name, word, taken.Result)
	}
	return *taken.Asked
}

// verdict decides one proposal.
func (r *rig) verdict(by identity.Actor, a agent.Asked, v review.Verdict, edit string) error {
	d := review.Decision{ID: "dec-" + a.Proposal + "-" + by.ID + string(v), Proposal: a.Proposal, ShownSHA256: a.ShownSHA256, Verdict: v,
		Reason: "because"}
	if edit != "" {
		d.Edit = json.RawMessage(edit)
	}
	_, err := r.Reviews.Decide(r.t.Context(), by, d)
	return err
}

// became waits until an act has ended.
func (r *rig) became(by identity.Actor, proposal string) agent.Asked {
	r.t.Helper()
	var a agent.Asked
	wait.Try(r.t, func() (err error) {
		if a, err = r.Calls.Asked(r.t.Context(), by, proposal); err != nil {
			r.t.Fatal(err)
		}
		if !a.Act.Ended() {
			return fmt.Errorf("%s is %s and its act %q", proposal, a.State, a.Act)
		}
		return nil
	})
	return a
}

// records counts the log's entries of a kind.
func (r *rig) records(kind string) int {
	r.t.Helper()
	return query[int](r.t, r.db, `select count(*) from gavel.record where kind = $1`, kind)
}

// TestACallFromOutsideWithAnEffectIsOnlyEverProposed promises that no tool with
// an effect runs for a caller outside of a run, whatever its own gate and policy
// say, and that what only looks answers at once.
func TestACallFromOutsideWithAnEffectIsOnlyEverProposed(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	taken, err := r.call(asha, "look", "a", c.Ref)
	if err != nil || string(taken.Result) != `{"text":"seen a"}` || taken.Asked != nil {
		t.Errorf("a look-up: got %s, %v, want the answer", taken.Result, err)
	}
	if mail, err := r.call(asha, "mail", "a", c.Ref); err != nil || !mail.Outside {
		t.Errorf("what was written outside is not said to be: %+v, %v", mail, err)
	}
	if n := r.records("policy"); n != 2 {
		t.Errorf("%d records of two look-ups, want 2", n)
	}
	if _, err := r.call(asha, "look", "a", ""); !fault.Is(err, fault.Refused) {
		t.Errorf("a tool that needs a case, without one: %v, want refused", err)
	}
	// of which enrol, post and fax run unattended for agents
	for _, name := range []string{"enrol", "note", "post", "letter", "fax", "wire"} {
		a := r.proposes(asha, name, "x", string(c.ID))
		if a.State != review.Open || a.Gate != review.ByAnother || a.Case != string(c.ID) || a.Act != "" {
			t.Errorf("%s: got %+v, want it to wait for somebody else", name, a)
		}
	}
	if n := query[int](t, r.db, `select count(*) from gavel.act`); n != 0 || len(r.other.Log()) != 0 {
		t.Errorf("%d acts and %v on the other side, want none", n, r.other.Log())
	}
	if n := query[int](t, r.db, `select count(*) from gavel.case_entry where case_id = $1 and kind = 'proposed'`, c.ID); n != 6 {
		t.Errorf("%d notes of proposals on the case, want 6", n)
	}
}

// TestWhatWasApprovedIsCarriedOutOnce promises an act for an approval, on the
// real engine, once; and none for any other end.
func TestWhatWasApprovedIsCarriedOutOnce(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.idle()
	on := string(c.ID)
	yes, no, back, edited := r.proposes(asha, "letter", "yes", on), r.proposes(asha, "letter", "no", on),
		r.proposes(asha, "letter", "back", on), r.proposes(asha, "letter", "from", on)
	if err := r.verdict(asha, yes, review.Approve, ""); !fault.Is(err, fault.Refused) {
		t.Errorf("the one who asked approves: %v, want refused", err)
	}
	for _, d := range []struct {
		asked agent.Asked
		v     review.Verdict
		edit  string
	}{{no, review.Reject, ""}, {back, review.SendBack, ""}, {edited, review.Edit, `{"word":"to"}`}, {yes, review.Approve, ""}} {
		if err := r.verdict(olga, d.asked, d.v, d.edit); err != nil {
			t.Fatal(err)
		}
	}
	done := r.became(asha, yes.Proposal)
	if done.Act != act.Done || string(done.Result) != `{"text":"sent yes"}` || done.ByName != "Olga" {
		t.Errorf("got %+v, want it done", done)
	}
	if got := r.became(asha, edited.Proposal); got.Act != act.Done || string(got.Result) != `{"text":"sent to"}` {
		t.Errorf("edited: got %+v, want it done as edited", got)
	}
	time.Sleep(300 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	words := map[string]int{}
	for _, e := range r.other.Log() {
		words[e.Word]++
	}
	if len(words) != 2 || words["yes"] != 1 || words["to"] != 1 {
		t.Errorf("the other side had %v, want yes and to, once each", words)
	}
	r.keep("carried_approved", yes)
	r.keep("carried_rejected", no)
}

// keep writes the history of a call down, with -record.
func (r *rig) keep(name string, a agent.Asked) {
	r.t.Helper()
	if !*record {
		return
	}
	engine := durabletest.Dial(r.t)
	id := query[string](r.t, r.db, `select wake::json->>'workflow_id' from gavel.proposal where id = $1`, a.Proposal)
	if err := engine.GetWorkflow(r.t.Context(), id, "").Get(r.t.Context(), nil); err != nil {
		r.t.Fatal(err)
	}
	durabletest.Record(r.t, engine, id, histories+"/"+name+".json")
}

// TestReplayCatchesAChangedCarry: one step more at the beginning is noticed.
func TestReplayCatchesAChangedCarry(t *testing.T) {
	changed := func(ctx workflow.Context, c agent.Carry) error {
		if err := workflow.Sleep(ctx, time.Second); err != nil {
			return err
		}
		return agent.CarryOut(ctx, c)
	}
	err := durabletest.ReplayFile(t, histories+"/carried_approved.json", durable.Workflow{Name: agent.CarryOutName, Func: changed})
	if err == nil || !strings.Contains(err.Error(), "TMPRL1100") {
		t.Errorf("the replayer says %v", err)
	}
}

// TestADecisionBeforeTheEngineKnowsIsCarriedOutWhenItDoes promises that people
// decide while the engine is away, and that an expired proposal does nothing.
func TestADecisionBeforeTheEngineKnowsIsCarriedOutWhenItDoes(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.Clock = durable.Clock{Epoch: time.Now(), Speed: 86_400} })
	c := r.idle()
	early := r.proposes(asha, "letter", "early", string(c.ID))
	if err := r.verdict(olga, early, review.Approve, ""); err != nil {
		t.Fatal(err)
	}
	late := r.proposes(asha, "letter", "late", string(c.ID)) // fourteen days are fourteen seconds
	r.run()
	if got := r.became(asha, early.Proposal); got.Act != act.Done {
		t.Errorf("got %+v, want it done", got)
	}
	wait.Try(t, func() error {
		a, err := r.Calls.Asked(t.Context(), asha, late.Proposal)
		if err != nil {
			t.Fatal(err)
		}
		if a.State != review.Expired {
			return fmt.Errorf("%s is still %s", late.Proposal, a.State)
		}
		return nil
	})
	if n := query[int](t, r.db, `select count(*) from gavel.notice where proposal = $1`, late.Proposal); n == 0 {
		t.Error("nobody was reminded of what nobody decided")
	}
	if log := r.other.Log(); len(log) != 1 || log[0].Word != "early" {
		t.Errorf("the other side had %v, want early alone", log)
	}
	r.keep("carried_out", early)
	r.keep("carried_expired", late)
}

// TestTheSameCallTwiceIsOneProposal promises that a program which sends a call
// again, or many times at once, asks people once; that what they have settled is
// not asked again; and that what was sent back may be.
func TestTheSameCallTwiceIsOneProposal(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	on := string(c.ID)
	var wg sync.WaitGroup
	seen := sync.Map{}
	for range 8 {
		wg.Go(func() {
			if taken, err := r.call(asha, "letter", "a", on); err != nil {
				t.Error(err)
			} else {
				seen.Store(taken.Asked.Proposal, true)
			}
		})
	}
	wg.Wait()
	n := 0
	seen.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Fatalf("%d proposals of one call, want 1", n)
	}
	first := r.proposes(asha, "letter", "a", on)
	if other := r.proposes(asha, "letter", "b", on); other.Proposal == first.Proposal {
		t.Error("other arguments are the same proposal")
	}
	if err := r.verdict(olga, first, review.SendBack, ""); err != nil {
		t.Fatal(err)
	}
	second := r.proposes(asha, "letter", "a", on)
	if second.Proposal == first.Proposal {
		t.Error("what was sent back cannot be asked anew")
	}
	if err := r.verdict(olga, second, review.Reject, ""); err != nil {
		t.Fatal(err)
	}
	before := r.records("refusal")
	if _, err := r.call(asha, "letter", "a", on); !fault.Is(err, fault.Refused) {
		t.Errorf("what was rejected is asked again: %v, want refused", err)
	}
	if n := r.records("refusal"); n != before+1 {
		t.Errorf("%d records of the refusal, want 1", n-before)
	}
}

// TestACallWithoutACaseGetsOne promises a case of the platform's own for a call
// that names none, one for the same call, and none for who may not open cases.
func TestACallWithoutACaseGetsOne(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.Policies = machinePolicies(c.App) })
	a := r.proposes(asha, "letter", "a", "")
	one, err := r.Cases.Get(t.Context(), north, casefile.CaseID(a.Case))
	if err != nil || one.App != casefile.General().App {
		t.Fatalf("got case %+v, %v, want one of the platform's own", one, err)
	}
	if again := r.proposes(asha, "letter", "a", ""); again.Proposal != a.Proposal {
		t.Errorf("the same call again is %s in %s, want %s", again.Proposal, again.Case, a.Proposal)
	}
	if _, err := r.call(machine("propose:"+r.app), "letter", "a", ""); !fault.Is(err, fault.Refused) {
		t.Errorf("a machine opens a case: %v, want refused", err)
	}
	m := r.proposes(machine("propose:"+r.app), "letter", "a", one.Ref)
	if m.Proposal == a.Proposal || m.RequestedBy != "machine:feeder" {
		t.Errorf("got %+v, want a proposal of the machine's own", m)
	}
}

func machine(scopes ...string) identity.Actor {
	return identity.Actor{Kind: identity.Machine, ID: "machine:feeder", Name: "feeder", Org: north, Scopes: scopes}
}

// machinePolicies are the yard's, and let a token with the scope call.
func machinePolicies(app string) string {
	return strings.ReplaceAll(agenttest.Policies, "yard", app) + `
@id("machines-call")
permit (principal is Machine, action == Action::"call", resource) when { context.app == "` + app + `" && context.scopes.contains("propose:` + app + `") };
@id("machines-look")
permit (principal is Machine, action in [Action::"call", Action::"call_unattended"], resource) when { context.app == "` + app + `" && context.effect == "read" };`
}

// TestNobodyCallsWhatIsNotTheirs promises a refusal, on record, for whoever lacks
// the role or the scope, is told no by policy, looks as another, or is neither a
// person nor a machine; and that such a tool is not offered to them.
func TestNobodyCallsWhatIsNotTheirs(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.Policies = machinePolicies(c.App) + `@id("not-pavel") forbid (principal == Person::"pavel", action, resource);`
		c.ChangeTool = func(t *tool.Tool) {
			if t.Name == "note" {
				t.Gate, t.Deciders = tool.Confirm, nil
			}
			t.Roles = append([]identity.Role{identity.HR}, t.Roles...)
		}
	})
	c := r.idle()
	viewing, pavelHR := asha, pavel
	viewing.Viewing = identity.Analyst
	pavelHR.Roles = []identity.Role{identity.HR}
	agentActor := identity.Actor{Kind: identity.Agent, ID: "agent:yard/clerk", Org: north, Roles: []identity.Role{identity.Analyst}}
	for _, tt := range []struct {
		who  string
		by   identity.Actor
		tool string
		kind fault.Kind
	}{
		{"nobody", identity.Actor{}, "look", fault.SignIn},
		{"an officer, who lacks the role", olga, "look", fault.Refused},
		{"an officer, who lacks the role", olga, "letter", fault.Refused},
		{"somebody policy forbids", pavelHR, "letter", fault.Refused},
		{"somebody who looks as an analyst", viewing, "letter", fault.Refused},
		{"an agent", agentActor, "letter", fault.Refused},
		{"Gavel itself", identity.Gavel(north), "letter", fault.Refused},
		{"a machine that may only read", machine("read:" + r.app), "letter", fault.Refused},
		{"a machine of another application", machine("propose:other", "read:cases"), "look", fault.Refused},
		{"a machine, where a person must confirm", machine("propose:" + r.app), "note", fault.Refused},
	} {
		before := r.records("refusal")
		_, err := r.call(tt.by, tt.tool, "a", string(c.ID))
		if !fault.Is(err, tt.kind) {
			t.Errorf("%s uses %s: %v, want %s", tt.who, tt.tool, err, tt.kind)
		}
		if tt.kind == fault.Refused && r.records("refusal") != before+1 {
			t.Errorf("%s was refused %s and it is not on record", tt.who, tt.tool)
		}
		for _, o := range r.Calls.Offers(tt.by) {
			if o.Name == tt.tool {
				t.Errorf("%s is offered %s", tt.who, tt.tool)
			}
		}
	}
	for by, want := range map[*identity.Actor]int{&asha: 8, ptr(machine("read:" + r.app)): 2, ptr(machine("propose:" + r.app)): 7} {
		if got := r.Calls.Offers(*by); len(got) != want {
			t.Errorf("%s %v is offered %d tools, want %d", by.ID, by.Scopes, len(got), want)
		}
	}
	if a := r.proposes(asha, "note", "mine", string(c.ID)); a.Gate != review.ByOneself {
		t.Errorf("what the person confirms is for %s to decide", a.Gate)
	}
	if n := query[int](t, r.db, `select count(*) from gavel.proposal`); n != 1 {
		t.Errorf("%d proposals, want the last alone", n)
	}
}

func ptr[T any](v T) *T { return &v }

// TestOrganisationsMeetNothingOfEachOthersCalls promises that neither case,
// proposal nor outcome of one organisation is found by another.
func TestOrganisationsMeetNothingOfEachOthersCalls(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	a := r.proposes(asha, "letter", "a", string(c.ID))
	stranger := asha
	stranger.Org = postgrestest.South // the same id, elsewhere
	if _, err := r.call(stranger, "letter", "a", string(c.ID)); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation proposes on the case: %v, want not found", err)
	}
	if _, err := r.Calls.Asked(t.Context(), stranger, a.Proposal); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation reads the proposal: %v, want not found", err)
	}
	if err := r.verdict(identity.Actor{Kind: identity.Person, ID: "sam", Org: postgrestest.South, Roles: []identity.Role{identity.Officer}},
		a, review.Approve, ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation decides: %v, want not found", err)
	}
	gate := identity.Actor{Kind: identity.Person, ID: "gopal", Org: north, Roles: []identity.Role{identity.Gate}}
	if _, err := r.Calls.Asked(t.Context(), gate, a.Proposal); !fault.Is(err, fault.NotFound) {
		t.Errorf("somebody who may not read proposals reads it: %v, want not found", err)
	}
}

// TestNobodyFloodsPeopleWithProposals promises a bound on what waits of one
// requester.
func TestNobodyFloodsPeopleWithProposals(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	for i := range 101 {
		_, err := r.call(asha, "letter", "w"+string(rune('a'+i/26))+string(rune('a'+i%26)), string(c.ID))
		if i < 100 && err != nil {
			t.Fatal(err)
		}
		if i == 100 && !fault.Is(err, fault.TooMany) {
			t.Errorf("the 101st: %v, want too many", err)
		}
	}
	if _, err := r.call(asha, "letter", "waa", string(c.ID)); err != nil {
		t.Errorf("what waits already is still found: %v", err)
	}
}

// TestAClosedOrForeignCaseTakesNoProposal promises that a call goes to a case of
// its application, or the platform's own, that is open.
func TestAClosedOrForeignCaseTakesNoProposal(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "look a")
	r.closed(c.ID)
	if _, err := r.call(asha, "letter", "a", string(c.ID)); !fault.Is(err, fault.Conflict) {
		t.Errorf("a closed case: %v, want conflict", err)
	}
	foreign := rigOn(t, r.db, nil).open("clerk", "nothing")
	if _, err := r.call(asha, "look", "a", string(foreign.ID)); !fault.Is(err, fault.Invalid) {
		t.Errorf("another application's case: %v, want invalid", err)
	}
	if _, err := r.call(asha, "letter", "a", "case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"); !fault.Is(err, fault.NotFound) {
		t.Errorf("no such case: %v, want not found", err)
	}
	if _, err := r.Calls.Take(context.Background(), asha, agent.Call{App: r.app, Tool: "letter", Args: []byte(`{"word":7}`),
		Case: string(c.ID), Via: "mcp"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("wrong arguments: %v, want invalid", err)
	}
	if _, err := r.call(asha, "nonsense", "a", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("no such tool: %v, want not found", err)
	}
}

// TestABundleHoldsCallsFromOutside promises that what was asked for from outside
// any run leaves with its case, with the policies that were asked, and verifies;
// and that taking the proposal out is noticed.
func TestABundleHoldsCallsFromOutside(t *testing.T) {
	s := staged(t)
	r := rigOn(t, s.DB, func(c *agenttest.Config) { c.Vault = s.Vault })
	r.run()
	c := r.idle()
	if _, err := r.call(asha, "look", "a", c.Ref); err != nil {
		t.Fatal(err)
	}
	if _, err := r.call(olga, "letter", "a", c.Ref); !fault.Is(err, fault.Refused) {
		t.Fatal(err)
	}
	yes := r.proposes(asha, "letter", "secretword", c.Ref)
	if err := r.verdict(olga, yes, review.Approve, ""); err != nil {
		t.Fatal(err)
	}
	r.became(asha, yes.Proposal)
	r.proposes(asha, "letter", "waits", c.Ref)
	data := s.Export(t, c.ID)
	if rep := verified(data, s); rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s: %v", rep.Verdict(), rep.Findings())
	}
	mine := bundletest.TakeApart(t, data)
	if n := len(bundletest.Lines(mine.Files["decisions/proposals.ndjson"])); n != 2 {
		t.Errorf("%d proposals in the bundle, want 2", n)
	}
	set := first(t, mine, "policies/sets/")
	bundletest.Tamper(t, []bundletest.Tampering{
		bundletest.Insider("take the proposal of a call from outside out", "decisions/proposals.ndjson", mine, s.Secret,
			func(_ testing.TB, f *bundletest.Forgery) {
				lines := bundletest.Lines(f.Files["decisions/proposals.ndjson"])
				f.Files["decisions/proposals.ndjson"] = append(bytes.Clone(lines[0]), '\n')
			}),
		bundletest.Insider("take the policies that it was asked of out", set, mine, s.Secret,
			func(_ testing.TB, f *bundletest.Forgery) { delete(f.Files, set) }),
	}, func(data []byte) *bundle.Report { return verified(data, s) })
}

// TestGavelsOwnCodeOnlyEverProposes promises that an application's own code, which
// asks in Gavel's name, needs policy's leave, that whatever it asks for is decided
// by people however much waits already, and that nobody else passes for it.
func TestGavelsOwnCodeOnlyEverProposes(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.Policies = agenttest.Policies + `
@id("yard-own")
permit (principal is System, action in [Action::"call", Action::"call_unattended"], resource) when { context.tool == "` + c.App + `.post" };`
	})
	gavel := identity.Gavel(north)
	c := r.idle()
	for n := range 101 { // one more than anybody else may have waiting
		r.proposes(gavel, "post", strings.Repeat("a", n+1), c.Ref)
	}
	if _, err := r.call(gavel, "letter", "a", c.Ref); !fault.Is(err, fault.Refused) {
		t.Errorf("without policy's leave: got %v, want it refused", err)
	}
	other := gavel
	other.ID = "somebody"
	if _, err := r.call(other, "post", "b", c.Ref); !fault.Is(err, fault.Refused) {
		t.Errorf("another system: got %v, want it refused", err)
	}
	if got := r.other.Log(); len(got) != 0 {
		t.Errorf("it was done: %v", got)
	}
}
