package analysis

import (
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// beside is the pollutants in the hours of the window: the smoke of straw raises
// fine particles and carbon monoxide more than sulphur dioxide, works and traffic
// others. It proves nothing alone.
func (d *Dataset) beside(a Analysis) []Beside {
	out := []Beside{}
	for _, p := range aqi.Pollutants() {
		var (
			b  Beside
			ok bool
		)
		if a.Episode.Basis == surge.Concentration {
			b, ok = d.measuredBeside(a, p)
		} else {
			b, ok = d.givenBeside(a, p)
		}
		if ok {
			out = append(out, b)
		}
	}
	return out
}

// decimals is how many decimals a pollutant is given with: milligrams have more.
func decimals(p aqi.Pollutant) int {
	if p == aqi.CO {
		return hundredths
	}
	return tenths
}

// measuredBeside takes the mean of the hours, and in the hours for which both are
// known the difference from the median of the stations inside the city.
func (d *Dataset) measuredBeside(a Analysis, p aqi.Pollutant) (Beside, bool) {
	var own, both, inside aqi.Amount // the last doubled, as medians are
	var n, m int
	values := make([]aqi.Amount, 0, len(a.Control.Controls))
	for i := 1 - aqi.Day; i <= 0; i++ {
		at := a.Episode.PeakIndexAt.Plus(i)
		v := d.air.hours[a.Episode.Site].At(p, at)
		if v < 0 {
			continue
		}
		own, n = own+v, n+1
		values = values[:0]
		for _, site := range a.Control.Controls {
			if c := d.air.hours[site].At(p, at); c >= 0 {
				values = append(values, c)
			}
		}
		if len(values) > 0 {
			slices.Sort(values)
			both, inside, m = both+v, inside+values[(len(values)-1)/2]+values[len(values)/2], m+1
		}
	}
	if n == 0 {
		return Beside{}, false
	}
	b := Beside{Pollutant: p, Unit: p.Unit(), Mean: round(own.Float()/float64(n), decimals(p)), Hours: n}
	if m > 0 {
		b.Interior = ptr(inside.Float()/float64(2*m), decimals(p))
		b.Difference = ptr((2*both-inside).Float()/float64(2*m), decimals(p))
	}
	return b, true
}

// givenBeside is what the row of the highest index gives.
func (d *Dataset) givenBeside(a Analysis, p aqi.Pollutant) (Beside, bool) {
	row, ok := d.air.rowAt(a.Episode.Site, a.Episode.PeakIndexAt)
	v := row.Of(p)
	if !ok || v < 0 {
		return Beside{}, false
	}
	return Beside{Pollutant: p, Unit: p.Unit(), Mean: round(v.Float(), decimals(p)), Hours: 0, Derived: row.Derived}, true
}
