package cli

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
)

// TestATerminalNamesAStateOnlyWhereSomethingMayBeDone promises the three statements in a
// line, and no state where the answer names none.
func TestATerminalNamesAStateOnlyWhereSomethingMayBeDone(t *testing.T) {
	w := &analysis.Whose{Finding: likelihood.Finding{State: "Punjab", P: 0.78, Word: likelihood.Likely, Smoke: likelihood.NotDetermined},
		Data: analysis.WhoseData{Grade: likelihood.High}}
	asks := analysis.Analysis{Whose: w, Attribution: analysis.Attribution{Verdict: analysis.Inquiry}}
	if got, want := stated(asks), "it is likely (0.78) that most of the smoke from fires came from Punjab; "+
		"whether smoke mattered is not determined; data: high"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	open := *w
	open.Smoke, open.Matter.M = likelihood.VeryLikely, 0.95
	none := analysis.Analysis{Whose: &open, Attribution: analysis.Attribution{Verdict: analysis.Undetermined}}
	if got, want := stated(none), "whose smoke it was is not determined; that smoke mattered is very likely (0.95); data: high"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
