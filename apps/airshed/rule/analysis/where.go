package analysis

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// A WhoseDistrict is where in a state somebody should look first: what the fires that were
// seen there weigh, in percent to 0.1 of those seen in the state. It is no share of smoke.
type WhoseDistrict struct {
	State    string  `json:"state"`
	District string  `json:"district"`
	Percent  float64 `json:"percent_of_state"`
}

// mostDistricts is how many are named.
const mostDistricts = 10

// where is the districts of a state whose fires weighed anything, the most first; none where
// nobody knows districts.
func (d *Dataset) where(q likelihood.Question, state string) (out []WhoseDistrict, err error) {
	if state == "" || state == Abroad {
		return nil, nil
	}
	way := d.rules.way(q.Hours)
	from, to := days(way)
	q.Fires = d.weighable(from, to, func(p plume.Place) string {
		if p.State != state {
			return ""
		}
		return p.District
	})
	weights, err := d.rules.Whose.Weights(q, d.grid)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if name != "" {
			total += weights[name]
		}
	}
	for name, w := range weights {
		if percent := round(100*w/total, tenths); name != "" && percent > 0 {
			out = append(out, WhoseDistrict{State: state, District: name, Percent: percent})
		}
	}
	slices.SortFunc(out, func(a, b WhoseDistrict) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(a.District, b.District))
	})
	return out[:min(len(out), mostDistricts)], nil
}
