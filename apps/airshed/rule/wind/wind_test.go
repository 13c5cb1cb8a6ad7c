package wind_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

var start = time.Date(2025, 11, 12, 0, 0, 0, 0, time.UTC)

// shape is four nodes by three, every hour for three hours.
func shape() wind.Shape {
	return wind.Shape{South: 28, West: 76, DLat: 0.5, DLon: 0.25, Rows: 4, Cols: 3, Start: start, Every: time.Hour, Times: 3}
}

// filled is a grid of which every node of a level is a function of place and time.
func filled(t testing.TB, s wind.Shape, l wind.Level, of func(lat, lon, hours float64) (u, v float64)) *wind.Grid {
	t.Helper()
	g, err := wind.New(s)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, g, l, of)
	return g
}

func fill(t testing.TB, g *wind.Grid, l wind.Level, of func(lat, lon, hours float64) (u, v float64)) {
	t.Helper()
	s := g.Shape()
	for at := range s.Times {
		for r := range s.Rows {
			for c := range s.Cols {
				hours := wind.Hours(s.Start.Add(time.Duration(at) * s.Every))
				u, v := of(s.South+float64(r)*s.DLat, s.West+float64(c)*s.DLon, hours)
				if err := g.Set(l, at, r, c, u, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestDirectionIsWhereTheWindComesFrom holds the compass: a north wind goes south.
func TestDirectionIsWhereTheWindComesFrom(t *testing.T) {
	for _, tt := range []struct{ speed, from, u, v float64 }{
		{5, 0, 0, -5},
		{5, 90, -5, 0},
		{5, 180, 0, 5},
		{5, 270, 5, 0},
		{4, 315, 2.8284271, -2.8284271}, // 4/√2
	} {
		if u, v := wind.FromDirection(tt.speed, tt.from); math.Abs(u-tt.u) > 1e-7 || math.Abs(v-tt.v) > 1e-7 {
			t.Errorf("%v m/s from %v: got %v, %v, want %v, %v", tt.speed, tt.from, u, v, tt.u, tt.v)
		}
	}
}

// TestBetweenNodesTheWindIsLinear promises that a wind that grows evenly with place
// and time is given back anywhere inside, to the precision of float32.
func TestBetweenNodesTheWindIsLinear(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.SliceOfN(rapid.Float64Range(-3, 3), 4, 4).Draw(rt, "slopes")
		first := wind.Hours(start)
		of := func(lat, lon, h float64) (float64, float64) {
			u := a[0] + a[1]*(lat-28) + a[2]*(lon-76) + a[3]*(h-first)
			return u, -2 * u
		}
		f, _ := filled(t, shape(), wind.M100, of).Field(wind.M100)
		lat, lon := rapid.Float64Range(28, 29.5).Draw(rt, "lat"), rapid.Float64Range(76, 76.5).Draw(rt, "lon")
		hours := first + rapid.Float64Range(0, 2).Draw(rt, "hours")
		u, v, ok := f.At(lat, lon, hours)
		wantU, wantV := of(lat, lon, hours)
		if !ok || math.Abs(u-wantU) > 1e-5 || math.Abs(v-wantV) > 1e-5 {
			rt.Fatalf("got %v, %v, %v, want %v, %v", u, v, ok, wantU, wantV)
		}
	})
}

// TestTheFarCornerMatters holds one square by hand: one corner of eight is 8, the
// rest 0; a quarter of the way north, half way east and three quarters on in time
// that is 8 × 0.25 × 0.5 × 0.75.
func TestTheFarCornerMatters(t *testing.T) {
	g := filled(t, shape(), wind.M10, func(lat, lon, hours float64) (float64, float64) {
		if lat == 28.5 && lon == 76.25 && hours == wind.Hours(start)+1 {
			return 8, 0
		}
		return 0, 0
	})
	f, _ := g.Field(wind.M10)
	if u, _, ok := f.At(28.125, 76.125, wind.Hours(start)+0.75); !ok || math.Abs(u-0.75) > 1e-12 {
		t.Errorf("got %v, want 0.75", u)
	}
}

// TestNothingIsKnownOutside promises no wind beyond the edges, and none around a
// node that is missing; the edge itself is known.
func TestNothingIsKnownOutside(t *testing.T) {
	g, err := wind.New(shape())
	if err != nil {
		t.Fatal(err)
	}
	hole := func(at, r, c int) bool { return at == 1 && r == 3 && c == 2 }
	for node := range 3 * 4 * 3 {
		if at, r, c := node/12, node/3%4, node%3; !hole(at, r, c) {
			if err := g.Set(wind.P925, at, r, c, 1, 2); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, ok := g.Field(wind.P925)
	if !ok {
		t.Fatal("the level is missing")
	}
	h := wind.Hours(start)
	for _, tt := range []struct {
		name            string
		lat, lon, hours float64
		want            bool
	}{
		{"the first corner", 28, 76, h, true},
		{"the far edge", 28.7, 76.5, h + 2, true},
		{"south", 27.999, 76.2, h, false},
		{"north", 29.501, 76.2, h, false},
		{"west", 28.5, 75.999, h, false},
		{"east", 28.5, 76.501, h, false},
		{"earlier", 28.5, 76.2, h - 0.01, false},
		{"later", 28.5, 76.2, h + 2.01, false},
		{"beside the hole", 29.2, 76.2, h + 0.5, true},
		{"in the square of the hole", 29.2, 76.3, h + 0.5, false},
		{"in that square an hour on", 29.2, 76.3, h + 1.5, false},
		{"not a number", math.NaN(), 76.2, h, false},
	} {
		if _, _, got := f.At(tt.lat, tt.lon, tt.hours); got != tt.want {
			t.Errorf("%s: known is %v, want %v", tt.name, got, tt.want)
		}
	}
	if _, _, ok := (wind.Field{}).At(28.5, 76.2, h); ok {
		t.Error("the zero field knows a wind")
	}
	if _, ok := g.MixingAt(28.5, 76.2, h); ok {
		t.Error("a mixing height is known that was never set")
	}
}

// TestAMeanIsOfTheWindsNotTheirAngles promises that two levels are averaged as
// vectors, and that a mean is refused where one of them is missing.
func TestAMeanIsOfTheWindsNotTheirAngles(t *testing.T) {
	g := filled(t, shape(), wind.M100, func(_, _, _ float64) (float64, float64) { return wind.FromDirection(4, 350) })
	fill(t, g, wind.P925, func(_, _, _ float64) (float64, float64) { return wind.FromDirection(4, 10) })
	f, ok := g.Field(wind.M100, wind.P925)
	u, v, known := f.At(28.5, 76.2, wind.Hours(start))
	if !ok || !known || math.Abs(u) > 1e-6 || math.Abs(v+4*math.Cos(10*math.Pi/180)) > 1e-6 {
		t.Errorf("got %v, %v; the mean of 350 and 10 degrees is north", u, v)
	}
	if _, ok := g.Field(wind.M100, wind.P850); ok {
		t.Error("a mean with a level that is not there")
	}
	if _, ok := g.Field(); ok {
		t.Error("a mean of nothing")
	}
}

// TestTurnedTwiceIsTurnedBack promises that 180 degrees reverse a wind, that turning
// keeps its speed, and that turns add up.
func TestTurnedTwiceIsTurnedBack(t *testing.T) {
	g := filled(t, shape(), wind.M10, func(lat, lon, _ float64) (float64, float64) { return lat - 27, lon - 75 })
	f, _ := g.Field(wind.M10)
	h := wind.Hours(start)
	u, v, _ := f.At(28.3, 76.1, h)
	if bu, bv, _ := f.Turned(180).At(28.3, 76.1, h); math.Hypot(u+bu, v+bv) > 1e-9 {
		t.Errorf("turned by 180 degrees: got %v, %v, want %v, %v", bu, bv, -u, -v)
	}
	if qu, qv, _ := f.Turned(90).At(28.3, 76.1, h); math.Hypot(qu+v, qv-u) > 1e-9 {
		t.Errorf("turned by 90 degrees: got %v, %v, want %v, %v", qu, qv, -v, u)
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.Float64Range(-360, 360).Draw(rt, "a"), rapid.Float64Range(-360, 360).Draw(rt, "b")
		u1, v1, _ := f.Turned(a).Turned(b).At(28.3, 76.1, h)
		u2, v2, _ := f.Turned(a+b).At(28.3, 76.1, h)
		if math.Hypot(u1-u2, v1-v2) > 1e-9 || math.Abs(math.Hypot(u1, v1)-math.Hypot(u, v)) > 1e-9 {
			rt.Fatalf("got %v, %v and %v, %v", u1, v1, u2, v2)
		}
	})
}

// TestShapesOutOfBoundsAreRefused promises a fault, not a crash or a gigabyte.
func TestShapesOutOfBoundsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(s *wind.Shape){
		"one row":         func(s *wind.Shape) { s.Rows = 1 },
		"one time":        func(s *wind.Shape) { s.Times = 1 },
		"too many":        func(s *wind.Shape) { s.Rows, s.Cols, s.DLat, s.DLon = 1<<20, 1<<20, 1e-6, 1e-6 },
		"too many times":  func(s *wind.Shape) { s.Times = wind.MaxNodes },
		"no step":         func(s *wind.Shape) { s.DLat = 0 },
		"step not a size": func(s *wind.Shape) { s.DLon = math.NaN() },
		"over the pole":   func(s *wind.Shape) { s.South = 88.5 },
		"over the line":   func(s *wind.Shape) { s.West = 179.9 },
		"every minute":    func(s *wind.Shape) { s.Every = time.Minute },
		"no start":        func(s *wind.Shape) { s.Start = time.Time{} },
	} {
		s := shape()
		spoil(&s)
		if _, err := wind.New(s); err == nil || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: got %v", name, err)
		}
	}
	g, err := wind.New(shape())
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a storm of another unit": g.Set(wind.M10, 0, 0, 0, 999, 0),
		"not a wind":              g.Set(wind.M10, 0, 0, 0, math.NaN(), 0),
		"no such level":           g.Set("2m", 0, 0, 0, 1, 1),
		"no such row":             g.Set(wind.M10, 0, 4, 0, 1, 1),
		"no such time":            g.Set(wind.M10, -1, 0, 0, 1, 1),
		"below the ground":        g.SetMixing(0, 0, 0, -1),
		"in space":                g.SetMixing(0, 0, 0, 99999),
	} {
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
