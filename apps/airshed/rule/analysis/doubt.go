package analysis

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// A Doubt is what speaks against readings of a station: which hours, and what they say.
// Concentrations are µg/m³ to 0.1.
type Doubt struct {
	Flag   quality.Flag `json:"flag"`
	From   time.Time    `json:"from"`             // the beginning of the first hour
	Hours  int          `json:"hours"`            //
	Value  float64      `json:"pm25"`             // the worst, what it stands still at, or what it jumped to
	Beside *float64     `json:"beside,omitempty"` // PM10 of that hour, or PM2.5 of the hour before a jump
}

// A Doubted is a doubt about a station of the board, in the last 24 hours of the data.
type Doubted struct {
	Site    aqi.Site `json:"site_id"`
	Station string   `json:"station"`
	Doubt
}

// doubts is what speaks against the readings of a station in the 24 hours up to one.
func (d *Dataset) doubts(t surge.Track, last aqi.Hour) []quality.Doubt {
	own := d.air.hours[t.Station().Site]
	var around []surge.Track
	for _, o := range d.air.tracks {
		if o.Station().Site != t.Station().Site && o.Station().City == t.Station().City {
			around = append(around, o)
		}
	}
	hours := make([]quality.Hour, aqi.Day)
	for i := range hours {
		at := last.Plus(i + 1 - aqi.Day)
		h := quality.Hour{PM25: quality.Of(t.PM25(at)), PM10: quality.Of(own.At(aqi.PM10, at)), Others: make([]float64, len(around))}
		for j, o := range around {
			h.Others[j] = quality.Of(o.PM25(at))
		}
		hours[i] = h
	}
	return quality.Check(hours)
}

// doubted is doubts about the 24 hours up to one, as they are printed.
func (d *Dataset) doubted(all []quality.Doubt, last aqi.Hour) (out []Doubt) {
	for _, q := range all {
		one := Doubt{Flag: q.Flag, From: last.Plus(q.First + 1 - aqi.Day).Start().UTC(), Hours: q.Hours, Value: round(q.Value, tenths)}
		if !math.IsNaN(q.Beside) {
			one.Beside = ptr(q.Beside, tenths)
		}
		out = append(out, one)
	}
	return out
}

// doubtful is what speaks against the last day of every station that measures.
func (d *Dataset) doubtful() (out []Doubted) {
	for _, t := range d.air.tracks {
		s := t.Station()
		own, measured := d.air.hours[s.Site]
		if !measured {
			continue
		}
		last := own.First().Plus(own.Length() - 1)
		for _, one := range d.doubted(d.doubts(t, last), last) {
			out = append(out, Doubted{s.Site, s.Name, one})
		}
	}
	return out
}
