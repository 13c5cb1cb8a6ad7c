package plume

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// A tally is weights, added up.
type tally struct {
	places []windows
	rest   float64 // of the default window; the places do not have it
	total  bool    // no more is asked for than all weight of the default window
}

// windows is a weight for each burn window, the default one last.
type windows [len(Burns{})]float64

func (x *Index) newTally() *tally { return &tally{places: make([]windows, len(x.places))} }

// influence is all weight of the default window.
func (t *tally) influence() float64 {
	sum := t.rest
	for _, w := range t.places {
		sum += w[len(w)-1]
	}
	return sum
}

// A puff is a spot of a track, made ready for the fires.
type puff struct {
	vector

	at       Point
	sigma    float64 // km
	squeezed float64 // what a squared distance in earth radii is multiplied by: R²/2σ²
	gain     float64
	quarter  int // of the hour
}

// add weighs all fires of an hour of the clock on a track, times a factor, into a
// tally. The fires are taken to have burnt some hours later than they did.
func (x *Index) add(sum *tally, t Track, factor float64, clock, later int) {
	latest := min(clock*quarters+quarters-1, t.start)
	k := t.start - latest // the first spot in this hour, and no later
	n := min(latest-clock*quarters+1, len(t.Spots)-k)
	i := clock - later - x.first
	if n <= 0 || i < 0 || i >= len(x.slots) || len(x.slots[i].fine[0].entries) == 0 {
		return
	}
	var hour [quarters]puff
	for j := range n {
		hour[j] = x.puff(t, k+j, factor)
	}
	x.hour(sum, &x.slots[i], hour[:n])
}

func (x *Index) puff(t Track, k int, factor float64) puff {
	s := t.Spots[k]
	sigma := x.policy.Sigma(s.Path)
	return puff{
		vector: s.At.vector(), at: s.At, sigma: sigma, squeezed: earth.RadiusKM * earth.RadiusKM / (2 * sigma * sigma),
		gain: factor * x.policy.Gain(s, k), quarter: (t.start - k) % quarters,
	}
}

// hour weighs the fires of one hour on the spots of that hour, latest first.
func (x *Index) hour(sum *tally, fires *slot, spots []puff) {
	first, last := spots[0], spots[len(spots)-1]
	size := 0
	for size+1 < len(sizes) && sizes[size+1]*kmPerDegree*perSigma <= first.sigma {
		size++
	}
	moved := earth.RadiusKM * math.Sqrt(first.apart(last.vector))
	r := reach{first.at, middling*last.sigma + moved, cut*last.sigma + moved}
	if size < coarseFrom || moved > first.sigma/perHour {
		for part := range within(fires.fine[:], 0, min(size, fineSizes-1), r) {
			for i := range spots {
				x.weighStep(sum, part, &spots[i])
			}
		}
		return
	}
	two := newPair(spots)
	if sum.total {
		for part := range within(fires.total[:], coarseFrom, size, r) {
			sum.rest += x.weighAll(part, &two)
		}
		return
	}
	for part := range within(fires.coarse[:], coarseFrom, size, r) {
		x.weighHour(sum, part, &two)
	}
}

// A pair is two points that stand for the spots of an hour: as far from their middle
// as the spots are in the mean of squares, so that what is left out is of the fourth
// order. The gain of each spot is split between the two by how near it is, so that
// none is lost where it changes much in an hour, as it does when the mixed layer falls
// in the evening.
type pair struct {
	at   [2]eye
	gain [quarters][2]float64 // by quarter; nought where there is no spot
}

func newPair(spots []puff) (p pair) {
	n := float64(len(spots))
	if n == 1 {
		p.at = [2]eye{spots[0].eye(), spots[0].eye()}
		p.gain[spots[0].quarter] = [2]float64{spots[0].gain, 0}
		return p
	}
	inner := (n-1)/2 - math.Sqrt((n*n-1)/12) // steps from the first spot
	p.at = [2]eye{between(spots[0], spots[1], inner), between(spots[len(spots)-1], spots[len(spots)-2], inner)}
	for i, s := range spots {
		second := (float64(i) - inner) / (n - 1 - 2*inner)
		p.gain[s.quarter] = [2]float64{s.gain * (1 - second), s.gain * second}
	}
	return p
}

