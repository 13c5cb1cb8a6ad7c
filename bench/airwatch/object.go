package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// made is when the object was put together: every age in it is counted from here.
func made() time.Time { return time.Date(2026, 11, 14, 8, 30, 0, 0, time.UTC) }

// build makes an object as large as one is in November: every station of the country
// by the hour, the fires of the days that matter, and the wind around them. All stations
// at Delhi's border are in a surge.
func build(o options) (*lake.Object, error) {
	dice := rand.New(rand.NewPCG(9, 11)) //nolint:gosec // made-up air needs no secrecy
	out := &lake.Object{Time: made(), Air: air(o, dice), Fires: fires(o, dice), Looked: lake.Span{From: made().AddDate(0, 0, -o.days),
		To: made()},
		Stubble: &lake.Stubble{Percent: 25, Time: made().Add(-3 * time.Hour), Valid: made().Format(time.DateOnly)},
		Sources: []lake.Source{{Name: "made-up", Note: "made up to be measured"}}}
	var err error
	out.Wind, err = breeze(o)
	return out, err
}

// air is hourly rows of all stations; those at the border are bad for the last two days.
func air(o options, dice *rand.Rand) (out []lake.Air) {
	known := surge.Stations()
	for n := range o.stations {
		at := surge.Station{Site: aqi.Site(fmt.Sprintf("site_9%04d", n)), Name: fmt.Sprintf("Station %d, Elsewhere - SPCB", n),
			Lat: 10 + dice.Float64()*20, Lon: 72 + dice.Float64()*15}
		if n < len(known) {
			at = known[n]
		}
		for h := range o.days * 24 {
			pm25 := 70 + dice.IntN(40)
			switch {
			case at.Role == surge.Border && h < 48:
				pm25 = 280 + dice.IntN(60)
			case at.Role == surge.Interior && h < 48:
				pm25 = 160 + dice.IntN(40)
			}
			out = append(out, lake.Air{Site: at.Site, Station: at.Name, Lat: at.Lat, Lon: at.Lon, Time: made().
				Add(-time.Duration(h) * time.Hour), Basis: lake.Measured, Values: values(pm25, dice)})
		}
	}
	return out
}

// values is what a station with all its instruments says of an hour.
func values(pm25 int, dice *rand.Rand) []lake.Value {
	return []lake.Value{{Pollutant: aqi.PM25, Amount: aqi.Amount(pm25) * aqi.Micro},
		{Pollutant: aqi.PM10, Amount: aqi.Amount(2*pm25) * aqi.Micro},
		{Pollutant: aqi.NO2, Amount: aqi.Amount(30+dice.IntN(30)) * aqi.Micro},
		{Pollutant: aqi.SO2, Amount: aqi.Amount(10+dice.IntN(10)) * aqi.Micro}}
}

// fires burn in the fields of Punjab and Haryana, most of them at the day's pass.
func fires(o options, dice *rand.Rand) (out []lake.Fire) {
	for n := range o.fires {
		day := made().AddDate(0, 0, -(n % min(o.days, 5))).Truncate(24 * time.Hour)
		at, light := day.Add(8*time.Hour-time.Duration(dice.IntN(60))*time.Minute), "D"
		if n%4 == 0 {
			at, light = day.Add(-4*time.Hour+time.Duration(dice.IntN(60))*time.Minute), "N"
		}
		out = append(out, lake.Fire{Lat: 29 + dice.Float64()*2.8, Lon: 74 + dice.Float64()*2.8, Time: at, Confidence: "n",
			Satellite: []string{"N20", "N21"}[n%2], Instrument: "VIIRS",
			FRP: 1 + 20*dice.Float64(), Light: light, Scan: 0.4, Track: 0.4, Version: "2.0NRT", Bright: 330})
	}
	return out
}

// breeze is wind from the north-west that turns a little, hourly on half a degree, over
// the north of India.
func breeze(o options) (*lake.Wind, error) {
	from := made().Truncate(24*time.Hour).AddDate(0, 0, -o.days)
	w, err := lake.NewWind(wind.Shape{South: 24, West: 70, DLat: 0.5, DLon: 0.5, Rows: 21, Cols: 25, Start: from, Every: time.Hour,
		Times: (o.days+1)*24 + 1})
	if err != nil {
		return nil, err
	}
	s := w.Shape()
	for at := range s.Times {
		for node := range s.Rows * s.Cols {
			row, col := node/s.Cols, node%s.Cols
			for i, l := range wind.Levels() {
				u, v := wind.FromDirection(3+float64(i), 315+15*math.Sin(float64(at)/9+float64(row)/5))
				if err := w.Set(l, at, row, col, u, v); err != nil {
					return nil, err
				}
			}
			if err := w.SetMixing(at, row, col, 600); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}
