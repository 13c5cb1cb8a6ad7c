package lake_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// theSeed is the first design's own example, as it stands there.
const theSeed = `{
	"cpcb_data": [{"station": "Alipur", "aqi": 450, "timestamp": "2025-11-14T08:00:00Z", "pm25": 350.5, "pm10": 420.2, "latitude": 28.8, "longitude": 77.1}],
	"nasa_data": [{"latitude": 29.2, "longitude": 76.5, "brightness": 320.5, "confidence": 85, "acq_date": "2025-11-13", "state": "Haryana", "district": "Jind"}],
	"dss_data": {"stubble_burning_percent": 22.5, "timestamp": "2025-11-14T06:00:00Z"},
	"timestamp": "2025-11-14T08:30:00Z"
}`

var noon = time.Date(2025, 11, 13, 12, 0, 0, 0, time.UTC)

// whole is an object with something in every part.
func whole(t testing.TB) *lake.Object {
	t.Helper()
	w, err := lake.NewWind(wind.Shape{South: 20, West: 70, DLat: 0.25, DLon: 0.25, Rows: 2, Cols: 3, Start: noon, Every: time.Hour,
		Times: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Set(wind.M100, 1, 1, 2, -3.25, 0.5); err != nil {
		t.Fatal(err)
	}
	if err := w.SetMixing(0, 0, 0, 640); err != nil {
		t.Fatal(err)
	}
	o := &lake.Object{
		Time: noon, Looked: lake.Span{From: noon.AddDate(0, 0, -3), To: noon}, Wind: w,
		Stubble: &lake.Stubble{Percent: 15, Issued: noon, Valid: "2025-11-13", URL: "https://example.org/dss", Captured: "an analyst"},
		Cloud:   []lake.Cloud{{Time: noon, Lat: 29, Lon: 76, Fraction: 0.25}, {Time: noon, Lat: 28, Lon: 76, Fraction: 1}},
		Sources: []lake.Source{{Name: "firms", URL: "https://example.org/area", Fetched: noon, Bytes: 12, Stale: true},
			{Name: "air", Bytes: 3}},
		Dropped: []lake.Drop{{Part: lake.AirPart, Reason: lake.OffScale, Count: 2}},
	}
	for h := range 4 {
		o.Air = append(o.Air, lake.Air{
			Station: "Alipur, Delhi - DPCC", Site: "site_5024", Time: noon.Add(time.Duration(-h) * time.Hour), Basis: lake.Measured,
			Lat: 28.815329, Lon: 77.15301, Values: []lake.Value{{Pollutant: aqi.PM25, Amount: 350_500_000},
				{Pollutant: aqi.NH3, Amount: 0}},
		})
		o.Fires = append(o.Fires, lake.Fire{
			Lat: 30.5 + float64(h)/8, Lon: 75.25, Time: noon.Add(time.Duration(-h) * time.Minute), Bright: 330.5, Confidence: "n",
			Satellite: "N20", Instrument: "VIIRS", FRP: 4.5, Light: "D", Scan: 0.4, Track: 0.5, Version: "2.0NRT", State: "Punjab",
		})
	}
	return o
}

// shuffled is the object with its rows in another order.
func shuffled(o *lake.Object, seed uint64) *lake.Object {
	r := rand.New(rand.NewPCG(seed, 1))
	s := *o
	s.Air, s.Fires, s.Cloud = mixed(r, o.Air), mixed(r, o.Fires), mixed(r, o.Cloud)
	s.Sources, s.Dropped = mixed(r, o.Sources), mixed(r, o.Dropped)
	return &s
}

func mixed[T any](r *rand.Rand, rows []T) []T {
	out := append([]T(nil), rows...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
