package madeup

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// even is a wind that blows alike everywhere, on all levels.
func even(u, v float32) *breeze {
	b := newBreeze()
	for l := range levels {
		for i := range b.u[l] {
			b.u[l][i], b.v[l][i] = u, v
		}
	}
	return b
}

// By hand: 5 m/s for six hours are 108 km; six steps of 6.6 km by chance are 16.2 km
// on each side.
func TestSmokeGoesWithTheWindAndSpreads(t *testing.T) {
	const n, hours = 20_000, 6
	b := even(5, 0)
	var x, y, xx, yy float64
	d := cast(4, 1)
	for range n {
		p := particle{lat: 29, lon: 75, chance: dice(d.bits())}
		for range hours {
			if !p.move(b, b) {
				t.Fatal("a particle left the land")
			}
		}
		const perDegree = earth.RadiusKM * earth.Radians
		dx, dy := (float64(p.lon)-75)*perDegree*math.Cos(29*earth.Radians), (float64(p.lat)-29)*perDegree
		x, y, xx, yy = x+dx, y+dy, xx+dx*dx, yy+dy*dy
	}
	x, y = x/n, y/n
	if math.Abs(x-108) > 1 || math.Abs(y) > 1 {
		t.Errorf("the smoke went %.1f km east and %.1f north, want 108 and 0", x, y)
	}
	for _, spread := range []float64{math.Sqrt(xx/n - x*x), math.Sqrt(yy/n - y*y)} {
		if math.Abs(spread-walkKm*math.Sqrt(hours)) > 0.5 {
			t.Errorf("the smoke spread by %.1f km, want %.1f", spread, walkKm*math.Sqrt(hours))
		}
	}
}

// By hand: the sun mixes up to 1,400 m, of which 200, 600 and the other 600 m lie in the
// three levels: smoke ends up in parts of 14.3, 42.9 and 42.9 %.
func TestTheDayMixesSmokeEvenly(t *testing.T) {
	const n = 20_000
	up, down := exchange(1)
	var in [levels]float64
	d := cast(4, 2)
	for range n {
		p := particle{chance: dice(d.bits())}
		for range 60 {
			p.rise(up, down)
		}
		in[p.level]++
	}
	for l, want := range []float64{2.0 / 14, 6.0 / 14, 6.0 / 14} {
		if got := in[l] / n; math.Abs(got-want) > 0.015 { // four standard deviations of 20,000
			t.Errorf("%.3f of the smoke is in level %d, want %v", got, l, want)
		}
	}
}

// A mixed layer of 775 m, and that of the night, do not reach the highest level.
func TestTheHighestLevelIsMetOnlyWhereTheMixedLayerReachesIt(t *testing.T) {
	for _, tt := range []struct {
		sun float64
		met bool
	}{{0, false}, {0.5, false}, {0.55, true}, {1, true}} {
		up, down := exchange(tt.sun)
		if got := up[1] > 0 && down[2] > 0; got != tt.met || !got && up[1]+down[2] > 0 {
			t.Errorf("sun %v: up %v and down %v, want any: %v", tt.sun, up[1], down[2], tt.met)
		}
		if up[0] <= 0 || down[1] <= 0 {
			t.Errorf("sun %v: the lower two never meet", tt.sun)
		}
	}
}

// By hand: 90 km at 5 m/s are 5 hours, whenever the fire was lit and however long it
// burnt. The random walk and what an hour holds make it a tenth of an hour more or less.
func TestSmokeKeepsTheClock(t *testing.T) {
	const n, hours, km = 120, 40, 90.0
	from := moved(29, 75, -km, 0)
	s := &Season{Plan: Plan{Seed: 12, Fires: 1, Particles: MinParticles}, States: make([]State, n), weather: newWeather(1)}
	s.Cities = []City{{Stations: []surge.Station{{Site: "here", Lat: 29, Lon: 75}}}}
	d := cast(12, 1)
	for i := range n {
		s.Fires = append(s.Fires, Fire{Lat: from.Lat, Lon: from.Lon, State: i, From: 24 * float64(i) / n, Hours: d.within(1, 3.5),
			Power: 60})
	}
	f, b, post := flight{found: [][]float64{make([]float64, n)}}, even(5, 0), s.posts()
	when, mass := make([]float64, n), make([]float64, n)
	next := 0
	for hour := range hours {
		for ; next < n && s.Fires[next].From < float64(hour+1); next++ {
			f.release(s, next%chunks, next, next+1)
		}
		f.carry(hour, b, b, post)
		for i, v := range f.found[0] {
			when[i], mass[i] = when[i]+v*(float64(hour)+0.5), mass[i]+v // a reading stands for the middle of its hour
		}
		clear(f.found[0])
	}
	late, all := 0.0, 0.0
	for i, b := range s.Fires {
		late += when[i] - mass[i]*(b.From+b.Hours/2+km/18)
		all += mass[i]
	}
	if got := late / all; all == 0 || math.Abs(got) > 0.25 {
		t.Errorf("smoke is %.2f hours late, want none", got)
	}
}

func TestWhatLeavesTheLandIsGone(t *testing.T) {
	b := even(20, 0)
	p := particle{lat: 29, lon: east + margin - 0.2}
	if p.move(b, b) {
		t.Errorf("a particle at %v, %v is still followed", p.lat, p.lon)
	}
}

// The painter takes a short way; it must come to the same wind.
func TestThePaintedWindIsTheTrueOne(t *testing.T) {
	w := newWeather(11)
	draw := newPainter(w)
	b := newBreeze()
	for _, hour := range []float64{0, 17, 1000} {
		draw.paint(b, hour)
		for _, node := range []int{0, 17, 4000, nodeRows*nodeCols - 1} {
			u, v := w.at(floor+step*float64(node/nodeCols), left+step*float64(node%nodeCols), hour)
			for l := range levels {
				if math.Abs(float64(b.u[l][node])-u[l]) > 1e-4 || math.Abs(float64(b.v[l][node])-v[l]) > 1e-4 {
					t.Errorf("hour %v, node %d, level %d: %v, %v, want %v, %v", hour, node, l, b.u[l][node], b.v[l][node], u[l], v[l])
				}
			}
		}
	}
}
