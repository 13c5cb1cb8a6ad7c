package stat_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// TestWilsonGivesThePublishedIntervals promises the examples of Newcombe (1998, method 3)
// and what 57 of 60 are worth.
func TestWilsonGivesThePublishedIntervals(t *testing.T) {
	for _, tt := range []struct {
		hits, of  int
		low, high float64
	}{
		{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718},
		{57, 60, .8630, .9829}, {20, 20, .8389, 1}, {0, 0, 0, 1}, {1, 1, .2065, 1},
	} {
		got := stat.Wilson(tt.hits, tt.of)
		if !near(got.Low, tt.low, .00006) || !near(got.High, tt.high, .00006) {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", tt.hits, tt.of, got.Low, got.High, tt.low, tt.high)
		}
	}
	if got := stat.Wilson(20, 20).High; got != 1 {
		t.Errorf("all of them: got %v, want exactly 1", got)
	}
}

// TestMcNemarIsTheBinomialTest promises fractions that can be counted by hand, and the
// published example of approval ratings (Agresti; 86 against 150).
func TestMcNemarIsTheBinomialTest(t *testing.T) {
	for _, tt := range []struct {
		worse, better int
		want          float64
	}{
		{0, 0, 1}, {5, 5, 1}, {0, 1, 1}, {0, 5, 2. / 32}, {0, 6, 2. / 64}, {9, 1, 22. / 1024}, {1, 9, 22. / 1024}, {150, 86, 3.716e-05},
		{0, 2000, 0}, {50_000, 50_000, 1},
	} {
		if got := stat.McNemar(tt.worse, tt.better); !near(got, tt.want, max(1e-12, tt.want/5000)) {
			t.Errorf("%d worse, %d better: got %v, want %v", tt.worse, tt.better, got, tt.want)
		}
	}
}

// TestSoManyCasesProveAShare promises the numbers that the rule of three gives exactly.
func TestSoManyCasesProveAShare(t *testing.T) {
	got := map[float64][]int{}
	for errors := range 4 {
		got[.95] = append(got[.95], stat.Proven(errors, .95))
		got[.98] = append(got[.98], stat.Proven(errors, .98))
	}
	if !slices.Equal(got[.95], []int{59, 93, 124, 153}) || !slices.Equal(got[.98][:3], []int{149, 236, 313}) || stat.Proven(0, 1) != 0 {
		t.Errorf("got %v", got)
	}
}

// TestLookingOftenIsPaidFor promises Holm's correction: three looks, with the worst first.
func TestLookingOftenIsPaidFor(t *testing.T) {
	got := stat.Holm([]float64{.04, .01, .03, .9})
	for i, want := range []float64{.09, .04, .09, .9} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("got %v", got)
		}
	}
	if len(stat.Holm(nil)) != 0 || stat.Holm([]float64{.3, .8})[1] != .8 {
		t.Error("nothing to correct was corrected")
	}
}

// TestAPercentileIsAValueThatWasSeen promises the nearest rank: no value is made up between
// two.
func TestAPercentileIsAValueThatWasSeen(t *testing.T) {
	for _, tt := range []struct {
		of      []float64
		percent int
		want    float64
	}{
		{nil, 50, 0}, {[]float64{7}, 95, 7}, {[]float64{2, 1}, 50, 1}, {[]float64{3, 1, 2}, 50, 2}, {[]float64{15, 20, 35, 40, 50}, 30, 20},
		{[]float64{15, 20, 35, 40, 50}, 100, 50}, {[]float64{15, 20, 35, 40, 50}, 0, 15},
	} {
		if got := stat.Percentile(tt.of, tt.percent); got != tt.want {
			t.Errorf("%d of %v: got %v, want %v", tt.percent, tt.of, got, tt.want)
		}
	}
}

// TestPassKIsUnbiased promises C(c,k) ÷ C(n,k), and that a case which was tried too seldom
// is counted as such.
func TestPassKIsUnbiased(t *testing.T) {
	for _, tt := range []struct {
		runs []stat.Runs
		k    int
		p    float64
		left int
		ok   bool
	}{
		{[]stat.Runs{{4, 4}}, 4, 1, 0, true},
		{[]stat.Runs{{4, 3}}, 4, 0, 0, true},
		{[]stat.Runs{{4, 3}}, 2, 3. / 6, 0, true},
		{[]stat.Runs{{5, 3}}, 2, 3. / 10, 0, true},
		{[]stat.Runs{{8, 6}, {8, 8}}, 4, (15./70 + 1) / 2, 0, true},
		{[]stat.Runs{{4, 0}}, 1, 0, 0, true},
		{[]stat.Runs{{3, 3}, {4, 4}}, 4, 1, 1, true},
		{[]stat.Runs{{3, 3}}, 4, 0, 1, false},
		{nil, 4, 0, 0, false},
		{[]stat.Runs{{4, 4}}, 0, 0, 1, false},
	} {
		p, left, ok := stat.PassK(tt.runs, tt.k)
		if !near(p, tt.p, 1e-12) || left != tt.left || ok != tt.ok {
			t.Errorf("%v, k=%d: got %v, %d, %v", tt.runs, tt.k, p, left, ok)
		}
	}
}

