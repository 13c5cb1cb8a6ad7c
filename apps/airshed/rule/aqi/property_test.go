package aqi_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// someAmount is random, and often where the bands are narrow.
func someAmount(t *rapid.T, label string) aqi.Amount {
	top := rapid.SampledFrom([]int64{5, 600, 10_000}).Draw(t, label+" below")
	return aqi.Amount(rapid.Int64Range(0, top*int64(aqi.Micro)).Draw(t, label))
}

func somePollutant(t *rapid.T) aqi.Pollutant {
	return rapid.SampledFrom(aqi.Pollutants()).Draw(t, "pollutant")
}

// TestMoreIsNeverBetter promises that the scale rises with the concentration,
// stays on 0 to 500, and has no jumps: a millionth more moves it by no more
// than a thousandth of a point.
func TestMoreIsNeverBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, a := somePollutant(t), someAmount(t, "amount")
		b := min(a+aqi.Amount(rapid.Int64Range(0, int64(aqi.Micro)).Draw(t, "more")), aqi.MaxAmount)
		x, err1 := aqi.Of(p, a)
		y, err2 := aqi.Of(p, b)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if x.Exact.Above(y.Exact) || y.Exact.Float() > aqi.Top {
			t.Fatalf("%s: %s gives %v, %s gives %v", p, a, x.Exact, b, y.Exact)
		}
		next, err := aqi.Of(p, min(a+1, aqi.MaxAmount))
		if err != nil || next.Exact.Float()-x.Exact.Float() > 0.001 {
			t.Fatalf("%s: jumps after %s from %v to %v, %v", p, a, x.Exact, next.Exact, err)
		}
	})
}

// TestTheWayBackHoldsExactlyWhatRoundsThere promises that the range of a derived
// concentration has every amount that rounds to the sub-index and no other.
func TestTheWayBackHoldsExactlyWhatRoundsThere(t *testing.T) {
	round := func(p aqi.Pollutant, a aqi.Amount) int { s, _ := aqi.Of(p, a); return s.Rounded() }
	for _, p := range aqi.Pollutants() {
		for index := 0; index <= aqi.Top; index++ {
			d, err := aqi.Derive(p, index)
			if err != nil || d.Label != aqi.DerivedLabel || d.Hours != p.Period() {
				t.Fatal(p, index, err, d)
			}
			if round(p, d.Low) != index || round(p, d.Middle) != index || d.Low > 0 && round(p, d.Low-1) != index-1 {
				t.Errorf("%s %d: low %s, middle %s", p, index, d.Low, d.Middle)
			}
			if d.Open != (index == aqi.Top) || !d.Open && (round(p, d.High) != index || round(p, d.High+1) != index+1) {
				t.Errorf("%s %d: high %s, open %v", p, index, d.High, d.Open)
			}
			if s, _ := aqi.Of(p, d.Middle); s.Exact.Num != int64(index)*s.Exact.Den {
				t.Errorf("%s %d: the middle %s stands at %v", p, index, d.Middle, s.Exact)
			}
		}
	}
}

// TestDerivedFigures holds a few computed by hand: a sub-index of 350 for PM2.5 is
// 120 + 50·130/100 = 185 µg/m³, give or take half a point at 1.3 µg/m³ each.
func TestDerivedFigures(t *testing.T) {
	for _, tt := range []struct {
		of                aqi.Pollutant
		index             int
		low, middle, high string
	}{
		{aqi.PM25, 350, "184.35", "185", "185.649999"},
		{aqi.PM25, 83, "49.5", "49.8", "50.099999"}, // the Alipur row of the feed: not 83 µg/m³
		{aqi.PM25, 300, "119.85", "120", "120.649999"},
		{aqi.PM25, 0, "0", "0", "0.299999"},
		{aqi.PM25, 500, "379.35", "380", "none"},
		{aqi.CO, 42, "0.83", "0.84", "0.849999"}, // not 42 mg/m³, of which one dies
	} {
		d, err := aqi.Derive(tt.of, tt.index)
		if err != nil || d.Low.String() != tt.low || d.Middle.String() != tt.middle || d.High.String() != tt.high {
			t.Errorf("%s %d: got %s, %s, %s, %v", tt.of, tt.index, d.Low, d.Middle, d.High, err)
		}
	}
	for _, index := range []int{-1, 501, 999} {
		if _, err := aqi.Derive(aqi.PM25, index); err == nil {
			t.Errorf("a sub-index of %d was taken", index)
		}
	}
}

// TestAmountsAreWrittenAsTheyAreRead promises that no digit is lost on the way.
func TestAmountsAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someAmount(t, "amount")
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back aqi.Amount
		if err := json.Unmarshal(b, &back); err != nil || back != a {
			t.Fatalf("%d became %s became %d, %v", a, b, back, err)
		}
		if f, err := aqi.AmountOf(a.Float()); err != nil || f != a {
			t.Fatalf("%s became %v, %v", a, f, err)
		}
	})
	for _, s := range []string{"", "-1", "1e3", ".5", "5.", "10000.0000005", "10001", "1,5", "NaN", "0x10", " 1"} {
		if a, err := aqi.ParseAmount(s); err == nil {
			t.Errorf("%q was read as %s", s, a)
		}
	}
	if a, err := aqi.ParseAmount("0.0000005"); err != nil || a != 1 {
		t.Errorf("got %d, %v, want one millionth: a half goes up", a, err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -0.1, 10_001} {
		if a, err := aqi.AmountOf(v); err == nil {
			t.Errorf("%v was read as %s", v, a)
		}
	}
}
