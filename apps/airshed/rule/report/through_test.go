package report_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// seedExample is the first design's own example object.
const seedExample = `{
	"cpcb_data": [{"station": "Alipur", "aqi": 450, "timestamp": "2025-11-14T08:00:00Z", "pm25": 350.5, "pm10": 420.2, "latitude": 28.8, "longitude": 77.1}],
	"nasa_data": [{"latitude": 29.2, "longitude": 76.5, "brightness": 320.5, "confidence": 85, "acq_date": "2025-11-13", "state": "Haryana", "district": "Jind"}],
	"dss_data": {"stubble_burning_percent": 22.5, "timestamp": "2025-11-14T06:00:00Z"},
	"timestamp": "2025-11-14T08:30:00Z"}`

// windyDay is an object with an episode at Alipur, a cleaner station inside the
// city, wind of 4 m/s from the north-west, and fires 150 km up the wind.
func windyDay(t testing.TB) *lake.Object {
	t.Helper()
	now := at("2025-11-13T19:00:00Z")
	w, err := lake.NewWind(wind.Shape{South: 20, West: 65, DLat: 10, DLon: 12.5, Rows: 3, Cols: 3, Start: at("2025-11-03T00:00:00Z"),
		Every: 6 * time.Hour, Times: 49})
	if err != nil {
		t.Fatal(err)
	}
	u, v := wind.FromDirection(4, 315)
	for i := range w.Shape().Times * 9 {
		for _, l := range wind.Levels() {
			if err := w.Set(l, i/9, i%9/3, i%3, u, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := &lake.Object{Time: now, Wind: w, Looked: lake.Span{From: now.AddDate(0, 0, -30), To: now}, Stubble: &lake.Stubble{Percent: 25,
		Valid: "2025-11-13"}}
	for h := range 40 {
		for site, pm25 := range map[aqi.Site]aqi.Amount{"site_5024": 300, "site_1434": 180} {
			o.Air = append(o.Air, lake.Air{Site: site, Time: at("2025-11-13T18:30:00Z").Add(time.Duration(-h) * time.Hour),
				Basis: lake.Measured, Values: []lake.Value{
					{Pollutant: aqi.PM25, Amount: pm25 * aqi.Micro}, {Pollutant: aqi.PM10, Amount: 200 * aqi.Micro},
					{Pollutant: aqi.NO2, Amount: 40 * aqi.Micro}}})
		}
	}
	from := plume.Point{Lat: station().Lat, Lon: station().Lon}
	for i := range 18 {
		p := from.Moved(u/4, v/4, -150/3.6).Moved(-v/4, u/4, float64(i%6-3))
		o.Fires = append(o.Fires, lake.Fire{Lat: p.Lat, Lon: p.Lon, Time: at("2025-11-11T08:00:00Z").AddDate(0, 0, i/6), Confidence: "n",
			Satellite:  "N20",
			Instrument: "VIIRS", FRP: 10, Light: "D", Scan: 0.4, Track: 0.4, Version: "2.0NRT", Bright: 330})
	}
	return o
}

// TestAnalysesBecomeReports takes objects of the lake all the way: whatever the
// analysis says can be reported in both languages, and the verifier finds nothing.
func TestAnalysesBecomeReports(t *testing.T) {
	first, err := lake.Read([]byte(seedExample))
	if err != nil {
		t.Fatal(err)
	}
	noFires := windyDay(t)
	noFires.Fires = nil
	noWind := windyDay(t)
	noWind.Wind = nil
	for name, tt := range map[string]struct {
		object  *lake.Object
		verdict plume.Verdict
	}{
		"the first design's example": {first, plume.Unattributed},
		"a windy day":                {windyDay(t), plume.Conclusive},
		"no fires":                   {noFires, plume.Unattributed},
		"no wind":                    {noWind, plume.Unattributed},
	} {
		rules, err := analysis.Standard()
		if err != nil {
			t.Fatal(err)
		}
		rules.Places = func(fire.Point) fire.Place { return fire.Place{State: "Haryana"} }
		d, err := analysis.Prepare(tt.object, rules)
		if err != nil {
			t.Fatal(err)
		}
		_, all, err := d.Run(analysis.Demands)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d episodes, %v", name, len(all), err)
		}
		r := build(t, all[0])
		if got := r.Attribution.Verdict; got != tt.verdict {
			t.Errorf("%s: got %s, want %s: %+v", name, got, tt.verdict, r.Attribution.Reasons)
		}
		found, err := r.Verify(nil, r.Parts()...)
		if err != nil || len(found.Findings) > 0 {
			t.Errorf("%s: %v, %v", name, err, found.Findings)
		}
		for _, lang := range report.Langs() {
			elements(t, page(t, r, lang))
		}
	}
}