// TestConfidenceIsComparedWithWhatWasRight promises ECE and Brier as counted by hand, and
// who is named.
func TestConfidenceIsComparedWithWhatWasRight(t *testing.T) {
	said := []stat.Said{{5, true}, {5, true}, {5, false}, {5, true}, {1, true}, {0, true}, {6, false}}
	got := stat.Calibrate(said)
	if !near(got.ECE, .8*.2+.2*.45, 1e-12) || !near(got.Brier, (3*.0025+.9025+.2025)/5, 1e-12) || got.Judged != 5 {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(got.Over, []int{2}) || !slices.Equal(got.Under, []int{4}) || got.Rises {
		t.Errorf("got %+v", got)
	}
	want := []stat.Step{{1, 1, 1, .55}, {5, 3, 4, .95}}
	if !reflect.DeepEqual(got.Steps, want) {
		t.Errorf("got %v", got.Steps)
	}
	if got = stat.Calibrate(nil); got.ECE != 0 || got.Judged != 0 || !got.Rises {
		t.Errorf("of nothing: %+v", got)
	}
	if got = stat.Calibrate([]stat.Said{{2, true}, {2, false}, {3, true}, {3, false}}); !got.Rises {
		t.Errorf("a tie does not fall: %+v", got)
	}
}

// TestTwoJudgesAreCompared promises the quadratic-weighted kappa as counted by hand.
func TestTwoJudgesAreCompared(t *testing.T) {
	for _, tt := range []struct {
		a, b []int
		want float64
		ok   bool
	}{
		{[]int{1, 2, 3}, []int{1, 2, 2}, 2. / 3, true},
		{[]int{1, 1, 2, 2}, []int{1, 2, 1, 2}, 0, true},
		{[]int{1, 2}, []int{2, 1}, -1, true},
		{[]int{1, 3}, []int{3, 1}, -1, true},
		{[]int{4, 4}, []int{4, 4}, 1, true},
		{[]int{1}, []int{5}, 0, true},
		{nil, nil, 0, false}, {[]int{1}, []int{1, 2}, 0, false}, {[]int{0}, []int{1}, 0, false}, {[]int{6}, []int{1}, 0, false},
	} {
		if got, ok := stat.Kappa(tt.a, tt.b, 5); !near(got, tt.want, 1e-12) || ok != tt.ok {
			t.Errorf("%v and %v: got %v, %v", tt.a, tt.b, got, ok)
		}
	}
}

// TestPathsAreComparedByEdits promises Levenshtein's distance, that it is one (rapid), and
// which path stands for a group.
func TestPathsAreComparedByEdits(t *testing.T) {
	of := func(s string) []rune { return []rune(s) }
	for _, tt := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2}} {
		if got := stat.Distance(of(tt.a), of(tt.b)); got != tt.want {
			t.Errorf("%q to %q: got %d", tt.a, tt.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 6)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		ab, ba := stat.Distance(a, b), stat.Distance(b, a)
		if ab != ba || (ab == 0) != slices.Equal(a, b) || ab > stat.Distance(a, c)+stat.Distance(c, b) {
			t.Fatalf("%v and %v are %d and %d apart", a, b, ab, ba)
		}
	})
	group := [][]rune{of("abcd"), of("abc"), of("ab"), of("abc")}
	if i, sum := stat.Medoid(group); i != 1 || sum != 2 {
		t.Errorf("got %d, %d", i, sum)
	}
	if i, _ := stat.Medoid([][]rune(nil)); i != -1 {
		t.Errorf("of nothing: %d", i)
	}
	if i, _ := stat.Medoid([][]rune{of("a"), of("b")}); i != 0 {
		t.Errorf("of equals: %d", i)
	}
}

// TestABootstrapIsTheSameEveryTime promises that, whatever order items come in; that no
// spread is no doubt; and that many items take no longer than somebody waits.
func TestABootstrapIsTheSameEveryTime(t *testing.T) {
	each := []float64{1, 0, 0, -1, 0, 1, 0, 0, 0, .5}
	a := stat.Difference(each)
	slices.Reverse(each)
	if b := stat.Difference(each); a != b || a.Low >= .05 || a.High <= .05 {
		t.Errorf("got %v and %v", a, b)
	}
	if got := stat.Difference([]float64{.25, .25, .25}); !near(got.Low, .25, 1e-12) || !near(got.High, .25, 1e-12) {
		t.Errorf("of three equals: %v", got)
	}
	if got := stat.Difference([]float64{1}); got != (stat.Interval{-1, 1}) {
		t.Errorf("of one: %v", got)
	}
	many := make([]float64, 100_000)
	for i := range many {
		many[i] = float64(i%3 - 1)
	}
	got, half := stat.Difference(many), 1.96*math.Sqrt(2./3/100_000)
	if !near(got.High-got.Low, 2*half, half/10) {
		t.Errorf("of many: %v, want %v to each side", got, half)
	}
}

func ExampleWilson() {
	i := stat.Wilson(57, 60)
	fmt.Printf("57 of 60 are 95 %%, and the truth lies between %.1f and %.1f\n", 100*i.Low, 100*i.High)
	// Output: 57 of 60 are 95 %, and the truth lies between 86.3 and 98.3
}
