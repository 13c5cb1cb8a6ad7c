package madeup

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// The true air has three levels: up to 200 m, to 800 m and to 2,000 m.
const levels = 3

// thick is how many metres each level is.
func thick(level int) float64 { return [levels]float64{200, 600, 1200}[level] }

// A wave is one part of a field that changes in space and time.
type wave struct {
	x, y, t, phase float64 // a kilometre, an hour
	size           float64
	east, north    float64 // for winds: the direction along the crest, so that air is neither made nor lost
}

func (w wave) at(x, y, t float64) float64 { return w.size * math.Cos(w.x*x+w.y*y-w.t*t+w.phase) }

// waves draws n of them with lengths in kilometres and periods in hours. Each is of
// the same size, and the sum has that standard deviation.
func waves(d *dice, n int, deviation, short, long, quick, slow float64) []wave {
	out := make([]wave, n)
	for i := range out {
		angle := d.within(0, 2*math.Pi)
		k := 2 * math.Pi / d.within(short, long)
		sin, cos := math.Sincos(angle)
		out[i] = wave{x: k * cos, y: k * sin, t: 2 * math.Pi / d.within(quick, slow), phase: d.within(0, 2*math.Pi),
			size: deviation * math.Sqrt(2/float64(n)), east: -sin, north: cos}
		if d.chance(0.5) {
			out[i].t = -out[i].t
		}
	}
	return out
}

func sum(ws []wave, x, y, t float64) (v float64) {
	for _, w := range ws {
		v += w.at(x, y, t)
	}
	return v
}

// A weather is the true wind and cloud, and the errors of whoever looks at it.
type weather struct {
	wind       []wave // of the lowest level
	aloft      []wave // what the highest level has besides
	cloud      []wave
	speed, way []wave // the analyst's errors, each of deviation 1
}

// newWeather draws a weather. Highs and lows pass in days; over them lie gusts and
// eddies of some hundred kilometres that last for hours.
func newWeather(seed uint64) weather {
	d := cast(seed, 3)
	w := weather{
		wind:  append(waves(&d, 8, 2.6, 1200, 3000, 70, 200), waves(&d, 10, 1.0, 150, 500, 10, 40)...),
		aloft: waves(&d, 5, 1.2, 600, 2000, 40, 120),
		cloud: waves(&d, 8, 1, 300, 1500, 24, 96),
	}
	e := cast(seed, 4)
	w.speed, w.way = waves(&e, 12, 1, 300, 1200, 12, 48), waves(&e, 12, 1, 300, 1200, 12, 48)
	return w
}

// flat is a place in kilometres from the land's middle, for waves only.
func flat(lat, lon float64) (x, y float64) {
	const perDegree = earth.RadiusKM * earth.Radians
	return (lon - (west+east)/2) * perDegree * 0.875, (lat - (south+north)/2) * perDegree
}

// daylight is how far the sun has stirred the air at an hour since the season's
// beginning, which is midnight UTC: 0 in the night, 1 at half past two in the
// afternoon of a land five and a half hours ahead. It grows from eight on and is over
// by six: the air of an autumn evening is shallow from sunset on.
func daylight(hour float64) float64 {
	const rise, top, set = 8, 14.5, 18
	switch clock := math.Mod(hour+5.5, 24); {
	case clock <= rise || clock >= set:
		return 0
	case clock < top:
		return math.Sin(math.Pi / 2 * (clock - rise) / (top - rise))
	default:
		return math.Cos(math.Pi / 2 * (clock - top) / (set - top))
	}
}

// mixing is the true height of the mixed layer in metres.
func mixing(hour float64) float64 { return mixed(daylight(hour)) }

// mixed is the height of the layer that so much sun mixes.
func mixed(sun float64) float64 { return 150 + 1250*sun }

// sheared is the true wind of a level, from the two sums of waves at a point: it
// grows with height and turns to the right. By night the lowest level is a little
// slower; what lies still then is the air at 10 m, which is not one of the levels.
func sheared(level int, hour, u, v, au, av float64) (float64, float64) {
	const meanU, meanV = 1.2, -1.2 // from the north-west, as the land's winters are
	u, v = u+meanU, v+meanV
	turn, gain := 0.0, 0.9+0.1*daylight(hour)
	switch level {
	case 1:
		turn, gain = 15, 1.5
		u, v = u+au/2, v+av/2
	case 2:
		turn, gain = 30, 1.8
		u, v = u+au, v+av
	}
	sin, cos := math.Sincos(-turn * earth.Radians)
	return gain * (u*cos - v*sin), gain * (u*sin + v*cos)
}

// at is the wind of every level at a point.
func (w weather) at(lat, lon, hour float64) (u, v [levels]float64) {
	x, y := flat(lat, lon)
	var du, dv, au, av float64
	for _, m := range w.wind {
		s := m.at(x, y, hour)
		du, dv = du+s*m.east, dv+s*m.north
	}
	for _, m := range w.aloft {
		s := m.at(x, y, hour)
		au, av = au+s*m.east, av+s*m.north
	}
	for l := range levels {
		u[l], v[l] = sheared(l, hour, du, dv, au, av)
	}
	return u, v
}

// overcast reports whether a point is under cloud.
func (w weather) overcast(lat, lon, hour float64) bool {
	x, y := flat(lat, lon)
	return sum(w.cloud, x, y, hour) > 1.1 // 14 % of the time
}