// between is an eye a share of the way from one spot to the next.
func between(a, b puff, share float64) eye {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	sigma := mix(a.sigma, b.sigma)
	v := vector{mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z)}
	n := math.Sqrt(v.x*v.x + v.y*v.y + v.z*v.z)
	return eye{float32(v.x / n), float32(v.y / n), float32(v.z / n), float32(earth.RadiusKM * earth.RadiusKM / (2 * sigma * sigma))}
}

// apart is the squared straight line between two directions.
func (v vector) apart(o vector) float64 {
	dx, dy, dz := v.x-o.x, v.y-o.y, v.z-o.z
	return dx*dx + dy*dy + dz*dz
}

// An eye is where fires are seen from: a puff, small enough for the loops below.
// float32 is right to half a metre in place and a millionth in weight.
type eye struct{ x, y, z, squeezed float32 }

func (s *puff) eye() eye {
	return eye{float32(s.x), float32(s.y), float32(s.z), float32(s.squeezed)}
}

// exponent is the squared distance of an eye from a middle, over twice the square of
// sigma. It, decay and crowded are small so that they are written into the loops
// below by the compiler: nearly all of the time is spent there.
func (s *eye) exponent(m *middle) float32 {
	dx, dy, dz := s.x-m.x, s.y-m.y, s.z-m.z
	return squared(dx*dx+dy*dy+dz*dz) * s.squeezed
}

// crowded is by how much fires around a middle weigh more than if all were in it,
// where it is far off, or less, where it is near.
func (s *eye) crowded(m *middle, exponent float32) float32 {
	return 1 + 2*s.squeezed*m.spread*(exponent-1)
}

// weighStep adds the fires that burn in the step of one spot.
func (x *Index) weighStep(sum *tally, entries []stepwise, spot *puff) {
	s := spot.eye()
	const windows = 0x111 // the first quarter of each
	for i := range entries {
		e := &entries[i]
		burning := e.mask >> spot.quarter & windows
		if burning == 0 {
			continue
		}
		a := s.exponent(&e.middle)
		if a >= farthest {
			continue
		}
		w := float64(x.decay(a)*s.crowded(&e.middle, a)*e.frp) * spot.gain
		to := &sum.places[e.place]
		for i := range to {
			if burning>>(i*quarters)&1 != 0 {
				to[i] += w
			}
		}
	}
}

// weighHour adds the fires that burn in an hour, at the two points that stand for it.
// It is written out because nearly all of the time is spent here.
func (x *Index) weighHour(sum *tally, entries []hourly, two *pair) {
	for i := range entries {
		e := &entries[i]
		q0, q1, q2, q3 := x.steps(&e.middle, two)
		to, p := &sum.places[e.place], &e.power
		to[0] += float64(p[0][0])*q0 + float64(p[0][1])*q1 + float64(p[0][2])*q2 + float64(p[0][3])*q3
		to[1] += float64(p[1][0])*q0 + float64(p[1][1])*q1 + float64(p[1][2])*q2 + float64(p[1][3])*q3
		to[2] += float64(p[2][0])*q0 + float64(p[2][1])*q1 + float64(p[2][2])*q2 + float64(p[2][3])*q3
	}
}

// weighAll is the same for the default window alone.
func (x *Index) weighAll(entries []lump, two *pair) (sum float64) {
	for i := range entries {
		e := &entries[i]
		q0, q1, q2, q3 := x.steps(&e.middle, two)
		sum += float64(e.power[0])*q0 + float64(e.power[1])*q1 + float64(e.power[2])*q2 + float64(e.power[3])*q3
	}
	return sum
}

// steps is what the power in each step of an hour weighs at a middle.
func (x *Index) steps(m *middle, two *pair) (q0, q1, q2, q3 float64) {
	var first, second float64
	apart := 2 * two.at[0].squeezed * m.spread // as in crowded, for both
	if a := two.at[0].exponent(m); a < farthest {
		first = float64(x.decay(a) * (1 + apart*(a-1)))
	}
	if a := two.at[1].exponent(m); a < farthest {
		second = float64(x.decay(a) * (1 + apart*(a-1)))
	}
	g := &two.gain
	return first*g[0][0] + second*g[0][1], first*g[1][0] + second*g[1][1], first*g[2][0] + second*g[2][1], first*g[3][0] + second*g[3][1]
}
