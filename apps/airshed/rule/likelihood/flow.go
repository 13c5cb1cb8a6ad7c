package likelihood

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// quarters is the steps of a track in an hour.
const quarters = 4

// farthest is the exponent beyond which a fire weighs nothing: seven times as far off
// as the air's position is uncertain.
const farthest = 49 / 2.0

// A flow is the tracks of the air of some hours, made ready for the fires.
type flow []lane

// A lane is one track. Its hours are for passing over what is far off.
type lane struct {
	clock int // of its first spot, in steps since 1970
	spots []puff
	hours []whole
}

// A puff is where the air was: a direction from the middle of the earth, what a
// squared distance is multiplied by, and what a fire there weighs, per MW.
type puff struct{ x, y, z, squeezed, gain float64 }

// A whole is an hour of a track: a circle around all that its puffs can have met, and
// one puff in their middle that stands for them where the air moves by less than half
// its uncertainty in that time: then steps of an hour add up to the same.
type whole struct {
	x, y, z, reach float64
	middle         puff
	close          bool
}

// follow makes the flow of some hours, each with its share of the weight.
func (p Policy) follow(f wind.Field, mixing plume.Mixing, at plume.Point, hours []plume.Hour) flow {
	total := 0.0
	for _, h := range hours {
		total += h.PM25
	}
	out := make(flow, 0, len(hours))
	for _, h := range hours {
		t := p.Air.Back(f, mixing, at, h.Time)
		if len(t.Spots) > 0 && h.PM25 > 0 {
			out = append(out, p.lane(t, h.PM25/total))
		}
	}
	return out
}

func (p Policy) lane(t plume.Track, share float64) lane {
	l := lane{clock: t.Clock(0), spots: make([]puff, len(t.Spots))}
	for k, s := range t.Spots {
		sigma := p.Air.Sigma(s.Path)
		x, y, z := direction(s.At)
		l.spots[k] = puff{x, y, z, earth.RadiusKM * earth.RadiusKM / (2 * sigma * sigma), share * p.Air.Gain(s, k)}
	}
	for k := 0; k < len(l.spots); k += quarters {
		l.hours = append(l.hours, around(l.spots[k:min(k+quarters, len(l.spots))]))
	}
	return l
}

// around is a circle about the first of some puffs that holds the reach of all, and
// their middle.
func around(spots []puff) whole {
	first := spots[0]
	w := whole{x: first.x, y: first.y, z: first.z}
	n := float64(len(spots))
	for _, s := range spots {
		far := math.Sqrt(farthest/s.squeezed) + math.Sqrt(apart(s.x, s.y, s.z, first.x, first.y, first.z))
		w.reach = max(w.reach, far*far)
		m := &w.middle
		m.x, m.y, m.z, m.squeezed, m.gain = m.x+s.x/n, m.y+s.y/n, m.z+s.z/n, m.squeezed+s.squeezed/n, m.gain+s.gain
	}
	last := spots[len(spots)-1]
	w.close = 2*first.squeezed*apart(last.x, last.y, last.z, first.x, first.y, first.z) <= 0.25
	return w
}

// weigh is what a fire of one MW weighs that burns from one step of the clock to
// another, both included. Nearly all of the time is spent here.
func (f flow) weigh(x, y, z float64, first, last int) (sum float64) {
	for i := range f {
		l := &f[i]
		from, to := max(0, l.clock-last), min(len(l.spots)-1, l.clock-first)
		for k := from; k <= to; {
			end := min(to, k|(quarters-1))
			if w := &l.hours[k/quarters]; apart(w.x, w.y, w.z, x, y, z) <= w.reach {
				if w.close && end-k == quarters-1 {
					sum += w.middle.weigh(x, y, z)
				} else {
					for ; k <= end; k++ {
						sum += l.spots[k].weigh(x, y, z)
					}
				}
			}
			k = end + 1
		}
	}
	return sum
}

func (s *puff) weigh(x, y, z float64) float64 {
	if a := apart(s.x, s.y, s.z, x, y, z) * s.squeezed; a < farthest {
		return math.Exp(-a) * s.gain
	}
	return 0
}

func direction(p plume.Point) (x, y, z float64) {
	slat, clat := math.Sincos(p.Lat * earth.Radians)
	slon, clon := math.Sincos(p.Lon * earth.Radians)
	return clat * clon, clat * slon, slat
}

// apart is the square of a distance over the ground, in earth radii: the square of the
// straight line and the first term of what the ground's curve adds.
func apart(x, y, z, x2, y2, z2 float64) float64 {
	dx, dy, dz := x-x2, y-y2, z-z2
	c := dx*dx + dy*dy + dz*dz
	return c * (1 + c/12)
}
