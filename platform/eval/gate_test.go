package eval_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

const demands = `{"about": "made up", "demands": [
	{"set": "made", "metric": "right", "at_least": 950, "why": "it is right"},
	{"set": "made", "metric": "wrong", "at_most": 0, "why": "it is never wrong"},
	{"set": "made", "metric": "tone", "at_least": 850, "why": "it is friendly"}]}`

// TestAGateIsReadWholeOrNotAtAll promises that a demand which could not be meant is refused.
func TestAGateIsReadWholeOrNotAtAll(t *testing.T) {
	g, err := eval.ParseGate([]byte(demands))
	if err != nil || len(g.Demands) != 3 || !slices.Equal(g.Sets(), []string{"made"}) {
		t.Fatalf("got %+v, %v", g, err)
	}
	one := func(d string) string { return `{"about": "", "demands": [` + d + `]}` }
	for name, text := range map[string]string{
		"nothing":         one(""),
		"no bound":        one(`{"set": "a", "metric": "b", "why": "c"}`),
		"two bounds":      one(`{"set": "a", "metric": "b", "at_least": 1, "at_most": 2, "why": "c"}`),
		"over a thousand": one(`{"set": "a", "metric": "b", "at_least": 1001, "why": "c"}`),
		"below nought":    one(`{"set": "a", "metric": "b", "at_most": -1, "why": "c"}`),
		"no reason":       one(`{"set": "a", "metric": "b", "at_most": 1}`),
		"no metric":       one(`{"set": "a", "at_most": 1, "why": "c"}`),
		"twice":           one(strings.Repeat(`, {"set": "a", "metric": "b", "at_most": 1, "why": "c"}`, 2)[1:]),
		"unknown fields":  one(`{"set": "a", "metric": "b", "atmost": 1, "why": "c"}`),
		"no JSON":         "demands: []",
	} {
		if _, err := eval.ParseGate([]byte(text)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := eval.ParseGate(make([]byte, 65<<10)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a large one: got %v", err)
	}
}

// TestAGateStopsWhatMissesADemand promises that each demand is held against its own bound,
// that what nobody measured stops nothing, and that a demand of nothing is a mistake.
func TestAGateStopsWhatMissesADemand(t *testing.T) {
	g, err := eval.ParseGate([]byte(demands))
	if err != nil {
		t.Fatal(err)
	}
	rule := func(body string, with eval.Models) (out []eval.Status) {
		got, err := g.Rule(map[string]eval.Report{"made": run(t, body, with)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			out = append(out, r.Measured.Status)
		}
		return out
	}
	real := eval.Models{Real: &model.Route{Provider: "openai", Model: "m"}}
	for name, tt := range map[string]struct {
		got, want []eval.Status
	}{
		"all is well":      {rule(line("a", true), eval.Models{}), []eval.Status{eval.Met, eval.Met, eval.NotMeasured}},
		"something is not": {rule(line("a", false), eval.Models{}), []eval.Status{eval.Missed, eval.Missed, eval.NotMeasured}},
		"with a model":     {rule(line("a", true), real), []eval.Status{eval.Met, eval.Met, eval.Met}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %v", name, tt.got)
		}
	}
	rulings, err := g.Rule(map[string]eval.Report{"made": run(t, line("a", true), eval.Models{})})
	if err != nil || rulings[0].Bound != "≥ 95 %" || rulings[1].Bound != "≤ 0 %" || rulings[0].Interval.Low > .21 ||
		rulings[2].Measured.Text() != "not measured: needs a real model" {
		t.Errorf("got %+v, %v", rulings, err)
	}
	g.Demands[0].Metric = "charm"
	if _, err := g.Rule(map[string]eval.Report{"made": run(t, line("a", true), eval.Models{})}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a demand that nobody counts: got %v", err)
	}
	if _, err := g.Rule(nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a report: got %v", err)
	}
}

// TestReportsAreComparedCaseByCase promises that a report read from a file is compared with
// another, that less is better where it is, and that unlike ones are refused.
func TestReportsAreComparedCaseByCase(t *testing.T) {
	var before, after strings.Builder
	for i := range 60 {
		id := string(rune('a'+i/26)) + string(rune('a'+i%26))
		before.WriteString(line(id, true))
		after.WriteString(line(id, i >= 9))
	}
	was, is := run(t, before.String(), eval.Models{}), run(t, after.String(), eval.Models{})
	text, err := json.Marshal(was)
	if err != nil || json.Unmarshal(text, &was) != nil {
		t.Fatal(err)
	}
	if got := eval.Versus(is.Axes(), was.Side("v1"), is.Side("v2")); len(got.Not) != 1 || got.Not[0] != compare.OtherCases ||
		got.Refusal() != "Not comparable because they were asked other cases: the digests of the datasets differ." ||
		got.Sentence("right") != got.Refusal() {
		t.Errorf("other cases: got %+v", got)
	}
	is.Dataset = was.Dataset // the same cases, answered otherwise
	got := eval.Versus(is.Axes(), was.Side("v1"), is.Side("v2"))
	if len(got.Results) != 2 || len(got.Worse()) != 2 || got.Results[1].Metric != "wrong" || got.Results[1].All.Worse != 9 {
		t.Fatalf("got %+v", got)
	}
	if !strings.HasPrefix(got.Sentence("wrong"), "v2 is worse than v1 in wrong: −15.0 points") || got.Refusal() != "" {
		t.Errorf("got %q", got.Sentence("wrong"))
	}
	if !strings.HasSuffix(got.Sentence("tone"), "no case has a score in both.") {
		t.Errorf("what only a model can answer was compared without one: %q", got.Sentence("tone"))
	}
	is.Evaluator = "another"
	if got := eval.Versus(is.Axes(), was.Side("v1"), is.Side("v2")); len(got.Not) != 1 || got.Not[0] != compare.OtherEvaluator {
		t.Errorf("other scoring: got %+v", got.Not)
	}
	is.Evaluator, is.Items = was.Evaluator, nil
	if got := eval.Versus(is.Axes(), was.Side("v1"), is.Side("v2")); len(got.Not) != 1 || got.Not[0] != compare.NoCommonItem {
		t.Errorf("no items: got %+v", got.Not)
	}
}
