package pattern_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/pattern"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// autumns is so many episodes in each October from 2015 on.
func autumns(counts ...int) (out []pattern.Episode) {
	for i, n := range counts {
		for range n {
			out = append(out, pattern.Episode{Site: "a", Start: time.Date(2015+i, 10, 20, 6, 0, 0, 0, time.UTC),
				Verdict: plume.Inconclusive})
		}
	}
	return out
}

var after = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// TestATrendHasASlopeAndItsRange promises the slope by hand (the median of the fifteen pairs
// of 10, 12, 15, 17, 20, 22: most are 2.5), a range around it, none with fewer seasons than
// six, and that the season that goes on is not counted.
func TestATrendHasASlopeAndItsRange(t *testing.T) {
	rising := autumns(10, 12, 15, 17, 20, 22)
	got := pattern.Of(rising, after, aqi.India()).Trends
	if len(got) != 1 || got[0].Kind != pattern.Paddy || got[0].Slope != 2.5 || got[0].From != 2015 || got[0].To != 2020 ||
		got[0].Seasons != 6 || !got[0].Settled() || got[0].Low < 2 || got[0].High > 3 {
		t.Errorf("got %+v", got)
	}
	during := time.Date(2020, 11, 1, 0, 0, 0, 0, time.UTC)
	if got := pattern.Of(rising, during, aqi.India()).Trends; len(got) != 0 {
		t.Errorf("the season that goes on is counted: %+v", got)
	}
	if got := pattern.Of(autumns(9, 3, 8, 2, 9, 3, 8), after, aqi.India()).Trends; len(got) != 1 || got[0].Settled() {
		t.Errorf("up and down is a trend: %+v", got)
	}
}

// TestTheSlopeLiesInItsRange promises that, for any counts, and that the other way round it is
// the other way.
func TestTheSlopeLiesInItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(1, 40), 6, 14).Draw(t, "counts")
		back := make([]int, len(counts))
		for i, n := range counts {
			back[len(counts)-1-i] = n
		}
		one, two := pattern.Of(autumns(counts...), after, aqi.India()).Trends[0], pattern.Of(autumns(back...), after, aqi.India()).Trends[0]
		if !(one.Low <= one.Slope && one.Slope <= one.High) {
			t.Fatalf("%+v", one)
		}
		if d := one.Slope + two.Slope; d > 0.11 || d < -0.11 {
			t.Fatalf("%+v and %+v", one, two)
		}
	})
}

// TestVerdictsOfBothVersionsAreCounted promises that a complaint counts as settled and an
// inquiry does not, and that only what is settled names a state.
func TestVerdictsOfBothVersionsAreCounted(t *testing.T) {
	at := time.Date(2026, 10, 20, 6, 0, 0, 0, time.UTC)
	var in []pattern.Episode
	for _, v := range []plume.Verdict{analysis.Complaint, analysis.Inquiry, analysis.Undetermined, plume.Unattributed} {
		in = append(in, pattern.Episode{Site: "a", Start: at, Verdict: v, State: "Punjab", District: "Sangrur, Punjab"})
	}
	p := pattern.Of(in, after, aqi.India())
	if p.All.Conclusive != 1 || p.All.Inconclusive != 2 || p.All.Unattributed != 1 || len(p.States) != 1 || p.States[0].Episodes != 1 {
		t.Errorf("got %+v, %+v", p.All, p.States)
	}
}
