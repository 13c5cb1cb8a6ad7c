package agent_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

var record = flag.Bool("record", false, "write the histories under testdata anew")

const histories = "testdata/history"

// generation ends the names of the histories that are recorded now: agents work in
// stretches. Those without it are from before, a turn at a time, and replay beside them.
const generation = "-2.json"

// TestRecordHistories makes the histories that the replays stand on. It runs the
// cases always, and writes them down with -record.
func TestRecordHistories(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.Clock = durable.Clock{Epoch: time.Now(), Speed: 86_400} // a day a second
		c.Budget.Calls = 10
	})
	r.run()
	engine := durabletest.Dial(t)
	keep := func(name string, c casefile.Case) {
		r.closed(c.ID)
		if !*record {
			return
		}
		// The workflow closed the case, and ends itself a moment later.
		if err := engine.GetWorkflow(t.Context(), r.app+"/north/"+c.Key, "").Get(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		durabletest.Record(t, engine, r.app+"/north/"+c.Key, histories+"/"+name+generation)
	}
	decided := func(who, script string, v review.Verdict, edit string) casefile.Case {
		c := r.open(who, script)
		r.asked(c.ID, 1)
		r.decide(c.ID, olga, v, edit)
		return c
	}
	keep("approved", decided("clerk", "letter a", review.Approve, ""))
	keep("rejected", decided("clerk", "letter a | post b", review.Reject, ""))
	keep("edited", decided("clerk", "letter a", review.Edit, `{"word":"b"}`))
	keep("sub_agents", decided("foreman", "clerk(look a); clerk(look b; post x) | letter c; look d", review.Approve, ""))
	keep("handed_back", decided("foreman", "clerk(look a | letter b); clerk(look c | look d) | post e", review.Approve, ""))
	keep("side_by_side", decided("foreman", "letter a; clerk(look b); post c", review.Approve, ""))
	keep("expired", r.open("clerk", "letter a")) // fourteen days later nobody has decided
	keep("out_of_budget", r.open("clerk", "12*look a"))

	k := r.converse(2)
	k.say("m1", "And this?", 1)
	k.waits(2)
	k.say("m2", "And that?", 1)
	k.waits(3)
	k.end()
	if *record {
		first := query[string](t, r.db, `select workflow_run from gavel.run where agent = 'host'`)
		durabletest.RecordRun(t, engine, k.id, first, histories+"/carried_over"+generation)
		durabletest.Record(t, engine, k.id, histories+"/carried_on"+generation)
	}
}

func TestRecordedRunsStillReplay(t *testing.T) {
	durabletest.Replay(t, histories, agenttest.Workflows()...)
}

// TestReplayCatchesAChangedLoop: one step more at the beginning is noticed.
func TestReplayCatchesAChangedLoop(t *testing.T) {
	changed := func(ctx workflow.Context, in casefile.Input) error {
		if err := workflow.Sleep(ctx, time.Second); err != nil {
			return err
		}
		return agenttest.Workflow(ctx, in)
	}
	for _, name := range []string{"sub_agents.json", "sub_agents" + generation} {
		err := durabletest.ReplayFile(t, histories+"/"+name, durable.Workflow{Name: agenttest.WorkflowName, Func: changed})
		if err == nil || !strings.Contains(err.Error(), "TMPRL1100") {
			t.Errorf("of %s the replayer says %v", name, err)
		}
	}
}

// TestAChangedGateOrPromptDoesNotBreakARunningCase deploys a build in the middle
// of a case: another prompt, and a gate where there was none. The run keeps the
// prompt it started with; the gate holds from the next call on.
func TestAChangedGateOrPromptDoesNotBreakARunningCase(t *testing.T) {
	r := newRig(t, nil)
	stop := r.runUntil()
	c := r.open("clerk", "letter a | post b")
	r.asked(c.ID, 1)
	spec := query[string](t, r.db, `select encode(spec, 'hex') from gavel.run`)
	stop()

	later := rigOn(t, r.db, func(cfg *agenttest.Config) {
		cfg.App = r.app
		cfg.Change = func(s *agent.Spec) { s.Instructions = "Do nothing at all." }
		cfg.ChangeTool = func(t *tool.Tool) {
			if t.Name == "post" {
				t.Gate = tool.Approve
			}
		}
	})
	later.run()
	later.decide(c.ID, olga, review.Approve, "")
	later.asked(c.ID, 1) // the post, which needed nobody before
	later.decide(c.ID, olga, review.Approve, "")
	if got := later.closed(c.ID); got.Status != "done" {
		t.Errorf("the case ended %q", got.Status)
	}
	if got := query[string](t, r.db, `select encode(spec, 'hex') from gavel.run`); got != spec {
		t.Error("the run's spec is not the one it started with")
	}
	for _, seen := range later.model.Log() {
		if strings.Contains(seen.System, "Do nothing at all.") {
			t.Error("the running case was told the new prompt")
		}
	}
	again := later.open("clerk", "look a")
	later.closed(again.ID)
	if log := later.model.Log(); !strings.Contains(log[len(log)-1].System, "Do nothing at all.") {
		t.Error("a new case was told the old prompt")
	}
}
