package plume

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/earth"
)

// A tally is the weight of every place for each burn window, added up.
type tally [][len(Burns{})]float64

// A puff is a spot of a track, or four of one hour together, made ready for the
// fires.
type puff struct {
	vector

	at       Point
	sigma    float64 // km
	squeezed float64 // what a squared distance in earth radii is multiplied by: R²/2σ²
	gain     float64
	quarter  int // of the hour
}

// add weighs all fires on a track, times a factor, into a tally. The fires are
// taken to have burnt some hours later than they did.
func (x *Index) add(sum tally, t Track, factor float64, later int) {
	var hour [quarters]puff
	for k := 0; k < len(t.Spots); {
		slot, n := (t.start-k)/quarters, (t.start-k)%quarters+1 // back to the full hour
		n = min(n, len(t.Spots)-k)
		if i := slot - later - x.first; i >= 0 && i < len(x.slots) && len(x.slots[i][0].entries) > 0 {
			for j := range n {
				hour[j] = x.puff(t, k+j, factor)
			}
			x.hour(sum, &x.slots[i], hour[:n])
		}
		k += n
	}
}

func (x *Index) puff(t Track, k int, factor float64) puff {
	s := t.Spots[k]
	sigma := x.policy.sigma(s.Path)
	return puff{
		vector: s.At.vector(), at: s.At, sigma: sigma, squeezed: earth.RadiusKM * earth.RadiusKM / (2 * sigma * sigma),
		gain: factor * x.policy.gain(s, k), quarter: (t.start - k) % quarters,
	}
}

// hour weighs the fires of one hour on the spots of that hour, latest first.
func (x *Index) hour(sum tally, fires *slot, spots []puff) {
	size := 0
	for size+1 < len(sizes) && sizes[size+1]*kmPerDegree*perSigma <= spots[0].sigma {
		size++
	}
	last := spots[len(spots)-1]
	moved := earth.RadiusKM * math.Sqrt(spots[0].apart(last.vector))
	box := around(spots[0].at, cut*last.sigma+moved, size)
	if len(spots) == quarters && moved <= spots[0].sigma/perHour {
		two := pair(spots)
		for part := range fires[size].near(box) {
			x.weighHour(sum, part, &two, spots)
		}
		return
	}
	for part := range fires[size].near(box) {
		for i := range spots {
			x.weighStep(sum, part, &spots[i])
		}
	}
}

// inner is where between two steps a point must lie for two points to stand for
// the four steps of an hour: as far from the middle as the four are in the mean of
// squares, √1.25 of a step. What is left out is of the fourth order.
const inner = 0.3819660112501051

// pair is the two points that stand for the four spots of an hour. The gain of each
// spot is split between them by how near it is, so that none is lost where it
// changes much in an hour, as it does when the mixed layer falls in the evening.
func pair(spots []puff) [2]puff {
	const apart = quarters - 1 - 2*inner // steps between the two
	out := [2]puff{between(spots[0], spots[1]), between(spots[3], spots[2])}
	for i, s := range spots {
		second := (float64(i) - inner) / apart
		out[0].gain += s.gain * (1 - second)
		out[1].gain += s.gain * second
	}
	return out
}

// between is a puff on the way from one spot to the next, without gain.
func between(a, b puff) puff {
	mix := func(a, b float64) float64 { return a + (b-a)*inner }
	sigma := mix(a.sigma, b.sigma)
	v := vector{mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z)}
	n := math.Sqrt(v.x*v.x + v.y*v.y + v.z*v.z)
	return puff{
		vector: vector{v.x / n, v.y / n, v.z / n},
		sigma:  sigma, squeezed: earth.RadiusKM * earth.RadiusKM / (2 * sigma * sigma),
	}
}

// apart is the squared straight line between two directions.
func (v vector) apart(o vector) float64 {
	dx, dy, dz := v.x-o.x, v.y-o.y, v.z-o.z
	return dx*dx + dy*dy + dz*dz
}

// exponent is the squared distance of a puff from a middle, over twice the square of
// sigma. It, decay and crowded are small so that they are written into the loops
// below by the compiler: nearly all of the time is spent there.
func (s *puff) exponent(m *middle) float64 {
	dx, dy, dz := s.x-float64(m.x), s.y-float64(m.y), s.z-float64(m.z)
	return squared(dx*dx+dy*dy+dz*dz) * s.squeezed
}

// crowded is by how much fires around a middle weigh more than if all were in it,
// where it is far off, or less, where it is near.
func (s *puff) crowded(m *middle, exponent float64) float64 {
	return 1 + 2*s.squeezed*float64(m.spread)*(exponent-1)
}

// weighStep adds the fires that burn in the step of one spot.
func (x *Index) weighStep(sum tally, entries []entry, s *puff) {
	const windows = 0x111 // the first quarter of each
	for i := range entries {
		e := &entries[i]
		burning := e.mask >> s.quarter & windows
		if burning == 0 {
			continue
		}
		a := s.exponent(&e.middle)
		if a >= farthest {
			continue
		}
		w := x.decay(a) * s.crowded(&e.middle, a) * s.gain * float64(e.frp)
		to := &sum[e.place]
		for i := range to {
			if burning>>(i*quarters)&1 != 0 {
				to[i] += w
			}
		}
	}
}

// weighHour adds the fires that burn all through an hour at the two points that
// stand for it, and step by step those that begin or end in it.
func (x *Index) weighHour(sum tally, entries []entry, two *[2]puff, spots []puff) {
	for i := range entries {
		e := &entries[i]
		whole := e.mask & (e.mask >> 1) & (e.mask >> 2) & (e.mask >> 3) & 0x111
		if e.mask != whole*0xf {
			for k := range spots {
				x.weighStep(sum, entries[i:i+1], &spots[k])
			}
			continue
		}
		w := 0.0
		for k := range two {
			s := &two[k]
			if a := s.exponent(&e.middle); a < farthest {
				w += x.decay(a) * s.crowded(&e.middle, a) * s.gain
			}
		}
		w *= float64(e.frp)
		to := &sum[e.place]
		for i := range to {
			if whole>>(i*quarters)&1 != 0 {
				to[i] += w
			}
		}
	}
}
