package likelihood

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// burning is the part of a day's fires that burn in each of its hours, local time:
// most after noon, and on into the evening.
var burning = [24]float64{
	.01, .01, .01, .01, .01, .01, .01, .01, .01, .01, .05, .08,
	.11, .14, .15, .13, .10, .07, .04, .02, .0025, .0025, .0025, .0025,
}

// inSight is how far from the middle of an hour a pass sees what burns in it.
const inSight = 90 * time.Minute

// seen is the part of a state's fires on a local day that passes saw: each hour by the
// clearest of those near it whose rows came.
func (s *scene) seen(state, day string) (part float64) {
	midnight, err := time.ParseInLocation(time.DateOnly, day, s.q.Zone)
	if err != nil {
		return 0 // it was formatted so
	}
	for h, share := range burning {
		middle := midnight.Add(time.Duration(h)*time.Hour + 30*time.Minute)
		clearest := 0.0
		for _, p := range s.q.Passes {
			if !p.Delivered || p.Time.Sub(middle).Abs() > inSight {
				continue
			}
			cloud, known := p.Cloud[state]
			if !known {
				cloud = s.Hidden
			}
			clearest = max(clearest, 1-cloud)
		}
		part += share * clearest * s.Detected
	}
	return part
}

// A weight is what the fires of a state and day weigh in one member, and the sum of
// the squares of what each does.
type weight struct{ sum, squares float64 }

// effective is how many fires of one weight would have that sum and squares.
func (w weight) effective() float64 {
	if w.squares == 0 {
		return 0
	}
	return w.sum * w.sum / w.squares
}

// A guess is how many fires a state had a day, as one member has it, by day.
type guess []float64

// guess draws how many fires a day a state had: days differ from each other by about
// their own mean, and what passes did not see is left open.
func (s *scene) guess(m, j int) guess {
	c := &s.counts[j]
	sum := 0.0
	for _, p := range c.seen {
		sum += p
	}
	mean := s.q.draw(m, "mean", s.states[j], "").gamma(float64(c.all)+0.5) / max(s.Least, sum)
	out := make(guess, len(s.days))
	for d, p := range c.seen {
		out[d] = s.q.draw(m, "day", s.states[j], s.days[d]).gamma(1+float64(c.byDay[d])) / (1/mean + p)
	}
	return out
}

// unseen is what fires that nobody saw weigh in one member, of one state. Where some
// were seen on a day, more of their kind are added; elsewhere fires all over the state.
// Those that a watching satellite saw apart are some of them, as many as weigh.
// some reports whether there was any before those were taken off.
func (s *scene) unseen(m, j int, f flow, window int, seen, apart []weight) (sum float64, some bool) {
	c, fires := &s.counts[j], s.guess(m, j)
	var open *openLand
	for d, w := range seen {
		u := s.q.draw(m, "unseen", s.states[j], s.days[d]).uniform()
		missed := fires[d] * (1 - c.seen[d])
		if w.sum > 0 {
			n := w.effective()
			more := poisson(missed*n/float64(c.byDay[d]), u)
			some = some || more > 0
			sum += left(more, w.sum/n, apart[d]) * w.sum / n
			continue
		}
		if open == nil {
			open = s.open(j, f, window)
		}
		if open.part > 0 && open.mean[d] > 0 {
			each := s.power * open.mean[d] / open.part
			more := poisson(missed*open.part, u)
			some = some || more > 0
			sum += left(more, each, apart[d]) * s.power * open.mean[d] / open.part
		}
	}
	return sum, some
}

// left is how many of some fires that nobody saw, of one weight each, are left without
// those that a watching satellite saw after all: one fewer for each that it saw, and less
// than one for what lies out of the way.
func left(n, each float64, apart weight) float64 {
	if each <= 0 {
		return n
	}
	return max(0, n-min(apart.effective(), apart.sum/each))
}

// An openLand is how much a fire anywhere in a state would have weighed.
type openLand struct {
	part float64   // of its places and days that weigh more than a hundredth of the greatest
	mean []float64 // by day: of all its places, per MW
}

// noticed is the part of the greatest weight that counts as being in the way.
const noticed = 0.01

// afternoon is when fires that nobody saw are taken to have burnt.
const afternoon = 13*time.Hour + 30*time.Minute

func (s *scene) open(j int, f flow, window int) *openLand {
	o := &openLand{mean: make([]float64, len(s.days))}
	all := make([]float64, 0, len(s.land[j])*len(s.days))
	greatest := 0.0
	for d := range s.days {
		first, last := s.afternoon(d, window)
		for _, at := range s.land[j] {
			w := f.weigh(at.x, at.y, at.z, first, last)
			o.mean[d] += w / float64(len(s.land[j]))
			greatest = max(greatest, w)
			all = append(all, w)
		}
	}
	n := 0
	for _, w := range all {
		if w > noticed*greatest {
			n++
		}
	}
	if len(all) > 0 {
		o.part = float64(n) / float64(len(all))
	}
	return o
}

// afternoon is the steps of the clock in which a fire of a local day's early afternoon
// burns.
func (s *scene) afternoon(d, window int) (first, last int) {
	midnight, _ := time.ParseInLocation(time.DateOnly, s.days[d], s.q.Zone) // it was formatted so
	return s.Air.Burnt(plume.Fire{Time: midnight.Add(afternoon)}, window)
}

// judged is what a state's power is multiplied by, because power seen is a poor
// measure of smoke.
func (s *scene) judged(m, j int) float64 {
	return math.Exp(s.Misjudged * s.q.draw(m, "power", s.states[j], "").normal())
}
