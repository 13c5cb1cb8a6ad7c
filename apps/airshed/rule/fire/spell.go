package fire

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Spell is one fire as it was watched: however often it was looked at, it is one. It
// stands for its strongest look.
type Spell struct {
	Detection

	First time.Time `json:"first"` // look at it
	Last  time.Time `json:"last"`
	Looks int       `json:"looks"`
}

// Watched is what counts of some looks, in order of time, and what does not. Looks is the
// sum of Low, Hot and of the looks of all spells.
type Watched struct {
	Kept  []Spell `json:"-"`
	Looks int     `json:"looks"`
	Low   int     `json:"low_confidence"`
	Hot   int     `json:"static_source"`  // looks at places that are always hot
	Fires int     `json:"fires"`          // spells, counted once each
	Again int     `json:"seen_by_a_pass"` // of these, left out: a pass saw the same fire, and finer
}

// Watched makes fires of looks. A fire is what one satellite sees in one pixel with no more
// than Within between two looks. What a pass saw near it, while it burnt or Within of that,
// is the same fire, and so is what another watcher saw: the pass is believed first, then
// whoever saw it strongest. passes are detections that count, of satellites that pass.
func (p Policy) Watched(looks []Detection, w Watch, passes []Detection, mask Mask) Watched {
	out := Watched{Looks: len(looks)}
	left := make([]Detection, 0, len(looks))
	for _, d := range looks {
		_, hot := mask.Covers(d)
		switch {
		case d.Confidence < p.Least:
			out.Low++
		case hot:
			out.Hot++
		default:
			left = append(left, d)
		}
	}
	all := p.spells(left)
	out.Fires = len(all)
	slices.SortFunc(all, func(a, b Spell) int {
		return cmp.Or(cmp.Compare(w.Power(b.Detection), w.Power(a.Detection)), byTime(&a.Detection, &b.Detection))
	})
	passes = slices.Clone(passes)
	slices.SortFunc(passes, func(a, b Detection) int { return byTime(&a, &b) })
	for _, s := range all {
		if p.passed(s, passes) {
			out.Again++
			continue
		}
		if !slices.ContainsFunc(out.Kept, func(k Spell) bool { return p.twice(s, k) }) {
			out.Kept = append(out.Kept, s)
		}
	}
	slices.SortFunc(out.Kept, func(a, b Spell) int { return byTime(&a.Detection, &b.Detection) })
	return out
}

// passed reports whether a pass saw the fire of a spell. passes are in order of time.
func (p Policy) passed(s Spell, passes []Detection) bool {
	from, to := s.First.Add(-p.Within), s.Last.Add(p.Within)
	at, _ := slices.BinarySearchFunc(passes, from, func(d Detection, t time.Time) int { return d.Time.Compare(t) })
	for ; at < len(passes) && !passes[at].Time.After(to); at++ {
		if closer(passes[at].At, s.At, max(p.Near, s.Blur())) {
			return true
		}
	}
	return false
}

// twice reports whether two watchers saw one fire.
func (p Policy) twice(a, b Spell) bool {
	return a.Satellite != b.Satellite && !a.First.After(b.Last.Add(p.Within)) && !b.First.After(a.Last.Add(p.Within)) &&
		closer(a.At, b.At, max(p.Near, a.Blur(), b.Blur()))
}

// closer reports whether two places lie within some km of each other, most of them by
// their parallels alone.
func closer(a, b Point, km float64) bool {
	const degree = 111 // km, of a meridian, and a little less
	return math.Abs(a.Lat-b.Lat)*degree <= km && Distance(a, b) <= km
}

// spells puts looks at one fire together. Watchers look at a fixed net of places, so the
// middle of a pixel comes again as it was; half its shorter side is allowed for.
func (p Policy) spells(looks []Detection) []Spell {
	looks = slices.Clone(looks)
	slices.SortFunc(looks, func(a, b Detection) int {
		return cmp.Or(byTime(&a, &b), cmp.Compare(b.FRP, a.FRP), cmp.Compare(a.Line, b.Line))
	})
	type place struct {
		by       Satellite
		lat, lon int32
	}
	const net = 0.05 // degrees, no less than half a shorter side
	var out []Spell
	open := map[place][]int{} // spells by the square of the net they began in
	for _, d := range looks {
		key := place{d.Satellite, int32(math.Floor(d.At.Lat / net)), int32(math.Floor(d.At.Lon / net))}
		at := -1
		for north := int32(-1); north <= 1 && at < 0; north++ {
			for east := int32(-1); east <= 1 && at < 0; east++ {
				for _, i := range open[place{key.by, key.lat + north, key.lon + east}] {
					if d.Time.Sub(out[i].Last) <= p.Within && Distance(out[i].At, d.At) <= math.Min(d.Scan, d.Track)/2 {
						at = i
						break
					}
				}
			}
		}
		if at < 0 {
			open[key] = append(open[key], len(out))
			out = append(out, Spell{Detection: d, First: d.Time, Last: d.Time, Looks: 1})
			continue
		}
		s := &out[at]
		if d.FRP > s.FRP {
			d.At = s.At // the pixel it began in: a fire does not drift from look to look
			s.Detection = d
		}
		s.Last = d.Time
		s.Looks++
	}
	return out
}
