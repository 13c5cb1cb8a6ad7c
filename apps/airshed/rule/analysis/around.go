package analysis

import (
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// A Nearby is a station of the list as it stood in the hour an episode is about.
type Nearby struct {
	surge.Station

	PM25 *float64 // µg/m³ of that hour, to 0.1; nil where not known
	Left bool     // it was not looked at: silent too long, or without an index
}

// Around is how all stations stood in the hour of an episode's highest index, for the
// map. Like a Picture it is no finding.
func (d *Dataset) Around(key surge.Key) ([]Nearby, error) {
	f, err := d.episode(key)
	if err != nil {
		return nil, err
	}
	left := d.left()
	var out []Nearby
	for _, s := range d.rules.Stations {
		n := Nearby{Station: s, Left: slices.ContainsFunc(left, func(l Left) bool { return l.Site == s.Site })}
		if v := d.air.hours[s.Site].At(aqi.PM25, f.Episode.PeakIndexAt); v >= 0 {
			n.PM25 = ptr(v.Float(), tenths)
		}
		out = append(out, n)
	}
	return out, nil
}
