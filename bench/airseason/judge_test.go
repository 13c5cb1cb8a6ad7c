package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// The samples and the figures they must give are made by hand.
func samples() []sample {
	yes, no := plume.Conclusive, plume.Inconclusive
	return []sample{
		{key: "a_1@2026-10-01T02:00Z", city: "a", state: "X", share: 0.9, smoke: 100, other: 60, verdict: yes, named: "X", circle: "Y"},
		{key: "a_2@2026-10-01T05:00Z", city: "a", state: "X", share: 0.7, smoke: 100, other: 60, verdict: no, named: "X", circle: "X",
			reasons: []plume.Code{plume.NotSpecial}},
		{key: "a_1@2026-10-09T02:00Z", city: "a", state: "X", share: 0.61, smoke: 50, other: 60, verdict: no, named: "Y", circle: "X",
			reasons: []plume.Code{plume.NotSpecial, plume.Overlap}},
		// 60 % is not over 60 %
		{key: "b_1@2026-10-01T02:00Z", city: "b", state: "X", share: 0.6, smoke: 20, other: 60, verdict: yes, named: "Y", circle: "X",
			high: true},
		{key: "b_2@2026-10-03T02:00Z", city: "b", state: "X", share: 0.4, smoke: 100, other: 60, verdict: plume.Unattributed,
			reasons: []plume.Code{plume.NoFires}},
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
}

// By hand: 36 hours are within reach, 37 are not; a third between two makes one of all.
func TestEpisodesThatFollowEachOtherAreOneEvent(t *testing.T) {
	for _, tt := range []struct {
		what string
		keys []surge.Key
		want int
	}{
		{"one night", []surge.Key{"a_1@2026-10-01T02:00Z", "a_2@2026-10-01T05:00Z"}, 1},
		{"over midnight", []surge.Key{"a_1@2026-10-01T23:00Z", "a_2@2026-10-02T01:00Z"}, 1},
		{"36 hours, in no order", []surge.Key{"a_2@2026-10-02T14:00Z", "a_1@2026-10-01T02:00Z"}, 1},
		{"37 hours", []surge.Key{"a_1@2026-10-01T02:00Z", "a_2@2026-10-02T15:00Z"}, 2},
		{"37 hours and one between", []surge.Key{"a_1@2026-10-01T02:00Z", "a_2@2026-10-02T15:00Z", "a_3@2026-10-02T00:00Z"}, 1},
		{"two cities", []surge.Key{"a_1@2026-10-01T02:00Z", "b_1@2026-10-01T02:00Z"}, 2},
	} {
		var all []sample
		for _, k := range tt.keys {
			all = append(all, sample{key: k, city: string(k[:1])})
		}
		if got, err := events(all); err != nil || got != tt.want {
			t.Errorf("%s: %d events, %v, want %d", tt.what, got, err, tt.want)
		}
	}
	if _, err := events([]sample{{key: "nowhere"}}); err == nil {
		t.Error("a key that is none is counted")
	}
}

func TestAnEpisodeThatGoesOnIsCountedOnce(t *testing.T) {
	got := once([]sample{{key: "a", smoke: 1}, {key: "b", smoke: 2}, {key: "a", smoke: 3}})
	if len(got) != 2 || got[0].smoke != 1 || got[1].smoke != 2 {
		t.Errorf("%v, want the first of a and b", got)
	}
}

// The first of the samples passes everything, the second fails only the null test, the
// third that and the ranges; of the two that none dominates one passes everything.
func TestSomeDemandsAloneAreCountedWithoutTheOthers(t *testing.T) {
	for _, tt := range []struct {
		what              string
		by                []plume.Code
		right, sure, rash share
	}{
		{"the members", ofEnsemble(), share{2, 3}, share{2, 3}, share{1, 2}},
		{"the others", ofOthers(), share{1, 2}, share{1, 3}, share{1, 2}},
	} {
		if f := judgeAs(samples(), only(tt.by)); f.right != tt.right || f.sure != tt.sure || f.rash != tt.rash {
			t.Errorf("%s alone: right %v, sure %v, false %v, want %v, %v, %v", tt.what, f.right, f.sure, f.rash, tt.right, tt.sure, tt.rash)
		}
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
	if err := report(&b, samples(), samples()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for _, want := range []string{"at least 200 and 60 asked: NOT kept", "conclusive, and the true state is first", "null_test",
		"by the members alone (agreed, and ranges apart): right 67 % (2 of 3), sure 67 % (2 of 3), false 50 % (1 of 2)",
		"less smoke than other dirt: 33 % (1 of 3)"} {
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
