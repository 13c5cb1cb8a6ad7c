package netra_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/netra"
	"github.com/gavelhq/gavel/platform/eval"
)

// TestItIsMeasuredWithoutAModelToo promises that each set NE-NETRA is measured on is registered, that code does what is expected in every
// case, and that what only a real model can answer says that it was not measured.
func TestItIsMeasuredWithoutAModelToo(t *testing.T) {
	sizes := map[string]int{"netra-questions": 37, "netra-plain": 30, "netra-attacks": 96}
	sets := netra.New().Evals
	if len(sets) != len(sizes) {
		t.Errorf("%d sets are registered, want %d", len(sets), len(sizes))
	}
	for _, s := range sets {
		r, err := eval.Run(t.Context(), s, eval.Models{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Cases != sizes[s.Name] || len(r.Failures) > 0 {
			t.Errorf("%s: %d cases, want %d; %v", s.Name, r.Cases, sizes[s.Name], r.Failures)
		}
		for i, m := range r.Metrics {
			want := eval.Met
			if s.Metrics[i].Model {
				want = eval.NotMeasured
			}
			if m.Status != want {
				t.Errorf("%s, %s: got %s, want %s", s.Name, m.Name, m.Status, want)
			}
		}
	}
}
