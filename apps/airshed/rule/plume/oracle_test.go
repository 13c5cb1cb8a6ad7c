package plume_test

import (
	"math"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// off is how far a number is from another, relative to the other.
func off(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// TestASteadyWindLeadsStraightBack holds the first worked example: 4 m/s from the
// north-west, followed from Alipur for 12 and 24 hours. Positions were computed by
// hand to five and four decimals; 172.8 and 345.6 km are 4 m/s times the hours.
func TestASteadyWindLeadsStraightBack(t *testing.T) {
	track := plume.Standard().Back(field(t, northwest(t), wind.M100), nil, alipur, noon)
	for _, tt := range []struct {
		hours     int
		want      plume.Point
		tolerance float64
		path      float64
	}{
		{12, plume.Point{Lat: 29.91419, Lon: 75.89212}, 1e-5, 172.8},
		{24, plume.Point{Lat: 31.0131, Lon: 74.6172}, 1e-4, 345.6},
	} {
		got := track.Spots[tt.hours*4]
		if math.Abs(got.At.Lat-tt.want.Lat) > tt.tolerance || math.Abs(got.At.Lon-tt.want.Lon) > tt.tolerance {
			t.Errorf("%d h back: got %v, want %v", tt.hours, got.At, tt.want)
		}
		if off(got.Path, tt.path) > 1e-4 {
			t.Errorf("%d h back: %f km of path, want %f", tt.hours, got.Path, tt.path)
		}
	}
	if track.Edge || track.Reach() != 72 {
		t.Errorf("the track ends after %v h, at an edge: %v", track.Reach(), track.Edge)
	}
}

// TestHeunFollowsMachtasWave holds the second: a wave in a steady wind, for which
// the way can be written down. U = 10, V = 10 sin(2π(x−5t)/1000 km), 48 hours from
// the origin end at (1728.000, 109.312) km; Heun's method with steps of 60, 30 and
// 15 minutes comes to 109.196, 109.283 and 109.305 (published formula, computed).
func TestHeunFollowsMachtasWave(t *testing.T) {
	type plane struct{ x, y float64 } // km
	blow := func(p plane, t float64) (float64, float64, bool) {
		return 10, 10 * math.Sin(2*math.Pi*(p.x-5*t*3.6)/1000), true
	}
	move := func(p plane, u, v, dt float64) plane { return plane{p.x + u*3.6*dt, p.y + v*3.6*dt} }
	for _, tt := range []struct{ dt, want float64 }{{1, 109.196}, {0.5, 109.283}, {0.25, 109.305}} {
		p, ok := plane{}, true
		for k := 0; ok && float64(k)*tt.dt < 48; k++ {
			p, ok = plume.Heun(p, float64(k)*tt.dt, tt.dt, blow, move)
		}
		if math.Abs(p.x-1728) > 1e-6 || math.Abs(p.y-tt.want) > 5e-4 {
			t.Errorf("steps of %v h: got %.3f, %.3f, want 1728.000, %.3f", tt.dt, p.x, p.y, tt.want)
		}
		if math.Abs(p.y-109.312) > 0.12*tt.dt*tt.dt {
			t.Errorf("steps of %v h: %.3f km from the true way", tt.dt, p.y-109.312)
		}
	}
}

// An example is a fire of the third worked example. weight and share, in per cent,
// were computed by hand with steps of a quarter of an hour, both ends of the burn
// window included.
type example struct {
	name          string
	fire          plume.Fire
	km            float64 // from Alipur
	weight, share float64
	tolerance     float64 // of the weight, relative
}

func examples() []example {
	fire := func(lat, lon float64, hours int) plume.Fire {
		return plume.Fire{At: plume.Point{Lat: lat, Lon: lon}, Time: noon.Add(time.Duration(hours) * time.Hour), FRP: 10}
	}
	return []example{
		{"A on the way", fire(29.91419, 75.89212, -12), 172.8, 1.022065e-02, 64.31, 1e-4},
		{"B 60 km beside A", fire(30.29574, 76.33231, -12), 182.8, 2.295030e-03, 14.44, 1e-4},
		{"C on the way, beyond 200 km", fire(31.01305, 74.61723, -24), 345.6, 3.322244e-03, 20.90, 1e-4},
		{"D downwind", fire(28.9845, 77.7064, -12), 57.1, 1.50e-09, 0.00, 4e-3}, // three digits were written down
		{"E where A was, too early", fire(29.91419, 75.89212, -30), 172.8, 5.52e-05, 0.35, 1e-3},
	}
}

// TestWeightsOfTheWorkedExample holds the third: five fires of 10 MW in that wind,
// mixed through 500 m.
func TestWeightsOfTheWorkedExample(t *testing.T) {
	g, p := northwest(t), plume.Standard()
	track := p.Back(field(t, g, wind.M100, wind.P925), g.MixingAt, alipur, noon)
	total := 0.0
	for _, e := range examples() {
		total += p.Weigh(track, e.fire, 2)
	}
	for _, e := range examples() {
		got := p.Weigh(track, e.fire, 2)
		if off(got, e.weight) > e.tolerance {
			t.Errorf("%s: weight %.6e, want %.6e", e.name, got, e.weight)
		}
		if share := 100 * got / total; math.Abs(share-e.share) > 0.01 {
			t.Errorf("%s: %.4f %%, want %.2f", e.name, share, e.share)
		}
		if km := plume.Distance(alipur, e.fire.At); math.Abs(km-e.km) > 0.051 {
			t.Errorf("%s: %.2f km away, want %.1f", e.name, km, e.km)
		}
	}
}
