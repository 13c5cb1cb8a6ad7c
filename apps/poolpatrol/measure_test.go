package poolpatrol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol"
	"github.com/gavelhq/gavel/apps/poolpatrol/evals"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// TestTheCodeReachesEveryGoalOfItsSets promises that the datasets as they lie here
// are whole, that no verdict and no life of a case differs from what is expected,
// and that nothing is claimed for a model that is not there.
func TestTheCodeReachesEveryGoalOfItsSets(t *testing.T) {
	size := map[string]int{"shift": 60, "location": 60, "manager": 24, "outreach": 80}
	for _, set := range poolpatrol.New().Evals {
		r, err := eval.Run(t.Context(), set, eval.Models{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK() || r.Failed > 0 || r.Cases != size[set.Name] || r.Dataset.Name != "poolpatrol/"+set.Name {
			t.Errorf("%s: got %+v", set.Name, r)
		}
		if open := set.Name == "outreach"; (r.Open > 0) != open || r.Passed+r.Open != r.Cases {
			t.Errorf("%s: %d passed and %d are open, of %d", set.Name, r.Passed, r.Open, r.Cases)
		}
		for _, m := range r.Metrics {
			unread := slices.Contains([]string{"reasoning_quality", "bucket_match", "hitl_match", "sub_label_match"}, m.Name)
			if unread != (m.Text() == "not measured: needs a real model") || m.Name == "model_override" && m.Hits == 0 {
				t.Errorf("%s: %s is %q, %d of %d", set.Name, m.Name, m.Text(), m.Hits, m.Of)
			}
		}
		delete(size, set.Name)
	}
	if len(size) > 0 {
		t.Errorf("there are no sets %v", size)
	}
}

// liar serves a model that lies about every verdict it is shown, and invents ids.
func liar(t *testing.T) (model.Route, *scripted.Server) {
	return serve(t, func(s scripted.Seen) (scripted.Answer, bool) {
		_, shown, _ := strings.Cut(s.Task, "\n")
		var report check.Report
		if err := json.Unmarshal([]byte(shown), &report); err != nil {
			return scripted.Answer{}, false
		}
		lie, err := json.Marshal(evals.Lie(check.Verdict{Label: report.Verdict}))
		return scripted.Answer{Text: string(lie)}, err == nil
	})
}

// serve is a route to a scripted model over HTTP.
func serve(t *testing.T, reply func(scripted.Seen) (scripted.Answer, bool)) (model.Route, *scripted.Server) {
	t.Helper()
	server, err := scripted.New(scripted.Config{Reply: reply})
	if err != nil {
		t.Fatal(err)
	}
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	ask, err := openai.New(openai.Config{BaseURL: at.URL + "/v1", Key: "none", Provider: "scripted", TellAgent: true})
	if err != nil {
		t.Fatal(err)
	}
	return model.Route{Name: "small", Provider: "scripted", Model: scripted.Model, Ask: ask}, server
}

func textOf(r model.Response) (text string) {
	for _, p := range r.Message.Parts {
		text += p.Text
	}
	return text
}

// TestALyingModelChangesNothingAndIsCounted promises that a model which lies
// about every verdict of every set and invents ids, asked over HTTP in the words
// of the specialists, is overridden each time and has no effect.
func TestALyingModelChangesNothingAndIsCounted(t *testing.T) {
	route, server := liar(t)
	agents := map[check.Name]agent.Spec{}
	for _, s := range poolpatrol.New().Agents {
		if name, ok := strings.CutPrefix(s.Name, "run_"); ok {
			agents[check.Name(strings.TrimSuffix(name, "_specialist"))] = s
		}
	}
	ask := func(v check.Verdict) (check.Report, error) {
		spec, ok := agents[v.Check]
		shown, err := json.Marshal(v.Report())
		if err != nil || !ok {
			return check.Report{}, errors.Join(err, fmt.Errorf("nobody explains %s", v.Check))
		}
		answer, err := route.Ask.Generate(t.Context(), spec.Opening(route, agent.Said{Text: "As it was computed:\n" + string(shown)}))
		if err != nil {
			return check.Report{}, err
		}
		var said check.Report
		return said, json.Unmarshal([]byte(textOf(answer)), &said)
	}
	var sum evals.Sway
	total := 0
	for _, set := range poolpatrol.New().Evals {
		if set.Name == "outreach" {
			continue
		}
		_, cases, err := eval.Load(set.Files)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			one := evals.Case{ID: c.ID, Inputs: c.Inputs, Expected: c.Expected}
			s, err := toldBy(set.Name, one, ask)
			if err != nil {
				t.Fatal(c.ID, err)
			}
			if s.Overrides == 0 || s.Effects != 0 {
				t.Errorf("%s: %d overrides, %d effects", c.ID, s.Overrides, s.Effects)
			}
			sum = evals.Sway{Overrides: sum.Overrides + s.Overrides, Effects: sum.Effects + s.Effects}
			total++
		}
	}
	if total != 144 || server.Requests() < total {
		t.Errorf("%d cases were lied about in %d requests, want 144", total, server.Requests())
	}
	t.Logf("%d cases, %d requests: model_override=%d effects=%d", total, server.Requests(), sum.Overrides, sum.Effects)
}

func toldBy(set string, c evals.Case, ask evals.Teller) (evals.Sway, error) {
	if set == evals.Stories {
		return evals.ManagerTold(c, ask)
	}
	return evals.SpecialistTold(set, c, time.LoadLocation, ask)
}

// TestRepliesAreReadByTheAgentThatReadsThemInCases promises the plumbing of what
// only a model can be measured by: each reply goes once to the route, in the
// agent's words and without what it quotes, and what comes back is compared. The
// model here is a script that knows the answers, so its marks say nothing about
// models; neither does one that answers nonsense.
func TestRepliesAreReadByTheAgentThatReadsThemInCases(t *testing.T) {
	set, err := eval.Find(poolpatrol.New().Evals, "outreach")
	if err != nil {
		t.Fatal(err)
	}
	_, cases, err := eval.Load(set.Files)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]evals.Sorting{}
	for _, c := range cases {
		var in evals.Letter
		var want evals.Sorting
		if err := errors.Join(json.Unmarshal(c.Inputs, &in), json.Unmarshal(c.Expected, &want)); err != nil {
			t.Fatal(err)
		}
		known[in.Text] = want
	}
	var nonsense atomic.Bool
	route, server := serve(t, func(s scripted.Seen) (scripted.Answer, bool) {
		var shown struct{ Text string }
		if err := json.Unmarshal([]byte(s.Last), &shown); err != nil || s.Agent != "poolpatrol/classify_reply" ||
			strings.Contains(s.Last, "We looked at the vanpools") {
			return scripted.Answer{}, false
		}
		if nonsense.Load() {
			return scripted.Answer{Text: "Certainly."}, true
		}
		want := known[shown.Text]
		return scripted.Answer{Text: fmt.Sprintf(`{"buckets":[%q],"sub_label":%q,"confidence":0.9}`, want.Bucket, want.SubLabel)}, true
	})
	r, err := eval.Run(t.Context(), set, eval.Models{Real: &route}, nil)
	if err != nil || !r.OK() || r.Passed != 80 || server.Requests() != 80 {
		t.Errorf("got %+v, %v after %d requests", r, err, server.Requests())
	}
	nonsense.Store(true)
	r, err = eval.Run(t.Context(), set, eval.Models{Real: &route}, nil)
	if err != nil || r.OK() || r.Passed != 20 || r.Unanswered != 0 {
		t.Errorf("of a model that answers nonsense: got %+v, %v", r, err)
	}
}
