package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/plume"
)

// The samples and the figures they must give are made by hand.
func samples() []sample {
	yes, no := plume.Conclusive, plume.Inconclusive
	return []sample{
		{key: "a_1@2026-10-01T02:00Z", city: "a", state: "X", share: 0.9, smoke: 100, other: 60, verdict: yes, named: "X", circle: "Y"},
		{key: "a_2@2026-10-01T05:00Z", city: "a", state: "X", share: 0.7, smoke: 100, other: 60, verdict: no, named: "X", circle: "X", reasons: []plume.Code{plume.NotSpecial}},
		{key: "a_1@2026-10-09T02:00Z", city: "a", state: "X", share: 0.61, smoke: 100, other: 60, verdict: no, named: "Y", circle: "X", reasons: []plume.Code{plume.NotSpecial, plume.Overlap}},
		{key: "b_1@2026-10-01T02:00Z", city: "b", state: "X", share: 0.6, smoke: 20, other: 60, verdict: yes, named: "Y", circle: "X", high: true}, // 60 % is not over 60 %
		{key: "b_2@2026-10-03T02:00Z", city: "b", state: "X", share: 0.4, smoke: 100, other: 60, verdict: plume.Unattributed, reasons: []plume.Code{plume.NoFires}},
	}
}

func TestFiguresAreCountedAsSaid(t *testing.T) {
	f := judge(samples())
	for _, tt := range []struct {
		what      string
		got, want share
	}{
		{"right of the conclusive", f.right, share{1, 2}},
		{"sure where one dominates", f.sure, share{1, 3}},
		{"false where none does", f.rash, share{1, 2}},
		{"false where none brought half", f.half, share{0, 1}},
		{"first of all", f.all, share{2, 5}},
		{"first where one dominates", f.dominate, share{2, 3}},
		{"circle, of the conclusive", f.circleRight, share{1, 2}},
		{"circle, of all", f.circleAll, share{3, 5}},
		{"circle, where one dominates", f.circleDominate, share{2, 3}},
		{"circle, high where none does", f.circleFalse, share{1, 2}},
		{"hardly smoke", f.local, share{1, 2}},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if got, want := events(samples()), 4; got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

func TestWhatADemandCostsIsCountedWithoutIt(t *testing.T) {
	f := judgeAs(samples(), without(plume.NotSpecial))
	if got, want := f.sure, (share{2, 3}); got != want { // the second has nothing else against it, the third has
		t.Errorf("sure without the null test: %v, want %v", got, want)
	}
	if got, want := f.rash, (share{1, 2}); got != want { // what was never attributed stays so
		t.Errorf("false without the null test: %v, want %v", got, want)
	}
}

func TestAGoalThatIsNotMetIsSaid(t *testing.T) {
	var b strings.Builder
	report(&b, samples(), samples())
	lines := strings.Split(b.String(), "\n")
	for _, want := range []string{"at least 200 and 60 asked: NOT kept", "conclusive, and the true state is first", "null_test"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("the report does not say %q:\n%s", want, b.String())
		}
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "conclusive, and the true state") && !strings.Contains(l, "NOT kept") {
			t.Errorf("half right passes for kept: %s", l)
		}
	}
}
