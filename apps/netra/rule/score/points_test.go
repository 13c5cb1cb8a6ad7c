package score_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// TestPointsAreSharedByWeight promises the formula of a layer that is not linear: two signals, one three times the other, and
// relief apart.
func TestPointsAreSharedByWeight(t *testing.T) {
	l := score.Of(score.V2(), score.Usual(), day(), []signal.Signal{heard("one", 0, 1, 1, signal.Escalatory, false, signal.Network),
		heard("three", 0, 3, 1, signal.Escalatory, false, signal.Network),
		heard("calm", 0, 2, 1, signal.Stabilizing, false, signal.Network)}).Layer(signal.Network)
	points := map[string]float64{}
	for _, c := range l.Contributions {
		points[c.ID] = c.Points + c.Relief
	}
	// P = 0.8, N = 0.2: E = 10(1 - e^-0.8) = 5.506710, relief 0.2 of it
	for id, want := range map[string]float64{"one": 1.101342, "three": 3.304026, "calm": -1.101342} {
		if math.Abs(points[id]-want) > 1e-6 {
			t.Errorf("%s: got %.6f, want %.6f", id, points[id], want)
		}
	}
}

// TestPrintedPointsAddUp promises that what rounding leaves goes to the largest rest, and nothing to what has none.
func TestPrintedPointsAddUp(t *testing.T) {
	for _, tt := range []struct {
		points []float64
		whole  score.Printed
		want   []score.Printed
	}{
		{[]float64{0.3333, 0.3333, 0.3334}, 100, []score.Printed{33, 33, 34}},
		{[]float64{1.916, -0.389, 0}, 153, []score.Printed{192, -39, 0}},
		{[]float64{0.005, 0.005, 0}, 1, []score.Printed{1, 0, 0}},
		{[]float64{0.5, 0.5}, 99, []score.Printed{50, 49}},
		{nil, 0, []score.Printed{}},
	} {
		if got := score.Apportion(tt.points, tt.whole); !slices.Equal(got, tt.want) {
			t.Errorf("%v to %d: got %v, want %v", tt.points, tt.whole, got, tt.want)
		}
	}
}
