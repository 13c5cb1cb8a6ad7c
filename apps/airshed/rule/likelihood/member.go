package likelihood

import (
	"cmp"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// member does one member: the wind it has, what each state's fires weigh in it, and
// each state's share; no shares where no smoke came.
func (s *scene) member(m int) (Member, []float64) {
	d := s.q.draw(m, "air", "", "")
	out := Member{Turn: s.Turn * d.within(s.Cut), Speed: 1 + s.Speed*d.within(s.Cut)}
	starts := [...]plume.Point{{}, {Lat: s.Air.Offset}, {Lat: -s.Air.Offset}, {Lon: s.Air.Offset}, {Lon: -s.Air.Offset}}
	off := starts[d.below(len(starts))]
	out.North, out.East = off.Lat, off.Lon
	window := d.below(len(s.Air.Burn))
	out.Burn = s.Air.Burn[window]
	f := s.follow(s.field.Turned(out.Turn).Times(out.Speed), s.mixing, plume.Point{Lat: s.q.At.Lat + off.Lat, Lon: s.q.At.Lon + off.Lon},
		s.q.Hours)
	weights, apart := s.weigh(s.heaps, f, window), s.weigh(s.apart, f, window)
	total := 0.0
	shares := make([]float64, len(s.states))
	for j := range s.states {
		sum, came := s.unseen(m, j, f, window, weights[j], apart[j])
		for d, w := range weights[j] {
			sum += w.sum + apart[j][d].sum
			came = came || w.sum > 0
		}
		if came {
			s.counts[j].came++
		}
		shares[j] = sum * s.judged(m, j)
		total += shares[j]
	}
	if total == 0 {
		return out, nil
	}
	for j := range shares {
		shares[j] /= total
	}
	return out, shares
}

// weigh is what fires that were seen weigh, by state and day.
func (s *scene) weigh(heaps []heap, f flow, window int) [][]weight {
	out := make([][]weight, len(s.states))
	for j := range out {
		out[j] = make([]weight, len(s.days))
	}
	for i := range heaps {
		h := &heaps[i]
		w := f.weigh(h.x, h.y, h.z, h.windows[window][0], h.windows[window][1])
		to := &out[h.state][h.day]
		to.sum += w * h.power
		to.squares += w * w * h.squares
	}
	return out
}

// share is what one state has of the members. One without smoke says nothing for it.
func (s *scene) share(j int, members [][]float64) (out Share) {
	var all []float64
	over := 0
	for _, shares := range members {
		if shares == nil {
			continue
		}
		if shares[j] > s.Majority {
			over++
		}
		all = append(all, shares[j])
	}
	slices.Sort(all)
	out.P = float64(over) / float64(len(members))
	out.Low, out.Median, out.High = plume.Quantile(all, 0.05), plume.Quantile(all, 0.5), plume.Quantile(all, 0.95)
	return out
}

func compareShares(a, b Share) int {
	return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(b.Median, a.Median), cmp.Compare(b.High, a.High), cmp.Compare(a.State, b.State))
}

func pick(values []float64, at []int) []float64 {
	if values == nil {
		return []float64{}
	}
	out := make([]float64, len(at))
	for i, j := range at {
		out[i] = values[j]
	}
	return out
}
