package agent_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// TestABadModelEndsInAPlainReason is the promise to fail closed: whatever a
// model sends, the run ends, says why, does nothing outside, and has not asked
// more often than it may.
func TestABadModelEndsInAPlainReason(t *testing.T) {
	const budget = 6
	var now atomic.Value // of what is wrong with the model
	r := newRig(t, func(c *agenttest.Config) { c.Budget.Calls = budget })
	server, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		bad := now.Load().(string)
		switch bad {
		case "wrong types":
			return scripted.Answer{Calls: []scripted.Call{{Name: "post", Args: map[string]any{"word": 7}}}}, true
		case "endless calls":
			return scripted.Answer{Calls: []scripted.Call{{Name: "look", Args: map[string]any{"word": "a"}}}}, true
		case "injected argument":
			return scripted.Answer{Calls: []scripted.Call{{Name: "post", Args: map[string]any{"word": "a", "case": "case_other"}}}}, true
		case "an answer of the wrong form":
			return scripted.Answer{Text: `{"word":"maybe"}`}, true
		case "an answer that is not JSON":
			return scripted.Answer{Text: `yes`}, true
		}
		return scripted.Answer{Fails: scripted.Behaviour(bad)}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.mind = server
	r.run()
	for _, tt := range []struct {
		bad, agent, status, reason string
		calls                      int // of the model, at most
	}{
		{"wrong types", "clerk", "out_of_budget", "The budget of model calls is used up.", budget},
		{"endless calls", "clerk", "out_of_budget", "The budget of model calls is used up.", budget},
		{"injected argument", "clerk", "out_of_budget", "The budget of model calls is used up.", budget},
		{"an answer of the wrong form", "judge", "failed", "did not have the form asked for", 3},
		{"an answer that is not JSON", "judge", "failed", "did not have the form asked for", 3},
		{string(scripted.Nothing), "clerk", "failed", "did not have the form asked for", 3},
		{string(scripted.NoSuchTool), "clerk", "out_of_budget", "The budget of model calls is used up.", budget},
		{string(scripted.BrokenArgs), "clerk", "out_of_budget", "The budget of model calls is used up.", budget},
		{string(scripted.BrokenJSON), "clerk", "failed", "The model", budget},
		{string(scripted.NoChoice), "clerk", "failed", "The model", budget},
		{string(scripted.TenMB), "clerk", "failed", "The model", budget},
		{string(scripted.ManyCalls), "clerk", "failed", "The model", budget},
	} {
		t.Run(tt.bad, func(t *testing.T) {
			r := r.in(t)
			now.Store(tt.bad)
			before := server.Requests()
			c := r.open(tt.agent, "post a")
			if got := r.closed(c.ID); got.Status != tt.status {
				t.Errorf("the case ended %q, want %q", got.Status, tt.status)
			}
			why := query[string](t, r.db, `select reason from gavel.run where case_id = $1`, c.ID)
			if !strings.Contains(why, tt.reason) {
				t.Errorf("reason %q, want it to say %q", why, tt.reason)
			}
			t.Logf("%d calls: %s", server.Requests()-before, why)
			if n := server.Requests() - before; n > tt.calls+1 {
				t.Errorf("%d model calls, want at most %d", n, tt.calls+1)
			}
			if n := len(r.other.Log()); n != 0 {
				t.Errorf("%d effects of a bad model", n)
			}
		})
	}
}
