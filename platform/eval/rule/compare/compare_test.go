package compare_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/eval/rule/compare"
)

// items are pairs in two slices: of n each, so many of the second get worse and better.
func items(n, worse, better int) []compare.Item {
	var all []compare.Item
	for i := range 2 * n {
		one := compare.Item{Case: fmt.Sprintf("case-%03d", i), Before: 1, After: 1}
		one.Tags = map[string]string{"language": "en", "made_up": "true"}
		if i >= n {
			one.Tags["language"] = "hi"
			switch k := i - n; {
			case k < worse:
				one.After = 0
			case k < worse+better:
				one.Before = 0
			}
		}
		all = append(all, one)
	}
	return all
}

// TestUnlikeThingsAreNotCompared promises that nobody reads a difference of cases, marks or
// repeats as one of agents; and that agents may differ.
func TestUnlikeThingsAreNotCompared(t *testing.T) {
	a := compare.Side{Name: "v1", Digest: "aa", Evaluator: "e1", Repeats: 1, Subject: "s1", Route: "r1"}
	for _, tt := range []struct {
		change func(*compare.Side)
		want   []compare.Why
	}{
		{func(*compare.Side) {}, nil},
		{func(b *compare.Side) { b.Subject, b.Route, b.Name = "s2", "r2", "v2" }, nil},
		{func(b *compare.Side) { b.Digest = "bb" }, []compare.Why{compare.OtherCases}},
		{func(b *compare.Side) { b.Evaluator = "e2" }, []compare.Why{compare.OtherEvaluator}},
		{func(b *compare.Side) { b.Repeats, b.Digest = 4, "" }, []compare.Why{compare.OtherCases, compare.OtherRepeats}},
	} {
		b := a
		tt.change(&b)
		if got := compare.Unlike(a, b); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", b, got, tt.want)
		}
		for _, w := range tt.want {
			if w.Words() == "" {
				t.Errorf("%s has no words", w)
			}
		}
	}
}

// TestAPlantedRegressionIsFoundAndNamed promises that four points lost in a slice of 300
// stop a release, by name; that the whole is told with them; and that what got worse comes
// first.
func TestAPlantedRegressionIsFoundAndNamed(t *testing.T) {
	r := compare.Of("verdict_accuracy", items(300, 12, 0))
	gate := r.Gate()
	if len(gate) != 2 || gate[1].Tag != "language" || gate[1].Value != "hi" || gate[1].Items != 300 || r.Slices[0].Value != "hi" {
		t.Fatalf("got %+v", gate)
	}
	if len(r.Slices) != 2 || len(r.Regressions) != 12 || r.Regressions[0].Case != "case-300" || len(r.Improvements) != 0 {
		t.Errorf("got %d slices, %d regressions", len(r.Slices), len(r.Regressions))
	}
	got := r.Sentence("v11", "v12")
	for _, want := range []string{"v12 is worse than v11 in verdict_accuracy: −2.0 points (95 %: ", "600 paired items, p = 0.001).",
		" Worse where language is hi: −4.0 points", " 12 items got worse."} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

// TestWithNothingPlantedAReleasePasses promises that versions which differ by chance, or
// not at all, are not called different.
func TestWithNothingPlantedAReleasePasses(t *testing.T) {
	for _, tt := range []struct{ worse, better int }{{0, 0}, {6, 6}, {7, 4}, {5, 0}} {
		r := compare.Of("m", items(300, tt.worse, tt.better))
		if gate := r.Gate(); len(gate) > 0 || r.All.Verdict() != compare.Unshown ||
			!strings.HasPrefix(r.Sentence("a", "b"), "No difference between a and b is shown") {
			t.Errorf("%+v: got %+v", tt, gate)
		}
	}
	if got := compare.Of("m", nil); len(got.Gate()) > 0 || got.All.P != 1 {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestWhatGotBetterIsNoRegression promises the other direction, and its words.
func TestWhatGotBetterIsNoRegression(t *testing.T) {
	r := compare.Of("m", items(100, 1, 15))
	if len(r.Gate()) > 0 || r.All.Verdict() != compare.Better || r.Slices[0].Verdict() != compare.Better ||
		!strings.Contains(r.Sentence("a", "b"), "b is better than a in m: +7.0 points") ||
		!strings.HasSuffix(r.Sentence("a", "b"), " 1 item got worse.") {
		t.Errorf("got %s", r.Sentence("a", "b"))
	}
	if i := r.All.After.Interval; i == nil || r.All.Before.Interval == nil || i.Low > r.All.After.Mean {
		t.Errorf("shares have no interval: %+v", r.All)
	}
}

// TestASmallSliceIsShownAndNotLookedAt promises that a slice of a few cases neither stops a
// release nor makes the others harder to find.
func TestASmallSliceIsShownAndNotLookedAt(t *testing.T) {
	all := items(29, 10, 0)
	r := compare.Of("m", all)
	for _, p := range r.Slices {
		if !p.Few || p.Verdict() != compare.Unshown || p.Items != 29 {
			t.Errorf("got %+v", p)
		}
	}
	if len(r.Gate()) != 1 || r.All.P != 2./1024 {
		t.Errorf("the whole is looked at as if alone: got %+v", r.All)
	}
	for i := range all {
		all[i].Tags = map[string]string{"number": all[i].Case}
	}
	if r = compare.Of("m", all); len(r.Slices) > 0 {
		t.Errorf("%d slices of one case each", len(r.Slices))
	}
}

// TestRepeatsAreMeansAndHaveNoCountedInterval promises that a case asked four times is one
// item, whose score is a mean.
func TestRepeatsAreMeansAndHaveNoCountedInterval(t *testing.T) {
	r := compare.Of("m", []compare.Item{{Case: "a", Before: .75, After: .5}, {Case: "b", Before: 1}, {Case: "c", After: 1}})
	if r.All.Worse != 2 || r.All.Better != 1 || r.All.Before.Interval != nil || r.All.After.Interval != nil ||
		r.Regressions[0].Case != "b" {
		t.Errorf("got %+v", r)
	}
}

// TestACheaperModelMayWin promises the rule, at its bounds.
func TestACheaperModelMayWin(t *testing.T) {
	for _, tt := range []struct {
		n, worse, better int
		before, after    float64
		may              bool
		why              string
	}{
		{150, 5, 0, 2, 1, true, "it is cheaper"},
		{150, 6, 0, 2, 1, false, "it loses 2.0 points"},
		{149, 0, 0, 2, 1, false, "298 paired items are too few"},
		{150, 0, 0, 1, 1, false, "not cheaper"},
		{500, 15, 0, 2, 1, false, "not by chance"},
	} {
		got := compare.Of("m", items(tt.n, tt.worse, tt.better)).MaySwap(tt.before, tt.after)
		if got.May != tt.may || !strings.Contains(got.Why, tt.why) {
			t.Errorf("%+v: got %+v", tt, got)
		}
	}
	if !compare.Of("m", items(150, 0, 0)).MaySwap(2, 1).Safe || compare.Of("m", items(150, 5, 0)).MaySwap(2, 1).Safe {
		t.Error("the interval was not looked at")
	}
}
