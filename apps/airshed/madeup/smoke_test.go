package madeup

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/earth"
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

// 200, 600 and 1,200 m of 2,000: by day smoke ends up in parts of 10, 30 and 60 %.
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
	for l, want := range []float64{0.1, 0.3, 0.6} {
		if got := in[l] / n; math.Abs(got-want) > 0.015 { // four standard deviations of 20,000
			t.Errorf("%.3f of the smoke is in level %d, want %v", got, l, want)
		}
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
