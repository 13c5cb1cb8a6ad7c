package plume

import (
	"cmp"
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A Member is one way of doing the analysis.
type Member struct {
	Level     wind.Level `json:"level"`
	North     float64    `json:"north"` // degrees its start is off the station
	East      float64    `json:"east"`
	Burn      Burn       `json:"burn"`
	Influence float64    `json:"influence"`       // the weight of all fires; 0 where none was met
	First     string     `json:"first,omitempty"` // the state of the largest share
}

// An ensemble is the members and the weights they found.
type ensemble struct {
	members []Member
	weights [][]float64 // by member, then by place
	normal  *tally      // of the default wind; nil where that is not known
}

// starts are where the members' air arrives: at the station, and to its north,
// south, east and west.
func (p Policy) starts() [5]Point {
	d := p.Offset
	return [5]Point{{}, {Lat: d}, {Lat: -d}, {Lon: d}, {Lon: -d}}
}

// ensemble does the analysis for every level, start and burn window. A level that
// the grid lacks, and a start for which there is no wind, has no members.
func (x *Index) ensemble(q Question, g *wind.Grid, edge *Edge) ensemble {
	var e ensemble
	for _, level := range wind.Levels() {
		f, ok := g.Field(level)
		if !ok {
			continue
		}
		for _, off := range x.policy.starts() {
			tracks := x.tracks(q, f, mixing(g), Point{q.At.Lat + off.Lat, q.At.Lon + off.Lon})
			begun := false
			for _, t := range tracks {
				edge.count(x.policy, t)
				begun = begun || len(t.Spots) > 0
			}
			if begun {
				sum := x.newTally()
				x.addAll(sum, q, tracks, 0)
				x.join(&e, Member{Level: level, North: off.Lat, East: off.Lon}, sum)
			}
		}
	}
	return e
}

// join adds the members of one start: one for each burn window.
func (x *Index) join(e *ensemble, m Member, sum *tally) {
	for w, burn := range x.policy.Burn {
		weights := make([]float64, len(x.places))
		m.Influence = 0
		for i := range sum.places {
			weights[i] = sum.places[i][w]
			m.Influence += weights[i]
		}
		m.Burn, m.First = burn, x.largest(weights)
		e.members = append(e.members, m)
		e.weights = append(e.weights, weights)
	}
}

// largest is the state with the most weight; of equals the first by name.
func (x *Index) largest(weights []float64) (first string) {
	most := 0.0
	for i := 0; i < len(x.places); {
		state, sum := x.places[i].State, 0.0
		for ; i < len(x.places) && x.places[i].State == state; i++ {
			sum += weights[i]
		}
		if sum > most {
			first, most = state, sum
		}
	}
	return first
}

// tracks follows the air of every hour of a surge back.
func (x *Index) tracks(q Question, f wind.Field, m Mixing, at Point) []Track {
	out := make([]Track, len(q.Hours))
	for i, h := range q.Hours {
		out[i] = x.policy.Back(f, m, at, h.Time)
	}
	return out
}

// addAll weighs all fires on the tracks of a surge, each hour by its share of the
// PM2.5, with fires that many hours later than they were.
func (x *Index) addAll(sum *tally, q Question, tracks []Track, later int) {
	total := 0.0
	for _, h := range q.Hours {
		total += h.PM25
	}
	// Hour by hour of the clock, for all tracks: the fires of an hour are then at hand.
	for clock := tracks[len(tracks)-1].start / quarters; clock >= tracks[0].start/quarters-x.policy.Hours; clock-- {
		for i, t := range tracks {
			if q.Hours[i].PM25 > 0 {
				x.add(sum, t, q.Hours[i].PM25/total, clock, later)
			}
		}
	}
}

// A Range is the share of one state or district: the middle of the members, where
// nine in ten of them lie, and the default wind's own. Medians need not add up to
// one; the shares of one member do.
type Range struct {
	Place

	Low     float64 `json:"low"`    // 5 %
	Median  float64 `json:"median"` // 50 %
	High    float64 `json:"high"`   // 95 %
	Default float64 `json:"default"`
	First   int     `json:"first"` // members in which it is the largest; for states only
}

// ranges sums the members' shares up over places that are one to whoever asks, the
// largest first. Members that met no fire have no shares.
func (x *Index) ranges(e ensemble, of func(Place) (Place, bool)) []Range {
	names, group := x.groups(of)
	out := make([]Range, len(names))
	shares := make([][]float64, len(names))
	for i, name := range names {
		out[i].Place = name
	}
	for m, weights := range e.weights {
		if e.members[m].Influence == 0 {
			continue
		}
		for i, sum := range gather(weights, group, len(names)) {
			shares[i] = append(shares[i], sum/e.members[m].Influence)
			if names[i] == (Place{State: e.members[m].First}) {
				out[i].First++
			}
		}
	}
	for i, share := range gather(e.normalShares(), group, len(names)) {
		slices.Sort(shares[i])
		r := &out[i]
		r.Low, r.Median, r.High = Quantile(shares[i], 0.05), Quantile(shares[i], 0.5), Quantile(shares[i], 0.95)
		r.Default = share
	}
	out = slices.DeleteFunc(out, func(r Range) bool { return r.High == 0 && r.Default == 0 })
	slices.SortStableFunc(out, func(a, b Range) int {
		return cmp.Or(cmp.Compare(Percent(b.Median), Percent(a.Median)), comparePlaces(a.Place, b.Place))
	})
	return out
}

// groups is the different places that of makes of the index's, in order, and which
// of them each place belongs to; -1 is none.
func (x *Index) groups(of func(Place) (Place, bool)) (names []Place, group []int) {
	group = make([]int, len(x.places))
	for i, p := range x.places {
		name, ok := of(p)
		if !ok {
			group[i] = -1
			continue
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		group[i] = len(names) - 1
	}
	return names, group
}

// gather adds up the values of each group.
func gather(values []float64, group []int, n int) []float64 {
	out := make([]float64, n)
	for i, v := range values {
		if group[i] >= 0 {
			out[group[i]] += v
		}
	}
	return out
}

func (p Place) state() (Place, bool)    { return Place{State: p.State}, true }
func (p Place) district() (Place, bool) { return p, p.District != "" }

// normalShares is the shares of the default wind, for the default burn window.
func (e ensemble) normalShares() []float64 {
	if e.normal == nil {
		return nil
	}
	out, total := make([]float64, len(e.normal.places)), e.normal.influence()
	for i, w := range e.normal.places {
		out[i] = w[len(w)-1]
	}
	for i := range out {
		if total > 0 {
			out[i] /= total
		}
	}
	return out
}

// Quantile is the value that a share of sorted values lies below, linear between
// two of them, 0 where there are none.
func Quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := share * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (sorted[j]-sorted[i])*(at-math.Floor(at))
}
