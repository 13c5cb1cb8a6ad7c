package pattern

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// seasonOf is the season a moment lies in.
func seasonOf(at time.Time) (year int, kind Kind) {
	switch m := at.Month(); {
	case m == time.September && at.Day() >= 15, m == time.October, m == time.November:
		return at.Year(), Paddy
	case m == time.April, m == time.May:
		return at.Year(), Wheat
	}
	return at.Year(), Rest
}

// seasons counts episodes by season, the newest first.
func seasons(in []Episode, zone *time.Location) []Season {
	var out []Season
	for _, e := range in {
		year, kind := seasonOf(e.Start.In(zone))
		i := slices.IndexFunc(out, func(s Season) bool { return s.Year == year && s.Kind == kind })
		if i < 0 {
			i = len(out)
			out = append(out, Season{Year: year, Kind: kind})
		}
		s := &out[i]
		s.add(e.Verdict)
		if e.Satellites == nil {
			s.Unnoted++
		}
		for _, name := range e.Satellites {
			if !slices.Contains(s.Satellites, name) {
				s.Satellites = append(s.Satellites, name)
			}
		}
	}
	for i := range out {
		slices.Sort(out[i].Satellites)
	}
	slices.SortFunc(out, func(a, b Season) int {
		return cmp.Or(cmp.Compare(b.Year, a.Year), cmp.Compare(order(b.Kind), order(a.Kind)))
	})
	for i := range out {
		out[i].Other = differs(out, i)
	}
	return out
}

// order is where a kind stands in the year.
func order(k Kind) int { return slices.Index([]Kind{Rest, Wheat, Paddy}, k) }

// differs reports whether a season cannot be set beside the one of its kind before it:
// other satellites watched, or of one of them nobody noted which did. The first of its
// kind is set beside none.
func differs(all []Season, i int) bool {
	for _, earlier := range all[i+1:] {
		if earlier.Kind == all[i].Kind {
			return all[i].Unnoted > 0 || earlier.Unnoted > 0 || !slices.Equal(all[i].Satellites, earlier.Satellites)
		}
	}
	return false
}

// Watched lists the satellites of all seasons, each once.
func (p Patterns) Watched() []fire.Satellite {
	var out []fire.Satellite
	for _, s := range p.Seasons {
		out = append(out, s.Satellites...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
