package together_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/together"
)

var unknown = math.NaN()

// TestRiseAndRankAreWorkedOut holds figures that were worked out by hand: 60 hours of which
// the last 10 are the surge.
func TestRiseAndRankAreWorkedOut(t *testing.T) {
	pm25, pm10, so2 := make(together.Series, 60), make(together.Series, 60), make(together.Series, 60)
	for i := range pm25 {
		pm25[i], pm10[i], so2[i] = 50+float64(i%2), 100+10*float64(i%2), 20-float64(i%2)
		if i >= 50 {
			pm25[i], pm10[i] = 300, 150
		}
	}
	if c := pm10.With(pm25, 10); c.Before != 105 || c.During != 150 || math.Abs(c.Times-150.0/105) > 1e-12 || c.Hours != 60 || c.Rank != 1 {
		t.Errorf("PM10: %+v", c)
	}
	if c := so2.With(pm25, 10); math.Abs(c.Times-1) > 1e-12 || !(c.Rank < -0.5) {
		t.Errorf("SO2: %+v", c)
	}
	// 1, 2, 3 … against their squares with the last two changed over: d² sums to 2, so 1-6*2/(n(n²-1)).
	a, b := make(together.Series, 48), make(together.Series, 48)
	for i := range a {
		a[i], b[i] = float64(i), float64(i*i)
	}
	b[46], b[47] = b[47], b[46]
	if c := a.With(b, 1); math.Abs(c.Rank-(1-12.0/(48*(48*48-1)))) > 1e-12 {
		t.Errorf("ranks: %+v", c)
	}
}

// TestTooLittleSaysNothing promises no figure from few hours, from a sensor that stands
// still, or from nothing before the surge.
func TestTooLittleSaysNothing(t *testing.T) {
	long, still, gaps := make(together.Series, 60), make(together.Series, 60), make(together.Series, 60)
	for i := range long {
		long[i], still[i], gaps[i] = float64(i), 7, unknown
		if i >= 20 {
			gaps[i] = float64(i)
		}
	}
	if c := still.With(long, 10); !math.IsNaN(c.Rank) || c.Times != 1 {
		t.Errorf("a sensor that stands still: %+v", c)
	}
	if c := gaps.With(long, 20); c.Hours != 40 || !math.IsNaN(c.Rank) || !math.IsNaN(c.Before) || !math.IsNaN(c.Times) {
		t.Errorf("20 hours before and 40 in all: %+v", c)
	}
	if c := (together.Series{}).With(long, 10); c.Hours != 0 || !math.IsNaN(c.During) {
		t.Errorf("nothing: %+v", c)
	}
}

// TestUnitsMakeNoDifference promises that how closely two went together does not hang on
// the unit of either, nor on which is asked about.
func TestUnitsMakeNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := make(together.Series, 60), make(together.Series, 60), make(together.Series, 60)
		for i := range a {
			a[i], b[i] = float64(rapid.IntRange(0, 40).Draw(t, "a")), float64(rapid.IntRange(1, 40).Draw(t, "b"))
			c[i] = 1000 * b[i]
		}
		one, other, back := a.With(b, 20), a.With(c, 20), b.With(a, 20)
		if one.Rank != other.Rank || math.Abs(one.Rank-back.Rank) > 1e-12 || one.Rank < -1 || one.Rank > 1 {
			t.Fatalf("%v, %v, %v", one.Rank, other.Rank, back.Rank)
		}
		if math.Abs(b.With(a, 20).Times-c.With(a, 20).Times) > 1e-9 {
			t.Fatalf("%v and %v", b.With(a, 20).Times, c.With(a, 20).Times)
		}
	})
}
