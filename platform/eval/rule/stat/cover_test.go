package stat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// experiments is how many are simulated for each line.
const experiments = 10_000

// bounds is how often an interval of 95 % has to hold the truth, by the size of the
// experiment. Counts are whole, so that no method holds it exactly as often as it says.
var bounds = map[int]stat.Interval{60: {Low: .93, High: .98}, 300: {Low: .935, High: .965}}

// TestAnIntervalOfAShareHoldsTheTruth promises the bounds for Wilson's interval.
func TestAnIntervalOfAShareHoldsTheTruth(t *testing.T) {
	for _, n := range []int{60, 300} {
		for _, p := range []float64{.8, .9, .95} {
			chance, held := rand.New(rand.NewPCG(30, uint64(n))), 0
			for range experiments {
				hits := 0
				for range n {
					if chance.Float64() < p {
						hits++
					}
				}
				if stat.Wilson(hits, n).Holds(p) {
					held++
				}
			}
			within(t, "share", n, p, held)
		}
	}
}

// TestAnIntervalOfADifferenceHoldsTheTruth promises the same for the bootstrap of pairs,
// where half of the items come out alike whichever version is asked.
func TestAnIntervalOfADifferenceHoldsTheTruth(t *testing.T) {
	for _, n := range []int{60, 300} {
		if n > 60 && testing.Short() {
			t.Skip("thousands of bootstraps take half a minute")
		}
		for _, p := range []float64{.8, .9, .95} {
			chance, held, known := rand.New(rand.NewPCG(30, uint64(n))), 0, map[[2]int]bool{}
			for range experiments {
				pair := draw(chance, n, p)
				holds, was := known[pair]
				if !was {
					holds = stat.Difference(differences(n, pair)).Holds(0)
					known[pair] = holds
				}
				if holds {
					held++
				}
			}
			within(t, "difference", n, p, held)
		}
	}
}

// draw is how many pairs got worse and better in one experiment where nothing changed.
func draw(chance *rand.Rand, n int, p float64) (pair [2]int) {
	for range n {
		before := chance.Float64() < p
		after := before
		if chance.Float64() < .5 {
			after = chance.Float64() < p
		}
		switch {
		case before && !after:
			pair[0]++
		case after && !before:
			pair[1]++
		}
	}
	return pair
}

func differences(n int, pair [2]int) []float64 {
	out := make([]float64, n)
	for i := range pair[0] {
		out[i] = -1
	}
	for i := range pair[1] {
		out[pair[0]+i] = 1
	}
	return out
}

func within(t *testing.T, what string, n int, p float64, held int) {
	t.Helper()
	got, want := float64(held)/experiments, bounds[n]
	t.Logf("coverage of a %s at n = %d, p = %.2f: %.1f %% of %d experiments (%.1f to %.1f)", what, n, p, 100*got, experiments,
		100*want.Low, 100*want.High)
	if !want.Holds(got) {
		t.Errorf("an interval of a %s at n = %d, p = %.2f holds the truth in %.2f %%", what, n, p, 100*got)
	}
}
