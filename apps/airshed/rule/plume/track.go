package plume

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// Step is the time between two points of a track.
const Step = 15 * time.Minute

const (
	quarters  = 4 // steps in an hour
	stepHours = 1.0 / quarters
)

// Heun carries a point on by one step of Heun's method: once with the wind where
// it is, and again with the mean of that and the wind where that led to. ok is
// false where either is not known.
func Heun[P any](p P, t, dt float64, wind func(P, float64) (u, v float64, ok bool), move func(p P, u, v, dt float64) P) (next P, ok bool) {
	u, v, ok := wind(p, t)
	if !ok {
		return p, false
	}
	u2, v2, ok := wind(move(p, u, v, dt), t+dt)
	if !ok {
		return p, false
	}
	return move(p, (u+u2)/2, (v+v2)/2, dt), true
}

// A Spot is one point of a track.
type Spot struct {
	At     Point
	Path   float64 // km from the start, along the track
	Mixing float64 // height of the mixed layer in metres, no less than the policy's floor; 0 is not known
}

// A Track is the way that air came, from where it arrived backwards. The spots are
// Step apart.
type Track struct {
	Spots []Spot
	Edge  bool // the wind was not known any further; Spots ends early, or is empty
	start int  // of the first spot, in steps since 1970
}

// Clock is the step of the clock, since 1970, in which air was at the k-th spot.
func (t Track) Clock(k int) int { return t.start - k }

// Reach is how many hours back the track goes.
func (t Track) Reach() float64 { return max(0, float64(len(t.Spots)-1)) * stepHours }

// Unseen is the share of its way that a track was not followed, each hour by how
// much a fire of that age counts.
func (p Policy) Unseen(t Track) float64 {
	faded := func(hours float64) float64 { return math.Exp(-hours / p.Fade) }
	whole := faded(float64(p.Hours))
	return (faded(t.Reach()) - whole) / (1 - whole)
}

// A Mixing knows the height of the mixed layer. nil knows nothing, and then no
// height is taken into account at all.
type Mixing func(lat, lon, hours float64) (metres float64, ok bool)

// Back follows the air that is at a point at a time, a whole quarter of an hour,
// back through a wind. It stops where the wind ends, and where mixing is given and
// ends: a weight made half of known and half of assumed heights means nothing.
func (p Policy) Back(f wind.Field, m Mixing, at Point, when time.Time) Track {
	start := int(when.Unix() / int64(Step/time.Second))
	out := Track{start: start, Edge: true}
	carry := func(at Point, t float64) (float64, float64, bool) { return f.At(at.Lat, at.Lon, t) }
	hour := float64(start) * stepHours
	if _, _, known := carry(at, hour); !known {
		return out
	}
	out.Spots = make([]Spot, 0, p.Hours*quarters+1)
	path := 0.0
	for {
		spot := Spot{At: at, Path: path}
		if m != nil {
			metres, known := m(at.Lat, at.Lon, hour)
			if !known {
				return out
			}
			spot.Mixing = max(metres, p.Floor)
		}
		out.Spots = append(out.Spots, spot)
		if len(out.Spots) > p.Hours*quarters {
			out.Edge = false
			return out
		}
		next, known := Heun(at, hour, -stepHours, carry, Point.Moved)
		if !known || !next.Valid() {
			return out
		}
		path += Distance(at, next)
		at, hour = next, hour-stepHours
	}
}

// Sigma is how uncertain the air's position is after some kilometres of path.
func (p Policy) Sigma(path float64) float64 { return math.Hypot(p.Width, p.Growth*path) }

// Gain is what the k-th spot of a track multiplies the radiative power of a fire by, but for the
// distance: the spread, the age, the time and the depth that smoke is mixed through.
func (p Policy) Gain(s Spot, k int) float64 {
	sigma, age := p.Sigma(s.Path), float64(k)*stepHours
	g := stepHours * math.Exp(-age/p.Fade) / (2 * math.Pi * sigma * sigma)
	if s.Mixing > 0 {
		g /= s.Mixing / 1000
	}
	return g
}

// Weigh is the weight of one fire on one track, for one of the burn windows: the
// formula itself, without index or cut. Its unit, MW h/km², has no meaning alone;
// only ratios have.
func (p Policy) Weigh(t Track, f Fire, window int) float64 {
	first, last := p.Burnt(f, window)
	sum := 0.0
	for k, s := range t.Spots {
		if at := t.start - k; at < first || at > last {
			continue
		}
		d, sigma := Distance(s.At, f.At), p.Sigma(s.Path)
		sum += math.Exp(-d*d/(2*sigma*sigma)) * p.Gain(s, k)
	}
	return f.FRP * sum
}

// Burnt is the first and the last step of the clock in which a fire burns, for one of
// the burn windows.
func (p Policy) Burnt(f Fire, window int) (first, last int) {
	const step = int64(Step / time.Second)
	b := p.burn(f, window)
	from, to := f.Time.Add(-b.Before).Unix(), f.Time.Add(b.After).Unix()
	return int((from + step - 1) / step), int(to / step) // times are after 1970
}
