package surge

import (
	"maps"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// A Verdict says how a station stands against the city's interior.
type Verdict string

// The verdicts. Only Above lets anybody speak of what came over the border; it does not
// say that anything did.
const (
	Above    Verdict = "above_interior_controls"
	Local    Verdict = "not_distinguishable_from_local_sources"
	Unjudged Verdict = "no_interior_control_available"
)

// A Comparison sets a border station's episode against stations inside the city: bad
// air that all of them have alike may be the city's own. It does not clear a station
// of its own neighbours: a factory beside it puts it above the interior as well, while
// smoke that covers the whole city does not.
type Comparison struct {
	Verdict    Verdict    `json:"verdict"`
	Difference float64    `json:"difference"` // mean over Hours of the station minus the median of the controls
	Unit       string     `json:"unit"`       // "µg/m³", or "index" where the feed has no concentrations
	Hours      int        `json:"hours"`      // of the episode, in which both were known
	Of         int        `json:"of_hours"`   // hours of the episode
	Controls   []aqi.Site `json:"controls"`   // that were known in any of them
}

// Compare takes, for every hour of the episode, the station's value and the median
// of whichever interior controls have one for the very same hour. A track that is
// not of an interior station, or that rests on another basis, is no control. The
// verdict goes by the difference to a tenth, as it is shown, and is decided in whole
// numbers.
func Compare(t Track, e Episode, controls []Track) Comparison {
	c := Comparison{Verdict: Unjudged, Unit: aqi.PM25.Unit(), Of: e.Last.Since(e.Start) + 1}
	unit := int64(aqi.Micro)
	if t.basis == IndexOnly {
		c.Unit, unit = "index", 1
	}
	used := map[aqi.Site]bool{}
	var twice int64 // the sum of differences, doubled as the medians are
	values := make([]int64, 0, len(controls))
	for at := e.Start; at <= e.Last; at = at.Plus(1) {
		own, ok := t.value(at)
		if !ok {
			continue
		}
		values = values[:0]
		for _, o := range controls {
			if o.station.Role != Interior || o.basis != t.basis || o.station.Site == t.station.Site {
				continue
			}
			if v, ok := o.value(at); ok {
				values = append(values, v)
				used[o.station.Site] = true
			}
		}
		if len(values) > 0 {
			twice += 2*own - twiceMedian(values)
			c.Hours++
		}
	}
	if c.Hours == 0 {
		return c
	}
	c.Controls = slices.Sorted(maps.Keys(used))
	c.Difference = float64(twice) / float64(2*c.Hours) / float64(unit)
	c.Verdict = Local
	if 10*twice >= int64(c.Hours)*unit { // half a tenth is shown as a tenth
		c.Verdict = Above
	}
	return c
}

// value is what a comparison goes by: millionths of a concentration, or the index.
func (t Track) value(at aqi.Hour) (int64, bool) {
	if t.basis == IndexOnly {
		v := t.Index(at)
		return int64(v), v >= 0
	}
	v := t.PM25(at)
	return int64(v), v >= 0
}
