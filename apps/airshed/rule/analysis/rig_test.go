package analysis_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// now is when the made-up object was put together: half past midnight in India.
var now = time.Date(2025, 11, 13, 19, 0, 0, 0, time.UTC)

// The made-up states: West and behind it Far are where the north-west wind comes
// from, East is to the east of Delhi, and the country ends at 74 degrees east.
const (
	far  = "Far"
	west = "West"
	east = "East"
)

// places is the made-up map.
func places(p fire.Point) fire.Place {
	switch {
	case p.Lon < 74:
		return fire.Place{Abroad: true}
	case p.Lon < 75.6:
		return fire.Place{State: far}
	case p.Lon < 77.2:
		return fire.Place{State: west}
	}
	return fire.Place{State: east}
}

func rules(t testing.TB) analysis.Rules {
	t.Helper()
	r, err := analysis.Standard()
	if err != nil {
		t.Fatal(err)
	}
	r.Places, r.Boundaries = places, "made up for tests"
	r.Plume.Hours = 36 // half the way takes half the time, and the made-up fires lie on it
	return r
}

// measured is hours of air at a station up to now: PM2.5 as told and low PM10 and
// NO2, so that the fine particles make the index.
func measured(site aqi.Site, name string, pm25 int, hours int) []lake.Air {
	var out []lake.Air
	last := time.Date(2025, 11, 13, 18, 30, 0, 0, time.UTC)
	for h := range hours {
		out = append(out, lake.Air{Site: site, Station: name, Time: last.Add(time.Duration(-h) * time.Hour), Basis: lake.Measured,
			Values: []lake.Value{
				{Pollutant: aqi.PM25, Amount: aqi.Amount(pm25) * aqi.Micro}, {Pollutant: aqi.PM10, Amount: 200 * aqi.Micro},
				{Pollutant: aqi.NO2, Amount: 40 * aqi.Micro},
			}})
	}
	return out
}

// blowing is wind of 4 m/s from a direction, the same everywhere and on all levels,
// from 20 to 40 degrees north and 65 to 90 east, from 10 days before now to a day
// after it.
func blowing(t testing.TB, from float64) *lake.Wind {
	t.Helper()
	w, err := lake.NewWind(wind.Shape{South: 20, West: 65, DLat: 10, DLon: 12.5, Rows: 3, Cols: 3,
		Start: now.Truncate(24*time.Hour).AddDate(0, 0, -10), Every: 6 * time.Hour, Times: 12*4 + 1})
	if err != nil {
		t.Fatal(err)
	}
	u, v := wind.FromDirection(4, from)
	for at := range w.Shape().Times {
		for node := range 9 {
			for _, l := range wind.Levels() {
				if err := w.Set(l, at, node/3, node%3, u, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.SetMixing(at, node/3, node%3, 500); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// alipur is the station of the made-up episode.
func alipur() surge.Station {
	s, _ := surge.Match(surge.Stations(), "site_5024", "", 0, 0)
	return s
}

// burning is fires around a place so many km from Alipur in the direction air of
// four metres a second comes from if it comes from there, at the day passes of three
// days. They lie some kilometres apart.
func burning(from, km float64, frp float64) []lake.Fire {
	u, v := wind.FromDirection(1, from)
	s := alipur()
	var out []lake.Fire
	for day := range 3 {
		for i := range 6 {
			at := plume.Point{Lat: s.Lat, Lon: s.Lon}.Moved(u, v, -km/3.6).Moved(-v, u, float64(i-3))
			out = append(out, lake.Fire{Lat: at.Lat, Lon: at.Lon, Time: time.Date(2025, 11, 11+day, 8, i, 0, 0, time.UTC), Confidence: "n",
				Satellite:  "N20",
				Instrument: "VIIRS", FRP: frp, Light: "D", Scan: 0.4, Track: 0.4, Version: "2.0NRT", Bright: 330})
		}
	}
	return out
}

// whole is an object with an episode at Alipur, two stations inside the city that
// have less, wind from the north-west and fires where it comes from.
func whole(t testing.TB) *lake.Object {
	t.Helper()
	o := &lake.Object{
		Time: now, Wind: blowing(t, 315), Looked: lake.Span{From: now.AddDate(0, 0, -30), To: now},
		Stubble: &lake.Stubble{Percent: 25, Time: now.Add(-3 * time.Hour), Valid: "2025-11-13"},
		Cloud:   []lake.Cloud{{Time: time.Date(2025, 11, 12, 8, 0, 0, 0, time.UTC), Lat: 30, Lon: 76, Fraction: 0.5}},
	}
	o.Air = append(o.Air, measured("site_5024", "Alipur, Delhi - DPCC", 300, 40)...)
	o.Air = append(o.Air, measured("site_1434", "Wazirpur, Delhi - DPCC", 180, 40)...)
	o.Air = append(o.Air, measured("site_1423", "Jahangirpuri, Delhi - DPCC", 200, 40)...)
	o.Fires = burning(315, 150, 10)
	return o
}

// given is an object with one row of the first design's kind.
func given(index int) *lake.Object {
	return &lake.Object{Time: now, Air: []lake.Air{{Station: "Alipur", Lat: 28.8, Lon: 77.1, Index: index,
		Time: now.Add(-30 * time.Minute)}}}
}

func prepare(t testing.TB, o *lake.Object) *analysis.Dataset {
	t.Helper()
	d, err := analysis.Prepare(o, rules(t))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// only is the analysis of the one episode there is.
func only(t testing.TB, o *lake.Object) analysis.Analysis {
	t.Helper()
	_, all, err := prepare(t, o).Run(analysis.Demands)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d episodes, want 1", len(all))
	}
	return all[0]
}

func bytesOf(t testing.TB, o *lake.Object) (board, episode []byte) {
	t.Helper()
	d := prepare(t, o)
	board, err := d.Board().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range d.Keys() {
		a, err := d.Analyse(key, analysis.Demands)
		if err != nil {
			t.Fatal(err)
		}
		b, err := a.JSON()
		if err != nil {
			t.Fatal(err)
		}
		episode = append(episode, b...)
	}
	return board, episode
}

// shuffled is the object with its rows in another order.
func shuffled(o *lake.Object, seed uint64) *lake.Object {
	r := rand.New(rand.NewPCG(seed, 2))
	s := *o
	s.Air, s.Fires, s.Cloud = mixed(r, o.Air), mixed(r, o.Fires), mixed(r, o.Cloud)
	return &s
}

func mixed[T any](r *rand.Rand, rows []T) []T {
	out := append([]T(nil), rows...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// share is a state's share, nothing where it has none.
func share(a analysis.Analysis, state string) analysis.Share {
	for _, s := range a.Attribution.States {
		if s.State == state {
			return s
		}
	}
	return analysis.Share{}
}

func hasGap(a analysis.Analysis, code analysis.GapCode) bool {
	for _, g := range a.Gaps {
		if g.Code == code {
			return g.Text != "" && g.Costs != ""
		}
	}
	return false
}

func hasWarning(a analysis.Analysis, code analysis.WarningCode) bool {
	for _, w := range a.Warnings {
		if w.Code == code {
			return w.Text != ""
		}
	}
	return false
}

func hasReason(a analysis.Analysis, code plume.Code) bool {
	for _, r := range a.Attribution.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}
