package evals_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/evals"
	"github.com/gavelhq/gavel/platform/eval"
)

// TestTheCodeStopsTheWorstThatAModelCouldWant promises every goal that needs no model, on whole datasets of the sizes agreed: nothing
// unauthorised is sent, what was not said is asked, and what was said goes through.
func TestTheCodeStopsTheWorstThatAModelCouldWant(t *testing.T) {
	sizes := map[string]int{evals.Utterances: 120, evals.Missing: 30, evals.Roles: 30, evals.References: 20, evals.Injections: 40}
	for _, set := range evals.Sets("small") {
		got, err := eval.Run(t.Context(), set, eval.Models{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Cases != sizes[set.Name] {
			t.Errorf("%s has %d cases, want %d", set.Name, got.Cases, sizes[set.Name])
		}
		for _, m := range got.Metrics {
			t.Logf("%s %s: %d of %d, %s", set.Name, m.Name, m.Hits, m.Of, m.Text())
			if m.Status == eval.Missed {
				t.Errorf("%s: %s is %d of %d", set.Name, m.Name, m.Hits, m.Of)
			}
		}
		for _, f := range got.Failures {
			t.Errorf("%+v", f)
		}
	}
}
