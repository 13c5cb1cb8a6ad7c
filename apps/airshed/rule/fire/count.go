package fire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Count is what one satellite saw. Power is summed over pixels, because a
// pixel's power is not a fire's.
type Count struct {
	Satellite  Satellite `json:"satellite"`
	Detections int       `json:"detections"`
	ByDay      int       `json:"day"`
	ByNight    int       `json:"night"`
	High       int       `json:"high_confidence"`
	Final      int       `json:"standard_processing"` // of the detections; the others are preliminary
	FRP        float64   `json:"frp_mw"`              // as received
	Factor     float64   `json:"frp_factor"`
	Power      float64   `json:"power_mw"` // FRP × Factor
}

// Count counts detections per satellite, in the order of the constellation. Every
// satellite of it is there, those that saw nothing too: that is a finding.
// Detections of other satellites are not counted.
func (c Constellation) Count(ds []Detection) []Count {
	out := make([]Count, len(c.Sensors))
	at := make(map[Satellite]*Count, len(out))
	for i, s := range c.Sensors {
		out[i] = Count{Satellite: s.Satellite, Factor: s.Factor}
		at[s.Satellite] = &out[i]
	}
	for _, d := range ds {
		n := at[d.Satellite]
		if n == nil {
			continue
		}
		n.Detections++
		n.FRP += d.FRP
		n.ByDay += one(d.Light == Day)
		n.ByNight += one(d.Light == Night)
		n.High += one(d.Confidence == High)
		n.Final += one(d.Standard())
	}
	for i := range out {
		out[i].Power = out[i].FRP * out[i].Factor
	}
	return out
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Comparable refuses to set two seasons' counts beside each other that different
// satellites made: the difference would be the satellites'.
func (c Constellation) Comparable(a, b []Count) error {
	one, other := satellites(a), satellites(b)
	if slices.Equal(one, other) {
		return nil
	}
	err := fault.New(fault.Conflict, "the counts are of different satellites: %s, and %s", list(one), list(other))
	for _, s := range c.Sensors {
		if s.Continuous && slices.Contains(one, s.Satellite) && slices.Contains(other, s.Satellite) {
			return err.WithNext("compare what %s alone saw", s.Satellite)
		}
	}
	return err
}

func satellites(counts []Count) []Satellite {
	var out []Satellite
	for _, n := range counts {
		out = append(out, n.Satellite)
	}
	slices.Sort(out)
	return out
}

func list(all []Satellite) string {
	if len(all) == 0 {
		return "none"
	}
	var names []string
	for _, s := range all {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// A Place is where a detection lies. The zero Place is not known: files of
// detections do not say, and boundaries have dates and licences of their own.
type Place struct {
	State    string `json:"state,omitempty"`
	District string `json:"district,omitempty"`
	Abroad   bool   `json:"outside_india,omitempty"` // known to lie outside India, as the Pakistani Punjab does
}

// Locate gives each detection its place. Without a lookup all stay empty.
func Locate(ds []Detection, lookup func(Point) Place) []Detection {
	out := slices.Clone(ds)
	for i := range out {
		out[i].Place = Place{}
		if lookup != nil {
			out[i].Place = lookup(out[i].At)
		}
	}
	return out
}

// A Share is the detections of one place.
type Share struct {
	Place

	Detections int     `json:"detections"`
	Power      float64 `json:"power_mw"`
}

// ByState counts located detections by state, the most first; those outside
// India are one group, those whose state is not known another. Districts are
// left out of it.
func (c Constellation) ByState(ds []Detection) []Share {
	groups := map[Place]*Share{}
	for _, d := range ds {
		key := Place{State: d.Place.State, Abroad: d.Place.Abroad}
		if key.Abroad {
			key.State = ""
		}
		g := groups[key]
		if g == nil {
			g = &Share{Place: key}
			groups[key] = g
		}
		g.Detections++
		g.Power += c.Power(d)
	}
	out := make([]Share, 0, len(groups))
	for _, g := range groups {
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Detections, a.Detections), cmp.Compare(a.State, b.State), cmp.Compare(one(a.Abroad), one(b.Abroad)))
	})
	return out
}
