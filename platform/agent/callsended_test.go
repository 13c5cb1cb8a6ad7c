package agent_test

import (
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// heard is when a workflow got signals of a name.
func heard(t *testing.T, engine client.Client, id, name string) (at []time.Time) {
	t.Helper()
	it := engine.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == name {
			at = append(at, e.GetEventTime().AsTime())
		}
	}
	return at
}

// TestTheCaseHearsHowItsActEnded promises that a case whose people approved something is
// told at once that it was done, could not be, was undone, or that nobody can say; once
// each, and in the transaction in which the act ends.
func TestTheCaseHearsHowItsActEnded(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.SendTimeout = 2 * time.Second // after which nobody knows
		c.ChangeTool = func(tl *tool.Tool) {
			if tl.Name == "letter" {
				tl.Undo = 10 * time.Minute
			}
		}
	})
	r.other.Break = func(e agenttest.Effect, _ int) agenttest.Breakage {
		if e.What == "wire" {
			return agenttest.AnswerLost
		}
		return agenttest.Whole
	}
	r.run()
	c := r.open("clerk", "letter waits") // for a person: the case stays open
	r.asked(c.ID, 1)
	its, _, err := r.Cases.Wake(c)
	if err != nil {
		t.Fatal(err)
	}
	engine := durabletest.Dial(t)
	told := 0
	for _, one := range []struct {
		tool, word string
		want       act.State
		by         []identity.Actor
	}{
		{"note", "word", act.Done, []identity.Actor{olga}},
		{"note", "never", act.Failed, []identity.Actor{olga}},
		{"wire", "word", act.Unknown, []identity.Actor{olga, {Kind: identity.Person, ID: "otto", Name: "Otto", Org: north,
			Roles: olga.Roles}}},
	} {
		asked := r.proposes(asha, one.tool, one.word, string(c.ID))
		for _, by := range one.by {
			if err := r.verdict(by, asked, review.Approve, ""); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.became(asha, asked.Proposal); got.Act != one.want {
			t.Fatalf("%s %s became %s, want %s", one.tool, one.word, got.Act, one.want)
		}
		told++
		r.isTold(t, engine, its, casefile.WakeSignalName, told, r.endOf(asked))
	}
	asked := r.proposes(asha, "letter", "undone", string(c.ID))
	before := len(heard(t, engine, its, review.SignalName))
	if err := r.verdict(olga, asked, review.Approve, ""); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the case hears of the approval", func() bool { return len(heard(t, engine, its, review.SignalName)) == before+1 })
	if _, err := r.Reviews.Undo(t.Context(), olga, review.Decision{ID: "undo-told-1", Proposal: asked.Proposal,
		ShownSHA256: asked.ShownSHA256, Verdict: review.Undo, Reason: "a mistake"}); err != nil {
		t.Fatal(err)
	}
	r.isTold(t, engine, its, review.SignalName, before+2, r.endOf(asked))
}

// endOf is when the act of a proposal ended.
func (r *rig) endOf(a agent.Asked) time.Time {
	r.t.Helper()
	return query[time.Time](r.t, r.db, `select a.ended_at from gavel.act a where a.proposal = $1`, a.Proposal)
}

// isTold waits until a workflow has got so many signals, and says how long after a moment
// the last came.
func (r *rig) isTold(t *testing.T, engine client.Client, id, name string, want int, since time.Time) {
	t.Helper()
	var at []time.Time
	wait.Until(t, "the case is told", func() bool {
		at = heard(t, engine, id, name)
		return len(at) >= want
	})
	if len(at) != want {
		t.Errorf("the case was told %d times, want %d", len(at), want)
	}
	wait.Within(t, "word of an act's end", at[len(at)-1].Sub(since), 2*time.Second)
}
