// Package laketest makes small files of the data lake for tests: made up, and saying
// so. The stations are real ones, what they measured is not.
package laketest

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// Now is when the made-up objects were put together: half past midnight in India.
func Now() time.Time { return time.Date(2025, 11, 13, 19, 0, 0, 0, time.UTC) }

// Surge is an object with one episode, at Alipur, two stations inside the city that
// have less, wind from the north-west and fires where it comes from, in the south of
// Punjab.
func Surge(t testing.TB) *lake.Object {
	t.Helper()
	o := &lake.Object{
		Time: Now(), Wind: northWest(t), Looked: lake.Span{From: Now().AddDate(0, 0, -30), To: Now()},
		Stubble: &lake.Stubble{Percent: 15, Time: Now().Add(-3 * time.Hour), Valid: "2025-11-13"},
		Sources: []lake.Source{{Name: "made-up", Note: "made up for tests"}},
	}
	o.Air = append(o.Air, hours("site_5024", "Alipur, Delhi - DPCC", 300)...)
	o.Air = append(o.Air, hours("site_1434", "Wazirpur, Delhi - DPCC", 180)...)
	o.Air = append(o.Air, hours("site_1423", "Jahangirpuri, Delhi - DPCC", 200)...)
	o.Fires = fires()
	return o
}

// Quiet is an object in which nothing is wrong with the air.
func Quiet(t testing.TB) *lake.Object {
	t.Helper()
	o := Surge(t)
	o.Air = hours("site_5024", "Alipur, Delhi - DPCC", 60)
	return o
}

// File is an object's bytes.
func File(t testing.TB, o *lake.Object) []byte {
	t.Helper()
	body, err := o.Write()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// hours is forty hours of air at a station, up to now: PM2.5 as told, and little of
// the others.
func hours(site aqi.Site, name string, pm25 int) []lake.Air {
	var out []lake.Air
	for h := range 40 {
		out = append(out, lake.Air{Site: site, Station: name, Time: Now().Add(-30*time.Minute - time.Duration(h)*time.Hour),
			Basis: lake.Measured, Values: []lake.Value{
				{Pollutant: aqi.PM25, Amount: aqi.Amount(pm25) * aqi.Micro}, {Pollutant: aqi.PM10, Amount: 200 * aqi.Micro},
				{Pollutant: aqi.NO2, Amount: 40 * aqi.Micro},
			}})
	}
	return out
}

// northWest is wind of 4 m/s from there, the same everywhere and on all levels, from
// ten days before now to two days after.
func northWest(t testing.TB) *lake.Wind {
	t.Helper()
	w, err := lake.NewWind(wind.Shape{South: 20, West: 65, DLat: 10, DLon: 12.5, Rows: 3, Cols: 3,
		Start: Now().Truncate(24*time.Hour).AddDate(0, 0, -10), Every: 6 * time.Hour, Times: 12*4 + 1})
	if err != nil {
		t.Fatal(err)
	}
	u, v := wind.FromDirection(4, 315)
	for at := range w.Shape().Times {
		for node := range 9 {
			row, col := node/3, node%3
			for _, l := range wind.Levels() {
				if err := w.Set(l, at, row, col, u, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.SetMixing(at, row, col, 500); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// fires are six a day for three days around 30.4 N 75.3 E, some kilometres apart, at
// the day pass, 18 hours from Alipur at that wind.
func fires() []lake.Fire {
	var out []lake.Fire
	for day := range 3 {
		for i := range 6 {
			apart := float64(i-3) * 5 / (earth.RadiusKM * earth.Radians) // 5 km in degrees
			out = append(out, lake.Fire{Lat: 30.4 + apart, Lon: 75.3 + apart, Time: time.Date(2025, 11, 11+day, 8, i, 0, 0, time.UTC),
				Confidence: "n", Satellite: "N20",
				Instrument: "VIIRS", FRP: 12, Light: "D", Scan: 0.4, Track: 0.4, Version: "2.0NRT", Bright: 330})
		}
	}
	return out
}
