package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
)

// restate gives a case another status behind everybody's back.
func (r *rig) restate(id casefile.CaseID, status string) {
	r.t.Helper()
	r.admin(`update gavel.case set status = $2 where id = $1`, id, status)
}

// stamps asks for a tool whose status is the record's, with one that was made up.
func (r *rig) stamps(name, word string, on casefile.CaseID) (agent.Asked, error) {
	args, err := json.Marshal(map[string]string{"word": word, "status": "forged"})
	if err != nil {
		r.t.Fatal(err)
	}
	taken, err := r.Calls.Take(r.t.Context(), asha, agent.Call{App: r.app, Tool: name, Args: args, Case: string(on), Via: "mcp"})
	if err != nil {
		return agent.Asked{}, err
	}
	return *taken.Asked, nil
}

// TestWhatIsReadOnlyRunsAsItWasReadOrNotAtAll promises of calls from outside that people
// read what the record says, whatever who asks has written; that it is carried out so;
// and that nothing is done, inside or outside, once the record says something else, with
// the reason on the act.
func TestWhatIsReadOnlyRunsAsItWasReadOrNotAtAll(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.Bound = true })
	kept, moved := r.idle(), r.idle()
	asked := map[string]agent.Asked{}
	for _, name := range []string{"stamp", "courier"} {
		for word, c := range map[string]casefile.Case{"kept": kept, "moved": moved} {
			r.restate(c.ID, "fresh")
			a, err := r.stamps(name, word, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"status":"fresh","word":"` + word + `"}`; string(a.Args) != want {
				t.Errorf("%s: people are asked about %s, want %s", name, a.Args, want)
			}
			if err := r.verdict(olga, a, review.Edit, `{"status":"forged","word":"x"}`); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: a person edits it: %v", name, err)
			}
			if err := r.verdict(olga, a, review.Approve, ""); err != nil {
				t.Fatal(err)
			}
			asked[name+" "+word] = a
		}
	}
	late, err := r.stamps("stamp", "late", moved.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.restate(moved.ID, "stale")
	if err := r.verdict(olga, late, review.Approve, ""); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "(status)") {
		t.Errorf("approved after the record has changed: %v, want a conflict over status", err)
	}
	if err := r.verdict(olga, late, review.Reject, ""); err != nil {
		t.Errorf("nor can it be rejected: %v", err)
	}
	r.run()
	for what, a := range asked {
		got := r.became(asha, a.Proposal)
		switch {
		case strings.HasSuffix(what, "kept") && (got.Act != act.Done || !strings.Contains(string(got.Result), "kept fresh")):
			t.Errorf("%s: got %s %s %s, want it done as it was read", what, got.Act, got.Result, got.Why)
		case strings.HasSuffix(what, "moved") && (got.Act != act.Failed || !strings.Contains(got.Why, "(status)")):
			t.Errorf("%s: got %s %s %s, want it not done because of its status", what, got.Act, got.Result, got.Why)
		}
	}
	if log := r.other.Log(); len(log) != 1 || log[0].Word != "kept fresh" {
		t.Errorf("the other side had %v, want what was read, once", log)
	}
	if _, err := r.stamps("stamp", "unheard", kept.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("what the record does not know is proposed: %v", err)
	}
}

// TestAnAgentsReadOnlyArgumentsAreTheRecords promises the same of a run's calls: what the
// record does not bear out is told the model; what was carried out is nobody's edit to it;
// and the run replays byte for byte.
func TestAnAgentsReadOnlyArgumentsAreTheRecords(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.Bound, c.Change = true, func(s *agent.Spec) { s.Tools = append(s.Tools, "stamp") }
	})
	r.run()
	c := r.open("clerk", "stamp unheard | stamp a | look b")
	r.asked(c.ID, 1)
	status := query[string](t, r.db, `select status from gavel.case where id = $1`, c.ID)
	got := query[string](t, r.db, `select args from gavel.proposal where case_id = $1`, c.ID)
	if want := `{"status":"` + status + `","word":"a"}`; status == "" || got != want {
		t.Errorf("people are asked about %s, want %s", got, want)
	}
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	told := r.told(c.ID)
	if !strings.Contains(told, "The record does not bear this out: nobody has heard of it") ||
		!strings.Contains(told, "enrolled a "+status) {
		t.Errorf("the model was told\n%s", told)
	}
	if strings.Contains(told, "A person changed the arguments") {
		t.Error("what the record says is taken for a person's edit")
	}
	for _, run := range r.allRuns() {
		again, err := r.Store.Replay(t.Context(), asha, r.Registry, run)
		if err != nil || !again.Pass() {
			t.Errorf("%s does not replay: %v, %+v", run, err, again.Steps)
		}
	}
}
