package likelihood

import (
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A Grade is how good the data are.
type Grade string

// The grades.
const (
	High   Grade = "high"
	Medium Grade = "medium"
	Low    Grade = "low"
)

// Bounds are where a grade begins, or ends.
type Bounds struct {
	Wind  float64 `json:"wind"`            // known for so much of the way, by influence
	Cloud float64 `json:"cloud"`           // known for so many of the passes
	Fires float64 `json:"effective_fires"` // so many that count alike
	Still float64 `json:"still"`           // of the hours, below StillBelow
}

// StillBelow is the speed of the wind that carries, in m/s, below which air goes nowhere.
const StillBelow = 1.5

// afternoonFrom and afternoonTo are the hours, local time, of a pass by day.
const (
	afternoonFrom = 12
	afternoonTo   = 16
)

// A Lack is a reason why the data are no better.
type Lack string

// The lacks. Each of the first seven makes the data low.
const (
	WindShort    Lack = "wind_short"
	CloudUnknown Lack = "cloud_unknown"
	FewFires     Lack = "few_fires"
	Still        Lack = "still"
	Doubtful     Lack = "readings_doubtful"
	OneState     Lack = "one_state"
	FewPasses    Lack = "few_passes"
)

// Data is how good the data are, and the figures it goes by.
type Data struct {
	Grade      Grade          `json:"grade"`
	Lacks      []Lack         `json:"lacks"`   // that make it low
	Partial    []Lack         `json:"partial"` // that keep it from being high
	Wind       float64        `json:"wind"`    // share of the way that it was known for, by influence
	Cloud      float64        `json:"cloud"`   // share of the passes it was known for
	Effective  float64        `json:"effective_fires"`
	Still      float64        `json:"still"` // share of the hours with too little wind
	Flags      []quality.Flag `json:"flags"`
	Days       int            `json:"days"`       // the air was on its way
	Afternoons int            `json:"afternoons"` // of these, with rows of a pass by day
	States     int            `json:"states"`     // from which any smoke could have come
}

// data counts what is known.
func (s *scene) data(states []Share) Data {
	out := Data{Lacks: []Lack{}, Partial: []Lack{}, Flags: append([]quality.Flag{}, s.q.Flags...), Days: len(s.days)}
	out.Wind, out.Still = s.way()
	out.Cloud, out.Afternoons = s.passes()
	for _, sh := range states {
		j, _ := slices.BinarySearch(s.states, sh.State)
		if alone := sh.Between > 0 && 20*s.counts[j].came <= s.Members; sh.High > 0 && !alone {
			out.States++
		}
	}
	var all weight
	if s.windy {
		f := s.follow(s.field, s.mixing, s.q.At, s.q.Hours)
		for _, days := range s.weigh(s.heaps, f, len(s.Air.Burn)-1) {
			for _, w := range days {
				all.sum += w.sum
				all.squares += w.squares
			}
		}
	}
	out.Effective = all.effective()
	out.judge(s.Low, s.High)
	return out
}

// judge is low for any lack, and high only where nothing is wanting.
func (d *Data) judge(low, high Bounds) {
	for _, one := range []struct {
		lack     Lack
		is, part bool
	}{
		{WindShort, d.Wind < low.Wind, d.Wind < high.Wind},
		{CloudUnknown, d.Cloud < low.Cloud, d.Cloud < high.Cloud},
		{FewFires, d.Effective < low.Fires, d.Effective < high.Fires},
		{Still, d.Still > low.Still, d.Still > high.Still},
		{Doubtful, len(d.Flags) > 0, false},
		{OneState, d.States == 1, false},
		{FewPasses, 2*d.Afternoons < d.Days, false},
	} {
		switch {
		case one.is:
			d.Lacks = append(d.Lacks, one.lack)
		case one.part:
			d.Partial = append(d.Partial, one.lack)
		}
	}
	switch {
	case len(d.Lacks) > 0:
		d.Grade = Low
	case len(d.Partial) > 0:
		d.Grade = Medium
	default:
		d.Grade = High
	}
}

// way is how much of the way wind was known for, each hour by its PM2.5 and its age,
// and in which share of the hours the air stood still at the station.
func (s *scene) way() (known, still float64) {
	if !s.windy {
		return 0, 0
	}
	total, n := 0.0, 0
	for _, h := range s.q.Hours {
		total += h.PM25
	}
	for _, h := range s.q.Hours {
		t := s.Air.Back(s.field, s.mixing, s.q.At, h.Time)
		if len(t.Spots) > 0 {
			known += h.PM25 / total * (1 - s.Air.Unseen(t))
		}
		if u, v, ok := s.field.At(s.q.At.Lat, s.q.At.Lon, wind.Hours(h.Time)); ok {
			n++
			if math.Hypot(u, v) < StillBelow {
				still++
			}
		}
	}
	return known, still / max(1, float64(n))
}

// passes is the share of the days' passes for which cloud is known, and on how many of
// the days rows of a pass by day came.
func (s *scene) passes() (cloud float64, afternoons int) {
	days := map[string]bool{}
	for _, d := range s.days {
		days[d] = false
	}
	n := 0
	for _, p := range s.q.Passes {
		day := s.day(p.Time)
		if _, within := days[day]; !within {
			continue
		}
		n++
		if len(p.Cloud) > 0 {
			cloud++
		}
		if h := p.Time.In(s.q.Zone).Hour(); p.Delivered && h >= afternoonFrom && h < afternoonTo {
			days[day] = true
		}
	}
	for _, seen := range days {
		if seen {
			afternoons++
		}
	}
	return cloud / max(1, float64(n)), afternoons
}
