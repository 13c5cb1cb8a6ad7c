// Package demo is what was measured and seen in a world that is made up for a
// demonstration.
package demo

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A World is what was measured and seen around a city that is made up, in the middle
// of an ocean, whose states and stations are in demo/land.geojson. Smoke of one state
// comes over it for two days and a night. It is the same for the same moments.
type World struct {
	smoke time.Time // when it comes, the beginning of a day
	now   time.Time // up to when anything is known, a full hour
}

// At is the world as it is known at a moment, whose land was imported at another.
func At(imported, now time.Time) World {
	return World{smoke: imported.Add(-40 * time.Hour).Truncate(24 * time.Hour), now: now.Truncate(time.Hour)}
}

// Now is up to when anything is known.
func (w World) Now() time.Time { return w.now }

// A station is how the air is at a station, in µg/m³ of PM2.5.
type station struct {
	site, name   string
	usual, smoke float64
	silent       time.Duration // since when nothing came of it
	odd          bool          // it reads less PM10 than PM2.5, which cannot be
}

// stations: one stands out from the city, one does not and has an instrument that nobody
// can believe, one has clean air and one has been silent for two days. Two are inside the
// city.
func stations() []station {
	return []station{
		{"demo-lantern-gate", "Lantern Gate (made up)", 70, 310, 0, false},
		{"demo-salt-gate", "Salt Gate (made up)", 75, 172, 0, true},
		{"demo-mill-lane", "Mill Lane (made up)", 55, 60, 0, false},
		{"demo-weir-road", "Weir Road (made up)", 65, 65, 50 * time.Hour, false},
		{"demo-clock-square", "Clock Square (made up)", 80, 185, 0, false},
		{"demo-orchard-hill", "Orchard Hill (made up)", 78, 196, 0, false},
	}
}

// days is how many of air there are: a rise is judged by eight days before it, or more.
const days = 12

// A wave is smoke that comes so many hours after the smoke, and stays; and which part it is
// of the greatest.
type wave struct{ after, hours, part float64 }

// waves are the smoke that the demonstration is about, and a thin one before it, by which
// whoever looks back a week sees that the air is worse when more burns.
func waves() []wave { return []wave{{-120, 72, 0.17}, {0, 84, 1}} }

// Object is everything that is known, as a file of the data lake.
func (w World) Object() (*lake.Object, error) {
	o := &lake.Object{Time: w.now, Looked: lake.Span{From: w.now.AddDate(0, 0, -30), To: w.now},
		Sources: []lake.Source{{Name: "made-up", Note: "Made up for a demonstration. No such place, station or fire exists."}}}
	for _, s := range stations() {
		o.Air = append(o.Air, w.air(s)...)
	}
	o.Fires, o.Cloud = w.fires(), w.cloud()
	var err error
	o.Wind, err = w.wind()
	return o, err
}

// daily is more around an hour of the day, and less twelve hours later.
func daily(at time.Time, most int, by float64) float64 {
	return 1 + by*math.Cos(2*math.Pi*float64(at.Hour()-most)/24)
}

// air is the hours of a station: more by night, when it is mixed less deep, and more of the
// smoke when what burnt by day has come the whole way.
func (w World) air(s station) (out []lake.Air) {
	last := w.now.Add(-s.silent)
	for at := w.now.AddDate(0, 0, -days); !at.After(last); at = at.Add(time.Hour) {
		pm := s.usual
		for _, wave := range waves() {
			if since := at.Sub(w.smoke).Hours() - wave.after; since > 0 && since <= wave.hours {
				pm += wave.part * (s.smoke - s.usual) * math.Min(1, since/3) * daily(at, 2, 0.2)
			}
		}
		pm *= daily(at, 18, 0.04)
		coarse := pm + 40
		if s.odd {
			coarse = 0.7 * pm
		}
		micro := func(v float64) aqi.Amount { return aqi.Amount(math.Round(v)) * aqi.Micro }
		out = append(out, lake.Air{Site: aqi.Site(s.site), Station: s.name, Time: at, Basis: lake.Measured, Values: []lake.Value{
			{Pollutant: aqi.PM25, Amount: micro(pm)}, {Pollutant: aqi.PM10, Amount: micro(coarse)},
			{Pollutant: aqi.NO2, Amount: micro(35)},
		}})
	}
	return out
}

// fires are what satellites saw at their passes of the days before the smoke and while
// it stays: many in one state to the north-west, a few in the next.
func (w World) fires() (out []lake.Fire) {
	first := w.smoke.Truncate(24*time.Hour).AddDate(0, 0, -6)
	for day, n := range []int{12, 12, 12, 0, 0, 60, 60, 60, 60} {
		for i := range n {
			pass := first.AddDate(0, 0, day).Add(8*time.Hour + time.Duration(i)*time.Minute)
			f := lake.Fire{Lat: 15.72 + spread(day, i, 1), Lon: 62.55 + spread(day, i, 2), Time: pass,
				FRP: 9 + 7*math.Abs(spread(day, i, 3))*3, Light: "D",
				Satellite: "N21", Instrument: "VIIRS", Confidence: "n", Scan: 0.4, Track: 0.4, Version: "2.0NRT", Bright: 331}
			switch {
			case i%30 == 0: // in the next state, beside the way
				f.Lat, f.Lon = 14.7+spread(day, i, 4)/3, 63.1+spread(day, i, 5)/4
			case i%4 == 0:
				f.Time, f.Light = pass.Add(12*time.Hour), "N"
			}
			if i%2 == 0 {
				f.Satellite = "N20"
			}
			if !f.Time.After(w.now) {
				out = append(out, f)
			}
		}
	}
	return out
}

// spread is up to 0.6 degrees either way, and looks like chance.
func spread(day, i, of int) float64 {
	x := math.Sin(float64(day*97+i*13+of*31)*12.9898) * 43758.5453
	return 1.2 * (x - math.Floor(x) - 0.5)
}

// cloud is a little, at the passes.
func (w World) cloud() (out []lake.Cloud) {
	for at := w.smoke.Truncate(24*time.Hour).AddDate(0, 0, -4); at.Before(w.now); at = at.AddDate(0, 0, 1) {
		for _, pass := range []time.Duration{8 * time.Hour, 20 * time.Hour} {
			out = append(out, lake.Cloud{Time: at.Add(pass), Lat: 15, Lon: 62, Fraction: 0.15})
		}
	}
	return out
}

// wind comes from the north-west, by day and height a little more from here or there.
func (w World) wind() (*lake.Wind, error) {
	shape := wind.Shape{South: 5, West: 45, DLat: 5, DLon: 5, Rows: 6, Cols: 7,
		Start: w.now.Truncate(24*time.Hour).AddDate(0, 0, -days), Every: 6 * time.Hour, Times: (days+2)*4 + 1}
	out, err := lake.NewWind(shape)
	if err != nil {
		return nil, err
	}
	for at := range shape.Times {
		turn := math.Sin(2 * math.Pi * float64(at%4) / 4)
		for node := range shape.Rows * shape.Cols {
			row, col := node/shape.Cols, node%shape.Cols
			for i, l := range wind.Levels() {
				u, v := wind.FromDirection(3.6+0.3*float64(i), 313+2*float64(i)+4*turn)
				if err := out.Set(l, at, row, col, u, v); err != nil {
					return nil, err
				}
			}
			if err := out.SetMixing(at, row, col, 600+250*turn); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
