package madeup

import (
	"math"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

func TestOneStateOfEachRowBurnsMost(t *testing.T) {
	land, orders := states(9), map[int]bool{}
	for r := range rows {
		var parts []float64
		for c, s := range land[r*cols : (r+1)*cols] {
			parts = append(parts, s.weight)
			if s.weight == 0.82 {
				orders[c] = true
			}
		}
		slices.Sort(parts)
		if want := []float64{0.016, 0.031, 0.046, 0.086, 0.82}; !slices.Equal(parts, want) {
			t.Errorf("row %d burns in parts of %v, want %v", r, parts, want)
		}
	}
	if len(orders) < 2 {
		t.Errorf("the first states of all rows stand in column %v", orders)
	}
}

// Delhi borders two states. No city of the land has more within 50 km of it, and every
// third one has one only.
func TestNoCityStandsWhereFourStatesMeet(t *testing.T) {
	for seed := range uint64(60) {
		s := &Season{States: states(seed)}
		s.Cities = cities(s.States)
		for i, c := range s.Cities {
			near := map[string]bool{}
			for a := range 72 {
				for _, km := range []float64{5, 20, 35, 50} {
					sin, cos := math.Sincos(float64(a) * 5 * earth.Radians)
					at := moved(c.Lat, c.Lon, km*sin, km*cos)
					near[s.At(at.Lat, at.Lon)] = true
				}
			}
			if want := 2 - i%3/2; len(near) != want || near[""] {
				t.Errorf("land %d: %s has %v around it, want %d states", seed, c.Name, near, want)
			}
			for _, o := range s.Cities[:i] {
				if km := earth.Distance(c.Lat, c.Lon, o.Lat, o.Lon); km <= apartKm {
					t.Errorf("land %d: %s is %.0f km from %s, want more than %d", seed, c.Name, km, o.Name, apartKm)
				}
			}
		}
	}
}

// Published: 50 to 700 events a day in Punjab. After one satellite is dead a detection
// is a fire.
func TestTheFirstStateOfARowIsSeenToBurnEveryDay(t *testing.T) {
	p := Standard()
	s := &Season{Plan: p, States: states(p.Seed), weather: newWeather(p.Seed)}
	s.Cities = cities(s.States)
	s.burn()
	s.look()
	seen := make([]float64, len(s.States))
	for _, d := range s.Detections(Begin().AddDate(0, 0, p.Dies()), s.End()) {
		if i := s.state(d.At.Lat, d.At.Lon); i >= 0 {
			seen[i]++
		}
	}
	for i, st := range s.States {
		if got := seen[i] / float64(p.Days-p.Dies()); st.weight == 0.82 && got < 25 {
			t.Errorf("%s has %.1f fires seen on a mean day, want 25", st.Name, got)
		}
	}
}

// Of Punjab's 49,922 fires of 2022 5,617 had burnt by 24 October, 21,480 by 2 November,
// 32,486 by the 7th, 43,144 by the 12th and 46,822 by the 16th: a deviation of 8 days.
func TestTheFieldsOfAStateBurnInStep(t *testing.T) {
	s := &Season{Plan: Plan{Seed: 6, Days: 150, Fires: 300, Particles: MinParticles, Harvest: Standard().Harvest}, States: states(6)}
	s.Cities = cities(s.States)
	s.burn()
	for i, st := range s.States {
		if st.weight != 0.82 {
			continue
		}
		var squares, n float64
		for _, f := range s.Fires {
			if f.State != i {
				continue
			}
			off := math.Inf(1) // from the nearest harvest
			for _, date := range s.harvests(i) {
				off = min(off, math.Abs(f.From/24-0.3-date)) // a day's fires burn in its afternoon, a third of it gone
			}
			squares, n = squares+off*off, n+1
		}
		if got := math.Sqrt(squares / n); got < 7 || got > 9.5 {
			t.Errorf("the fires of %s spread over %.1f days, want about 8", st.Name, got)
		}
	}
}

// Hours of the clock of the land, five and a half ahead of UTC.
func TestTheEveningIsStill(t *testing.T) {
	for _, tt := range []struct{ clock, want float64 }{{6, 0}, {8, 0}, {11.25, math.Sqrt2 / 2}, {14.5, 1}, {16.25, math.Sqrt2 / 2}, {18, 0},
		{20, 0}, {23.9, 0}} {
		if got := daylight(48 + tt.clock - 5.5); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("at %v o'clock the sun stirs by %v, want %v", tt.clock, got, tt.want)
		}
	}
}

// By night 100 m keeps nine tenths of its wind, and 10 m has half of that.
func TestTheNightIsStillAtTheGroundOnly(t *testing.T) {
	const noon, night = 9.0, 20.0 // half past two in the afternoon, and in the night
	day, _ := sheared(0, noon, 3, 4, 0, 0)
	dark, _ := sheared(0, night, 3, 4, 0, 0)
	if got := dark / day; math.Abs(got-0.9) > 1e-9 {
		t.Errorf("the lowest level blows by night at %.2f of the day, want 0.9", got)
	}
	g, err := small(t).Wind(Begin(), 24)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := g.Grid()
	if err != nil {
		t.Fatal(err)
	}
	low, _ := grid.Field(wind.M10)
	high, _ := grid.Field(wind.M100)
	for _, tt := range []struct{ hour, want float64 }{{noon, 0.7}, {night, 0.5}} {
		var a, b float64
		for lat := south; lat <= north; lat++ {
			for lon := west; lon <= east; lon++ {
				u, v, _ := low.At(lat, lon, wind.Hours(Begin())+tt.hour)
				x, y, _ := high.At(lat, lon, wind.Hours(Begin())+tt.hour)
				a, b = a+math.Hypot(u, v), b+math.Hypot(x, y)
			}
		}
		if got := a / b; math.Abs(got-tt.want) > 0.01 {
			t.Errorf("at hour %v the wind at 10 m is %.3f of that at 100 m, want %v", tt.hour, got, tt.want)
		}
	}
}
