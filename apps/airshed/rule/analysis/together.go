package analysis

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/together"
)

// A Companion is one pollutant at the station through the seven days up to the surge's last
// hour. Amounts to 0.1, of CO to 0.01; null where too few hours are known.
type Companion struct {
	Pollutant aqi.Pollutant `json:"pollutant"`
	Unit      string        `json:"unit"`
	Before    *float64      `json:"before"` // mean of the days before the last
	During    *float64      `json:"during"` // mean of the last 24 hours
	Times     *float64      `json:"times"`  // as many times as before, to 0.01
	Hours     int           `json:"hours"`  // known together with PM2.5
	Rank      *float64      `json:"rank"`   // correlation of its ranks with those of PM2.5, to 0.01
	Went      bool          `json:"went"`   // with PM2.5, closely; true of itself
}

// together is what the measured pollutants did, PM2.5 first; none where no other is measured.
func (d *Dataset) together(e surge.Episode) (out []Companion) {
	if e.Basis != surge.Concentration {
		return nil
	}
	week := d.rules.Whose.Week * aqi.Day
	of := func(p aqi.Pollutant) together.Series {
		s := make(together.Series, week)
		for i := range s {
			s[i] = math.NaN()
			if v := d.air.hours[e.Site].At(p, e.PeakIndexAt.Plus(i+1-week)); v >= 0 {
				s[i] = v.Float()
			}
		}
		return s
	}
	first := of(aqi.PM25)
	for _, p := range append([]aqi.Pollutant{aqi.PM25}, aqi.Pollutants()...) {
		if p == aqi.PM25 && len(out) > 0 {
			continue
		}
		c := of(p).With(first, aqi.Day)
		if c.Hours == 0 {
			continue
		}
		one := Companion{Pollutant: p, Unit: p.Unit(), Before: given(c.Before, decimals(p)), During: given(c.During, decimals(p)),
			Times: given(c.Times, hundredths), Hours: c.Hours, Went: p == aqi.PM25 || c.Rank >= together.Closely}
		if p != aqi.PM25 {
			one.Rank = given(c.Rank, hundredths)
		}
		out = append(out, one)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// given is a figure as it is printed; null where it is no number.
func given(v float64, decimals int) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return ptr(v, decimals)
}
