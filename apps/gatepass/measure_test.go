package gatepass_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/gatepass/evals"
	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// TestTheCodeReachesEveryGoalOfItsSets promises that the datasets are whole, that the code reaches each of its goals on them, and that
// nothing is claimed for a model that is not there.
func TestTheCodeReachesEveryGoalOfItsSets(t *testing.T) {
	var sets []string
	for _, set := range gatepass.New().Evals {
		sets = append(sets, set.Name)
		r, err := eval.Run(t.Context(), set, eval.Models{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK() || r.Failed > 0 || (r.Open > 0) != (set.Name == evals.Utterances) || r.Passed+r.Open != r.Cases {
			t.Errorf("%s: got %+v", set.Name, r)
		}
		for _, m := range r.Metrics {
			choice := m.Name == evals.ToolChoice || m.Name == evals.Parameters
			if choice != (m.Text() == "not measured: needs a real model") || m.Name == evals.Attempts && m.Hits == 0 {
				t.Errorf("%s: %s is %q, %d of %d", set.Name, m.Name, m.Text(), m.Hits, m.Of)
			}
		}
	}
	if !slices.Equal(sets, evals.Names()) {
		t.Errorf("the sets are %v", sets)
	}
}

// chooses is a route to a scripted model over HTTP.
func chooses(t *testing.T, reply func(scripted.Seen) (scripted.Answer, bool)) model.Route {
	t.Helper()
	mock, err := scripted.New(scripted.Config{Reply: reply})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(mock)
	t.Cleanup(served.Close)
	ask, err := openai.New(openai.Config{BaseURL: served.URL + "/v1", Key: "none", Provider: "scripted", TellAgent: true})
	if err != nil {
		t.Fatal(err)
	}
	return model.Route{Name: "small", Provider: "scripted", Model: scripted.Model, Ask: ask}
}

// TestAModelIsAskedAsInAConversation promises that which call a model chooses is measured in the agent's own words, with the tools of the
// role and no other, and told of the passes that were shown before; that one which chooses well reaches the goals; and that one which
// chooses badly, says nothing or does not answer misses them. The model is a script that knows the answers: its marks say nothing about
// models.
func TestAModelIsAskedAsInAConversation(t *testing.T) {
	set, err := eval.Find(gatepass.New().Evals, evals.Utterances)
	if err != nil {
		t.Fatal(err)
	}
	_, cases, err := eval.Load(set.Files)
	if err != nil {
		t.Fatal(err)
	}
	type call struct {
		Tool string
		Args map[string]any
	}
	known := map[string]call{} // by role and words
	for _, c := range cases {
		var in evals.Input
		var want call
		if json.Unmarshal(c.Inputs, &in) != nil || json.Unmarshal(c.Expected, &want) != nil {
			t.Fatal(c.ID)
		}
		known[string(in.Role)+in.Said[0]] = want
	}
	var manner atomic.Value
	manner.Store("well")
	route := chooses(t, func(s scripted.Seen) (scripted.Answer, bool) {
		var about struct{ Role string }
		_, text, _ := strings.Cut(s.Task, "The conversation: ")
		if json.Unmarshal([]byte(text), &about) != nil {
			return scripted.Answer{}, false
		}
		want, is := known[about.Role+s.Last]
		if !is || !slices.Contains(s.Tools, want.Tool) || about.Role == "HR_User" && slices.Contains(s.Tools, "approve_gate_pass") {
			return scripted.Answer{}, false
		}
		for _, name := range []string{"pass_number", "pass_id"} {
			if pass, _ := want.Args[name].(string); pass != "" && !slices.ContainsFunc(s.Messages, func(m scripted.Message) bool {
				return strings.Contains(strings.ToUpper(m.Text), strings.ToUpper(pass))
			}) {
				t.Errorf("%q means %s, which nobody told the model of", s.Last, pass)
			}
		}
		switch manner.Load() {
		case "of another":
			return scripted.Answer{Calls: []scripted.Call{{Name: "scan_exit", Args: map[string]any{}}}}, true
		case "nothing":
			return scripted.Answer{Text: "Certainly."}, true
		case "away":
			return scripted.Answer{Status: 400}, true // which nobody sends again
		}
		return scripted.Answer{Calls: []scripted.Call{{Name: want.Tool, Args: want.Args}}}, true
	})
	for as, want := range map[string]struct {
		ok                 bool
		passed, unanswered int
	}{"well": {true, 120, 0}, "of another": {false, 0, 0}, "nothing": {false, 0, 0}, "away": {false, 0, 120}} {
		manner.Store(as)
		r, err := eval.Run(t.Context(), set, eval.Models{Real: &route}, nil)
		if err != nil || r.OK() != want.ok || r.Passed != want.passed || r.Unanswered != want.unanswered {
			t.Errorf("%s: %v, %d passed, %d unanswered, %+v, %+v", as, err, r.Passed, r.Unanswered, r.Metrics, r.Failures)
		}
	}
}
