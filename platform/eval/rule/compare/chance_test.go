package compare_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

const tries = 10_000

// TestTheGateIsWrongAsOftenAsItSays prints how often the gate on a regression stops a
// change that is none, and how often it lets one pass that is; and promises that the first
// stays within what significance allows.
func TestTheGateIsWrongAsOftenAsItSays(t *testing.T) {
	for _, n := range []int{60, 300} {
		for _, tt := range []struct {
			lost, flips float64 // share of the cases that get worse; and that come out otherwise by chance, half each way
		}{{0, .02}, {0, .1}, {.02, .02}, {.04, .02}, {.04, .1}, {.1, .02}, {.1, .1}} {
			chance, stopped := rand.New(rand.NewPCG(30, uint64(n))), 0
			for range tries {
				worse, better := pairs(chance, n, tt.lost, tt.flips)
				if worse > better && stat.McNemar(worse, better) < compare.Significance {
					stopped++
				}
			}
			rate := float64(stopped) / tries
			if tt.lost > 0 {
				t.Logf("miss: n = %d, %.0f points lost, %.0f %% by chance: passes in %.1f %%", n, 100*tt.lost, 100*tt.flips, 100*(1-rate))
				continue
			}
			t.Logf("false alarm: n = %d, nothing lost, %.0f %% by chance: stopped in %.1f %%", n, 100*tt.flips, 100*rate)
			if rate > compare.Significance/2+.005 {
				t.Errorf("%.2f %% of the changes that are none are stopped", 100*rate)
			}
		}
	}
}

// TestTheGateIsWrongNoMoreOftenWithManySlices promises that looking at ten slices does not
// make a false alarm more likely than looking at all once.
func TestTheGateIsWrongNoMoreOftenWithManySlices(t *testing.T) {
	const parts, each, rounds = 10, 60, 10_000
	chance, stopped, one := rand.New(rand.NewPCG(30, 10)), 0, 0
	for range rounds {
		var p []float64
		var down []bool
		worse, better := 0, 0
		for range parts {
			w, b := pairs(chance, each, 0, .2)
			worse, better = worse+w, better+b
			p, down = append(p, stat.McNemar(w, b)), append(down, w > b)
		}
		p, down = append(p, stat.McNemar(worse, better)), append(down, worse > better)
		found, bare := false, false
		for i, q := range stat.Holm(p) {
			found = found || down[i] && q < compare.Significance
			bare = bare || down[i] && p[i] < compare.Significance
		}
		if found {
			stopped++
		}
		if bare {
			one++
		}
	}
	rate := float64(stopped) / rounds
	t.Logf("false alarm: %d slices of %d and all of them: stopped in %.1f %%; without the correction in %.1f %%", parts, each, 100*rate,
		100*float64(one)/rounds)
	if rate > compare.Significance/2+.005 || one <= stopped {
		t.Errorf("%.2f %% of the changes that are none are stopped", 100*rate)
	}
}

// TestTheGateIsWrongAboutASmokeTest prints the same for "57 of 60": a share at its goal.
func TestTheGateIsWrongAboutASmokeTest(t *testing.T) {
	missed := map[int]float64{}
	for _, n := range []int{60, 300} {
		for _, truth := range []float64{.9, .93, .95, .97, .99} {
			chance, passed := rand.New(rand.NewPCG(30, uint64(n))), 0
			for range tries {
				hits := 0
				for range n {
					if chance.Float64() < truth {
						hits++
					}
				}
				if hits*1000 >= 950*n {
					passed++
				}
			}
			rate := 100 * float64(passed) / tries
			if truth < .95 {
				t.Logf("miss: n = %d, %.0f %% right, 95 %% wanted: passes in %.1f %%", n, 100*truth, rate)
				missed[n] += rate
				continue
			}
			t.Logf("false alarm: n = %d, %.0f %% right, 95 %% wanted: stopped in %.1f %%", n, 100*truth, 100-rate)
		}
	}
	if missed[300] >= missed[60] {
		t.Errorf("more cases find less: %v", missed)
	}
}

// pairs is how many cases got worse and better.
func pairs(chance *rand.Rand, n int, lost, flips float64) (worse, better int) {
	for range n {
		switch x := chance.Float64(); {
		case x < lost+flips/2:
			worse++
		case x < lost+flips:
			better++
		}
	}
	return worse, better
}
