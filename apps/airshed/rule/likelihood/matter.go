package likelihood

import (
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// A Matter is whether smoke mattered at the station: PM2.5 of seven days against the
// influence of the fires that were seen, with how deep the air was mixed held fixed.
type Matter struct {
	Known bool    `json:"known"`
	M     float64 `json:"m"`     // how likely it is that more influence went with more PM2.5
	Least float64 `json:"least"` // µg/m³ of smoke in the surge's hours, the 5 % end; the middle is no estimate
	Hours int     `json:"hours"` // that could be used
	Of    int     `json:"of_hours"`
	Days  int     `json:"days"`
}

// What a regression needs to be more than chance: half of the hours, on most days.
const (
	enoughHours = 0.5
	enoughDays  = 5
)

// An hour is one of the week: what its PM2.5 is held against.
type hour struct{ pm25, shallow, influence float64 }

// moments are the sums of which a regression on some hours is made.
type moments struct {
	square [3][3]float64
	right  [3]float64
}

func (m *moments) add(h hour) {
	x := [3]float64{1, h.shallow, h.influence}
	for i := range x {
		for j := range x {
			m.square[i][j] += x[i] * x[j]
		}
		m.right[i] += x[i] * h.pm25
	}
}

func (m *moments) join(o *moments) {
	for i := range m.square {
		for j := range m.square[i] {
			m.square[i][j] += o.square[i][j]
		}
		m.right[i] += o.right[i]
	}
}

// matter makes the regression, and again on days drawn from these, a day at a time.
func (s *scene) matter() Matter {
	out := Matter{Of: s.Week * 24}
	if !s.windy || s.mixing == nil {
		return out
	}
	var days []moments
	var of []string
	heaps := slices.Concat(s.before, s.heaps)
	for _, h := range s.q.Week {
		one, ok := s.hour(heaps, h)
		if !ok {
			continue
		}
		if day := s.day(h.Time); len(of) == 0 || of[len(of)-1] != day {
			of, days = append(of, day), append(days, moments{})
		}
		days[len(days)-1].add(one)
		out.Hours++
	}
	out.Days = len(days)
	if out.Known = float64(out.Hours) >= enoughHours*float64(out.Of) && out.Days >= enoughDays; !out.Known {
		return out
	}
	slopes := s.slopes(days)
	above := 0
	for _, b := range slopes {
		if b > 0 {
			above++
		}
	}
	slices.Sort(slopes)
	out.M = float64(above) / float64(len(slopes))
	out.Least = max(0, plume.Quantile(slopes, 0.05)) * s.influence(heaps)
	return out
}

// hour is what one hour has to say. An hour whose air was not followed far enough, or
// whose mixing is not known, has nothing.
func (s *scene) hour(heaps []heap, h plume.Hour) (hour, bool) {
	t := s.Air.Back(s.field, s.mixing, s.q.At, h.Time)
	if len(t.Spots) == 0 || s.Air.Unseen(t) > 1-s.Low.Wind {
		return hour{}, false
	}
	return hour{h.PM25, 1 / t.Spots[0].Mixing, s.sum(heaps, flow{s.lane(t, 1)})}, true
}

// sum is what all fires weigh on a flow, for the default burn window.
func (s *scene) sum(heaps []heap, f flow) (sum float64) {
	for i := range heaps {
		h := &heaps[i]
		w := h.windows[len(h.windows)-1]
		sum += h.power * f.weigh(h.x, h.y, h.z, w[0], w[1])
	}
	return sum
}

// influence is the mean influence of the surge's hours, all alike.
func (s *scene) influence(heaps []heap) float64 {
	hours := slices.Clone(s.q.Hours)
	for i := range hours {
		hours[i].PM25 = 1
	}
	return s.sum(heaps, s.follow(s.field, s.mixing, s.q.At, hours))
}

// slopes is what PM2.5 rises by with influence, for days drawn again and again. Days of
// which no slope can be made count as one of nought.
func (s *scene) slopes(days []moments) []float64 {
	d := s.q.draw(0, "days", "", "")
	out := make([]float64, s.Resamples)
	for i := range out {
		var all moments
		for range days {
			all.join(&days[d.below(len(days))])
		}
		out[i] = all.slope()
	}
	return out
}

// slope solves for the third coefficient, by Cramer's rule; nought where there is none.
func (m *moments) slope() float64 {
	whole := det(m.square)
	scale := m.square[0][0] * m.square[1][1] * m.square[2][2]
	if !(whole > scale*1e-12) {
		return 0
	}
	third := m.square
	for i := range third {
		third[i][2] = m.right[i]
	}
	b := det(third) / whole
	if math.IsNaN(b) || math.IsInf(b, 0) {
		return 0
	}
	return b
}

func det(a [3][3]float64) float64 {
	return a[0][0]*(a[1][1]*a[2][2]-a[1][2]*a[2][1]) - a[0][1]*(a[1][0]*a[2][2]-a[1][2]*a[2][0]) + a[0][2]*(a[1][0]*a[2][1]-a[1][1]*a[2][0])
}
