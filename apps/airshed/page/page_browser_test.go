//go:build browser

package page

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestPagesAreFitForPeople promises that the pages have no serious finding from
// axe-core, log no error, break no content security policy and never scroll sideways,
// at 360 and 1280 px, light and dark, in English and Hindi.
func TestPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	s.look(t, identity.Analyst, "air-empty@"+frame.HomeAt, "air-episodes-none@"+frame.EpisodesAt, "air-scans-none@"+frame.ScansAt,
		"air-patterns-none@"+frame.PatternsAt)
	e := s.found(t, "one", november(t))
	s.look(t, identity.Analyst, "air-board@"+frame.HomeAt, "air-episode@"+frame.EpisodeAddress(e.Key, ""),
		"air-report@"+frame.EpisodeAddress(e.Key, "/report"), "air-scan@"+frame.ScanAddress(e.LastScan, ""),
		"air-scan-none@"+frame.ScanAddress("SCAN-00000000", "")+"=404")
	s.history(t, e)
	s.look(t, identity.Auditor, "air-auditor@"+frame.HomeAt, "air-episodes@"+frame.EpisodesAt, "air-scans@"+frame.ScansAt,
		"air-patterns@"+frame.PatternsAt)
	scan, ingest := s.underWay(t)
	s.look(t, identity.Officer, "air-scan-running@"+frame.ScanAddress(scan, ""), "air-ingests@"+frame.IngestsAt,
		"air-ingest@"+frame.IngestAddress(ingest, ""))
	s.now = s.now.Add(40 * time.Hour)
	blind := november(t)
	blind.Time, blind.Wind, blind.Fires, blind.Stubble, blind.Looked = blind.Time.Add(time.Minute), nil, nil, nil, lake.Span{}
	e = s.found(t, "two", blind)
	s.look(t, identity.Officer, "air-old@"+frame.HomeAt, "air-blind@"+frame.EpisodeAddress(e.Key, ""),
		"air-earlier@"+frame.EpisodeAddress(e.Key, "")+"?answer=1")
}

// TestTheThreeStatementsAreFitForPeople promises the same of an episode that the second
// version of the verdict answers, and of its report.
func TestTheThreeStatementsAreFitForPeople(t *testing.T) {
	s := newStage(t)
	s.Choose(t, analysis.Statements)
	o := november(t)
	for i := range 27 * 3 { // three fires that a satellite watched through an evening, where no pass saw any
		o.Fires = append(o.Fires, lake.Fire{Lat: 29.35 + 0.2*float64(i%3), Lon: 76.1 - 0.2*float64(i%3), Satellite: "Met9",
			Time: time.Date(2025, 11, 12, 10, 30+15*(i/3), 0, 0, time.UTC), FRP: 41.5 + float64(i%7), Confidence: "72", Light: "D",
			Version: "1.11NRT"})
	}
	e := s.found(t, "one", o)
	s.look(t, identity.Officer, "air-statements@"+frame.EpisodeAddress(e.Key, ""),
		"air-statements-report@"+frame.EpisodeAddress(e.Key, "/report"))
}

// TestEachWordIsFitForPeople promises the same of every word for a probability: the nearer
// to each other the fires burn the surer it is whose they are, and on data that are low
// nothing is said. What is likely is the episode above.
func TestEachWordIsFitForPeople(t *testing.T) {
	for name, spread := range map[string]float64{"certain": 0.5, "very-likely": 0.65, "low": 0.8} {
		s, o := newStage(t), november(t)
		s.Choose(t, analysis.Statements)
		for i := range o.Fires {
			o.Fires[i].Lat, o.Fires[i].Lon = 30.4+spread*(o.Fires[i].Lat-30.4), 75.3+spread*(o.Fires[i].Lon-75.3)
		}
		if name == "low" {
			o.Cloud = nil
		}
		s.look(t, identity.Officer, "air-word-"+name+"@"+frame.EpisodeAddress(s.found(t, "one", o).Key, ""))
	}
}

// underWay are a scan and an ingest in the middle of their work.
func (s *stage) underWay(t *testing.T) (scan, ingest string) {
	t.Helper()
	who := airshedtest.Person(identity.Analyst)
	one, _, err := s.Store.StartScan(t.Context(), who, store.ScanRequest{Kind: store.Handed, Key: "under way",
		File: laketest.File(t, laketest.Quiet(t)), Name: "quiet.json"})
	if err == nil {
		_, err = s.surveyor.Steps().Read(t.Context(), store.ScanInput{Org: postgrestest.North, Scan: one.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := s.Store.StartIngest(t.Context(), who, "under way")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []store.Came{{Source: origin.DataGov, Had: true, Answers: 3},
		{Source: origin.Firms, Note: "the service did not answer", Costs: "fires cannot be counted"}} {
		if err := s.Store.AddCame(t.Context(), store.IngestInput{Org: postgrestest.North, Ingest: i.ID}, c); err != nil {
			t.Fatal(err)
		}
	}
	return one.ID, i.ID
}

// TestTheMapWithoutScriptsIsFitForPeople promises that with scripts and WebGL off the
// map, the curves and their tables are there and layers can be turned off; that with
// scripts one cursor moves all of them; and that numbers of the report open their cards
// either way.
func TestTheMapWithoutScriptsIsFitForPeople(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", november(t))
	webtest.Check(t, "cursor.mjs", "--base", s.URL, "--token", platformtest.Token(t, postgrestest.North, identity.Analyst), "--page",
		frame.EpisodeAddress(e.Key, ""), "--card", frame.EpisodeAddress(e.Key, "/report"))
}

// november is a made-up object with what a November has: a day and a night in the air,
// many stations of which one is silent, and fires of two satellites over three days.
func november(t *testing.T) *lake.Object {
	t.Helper()
	o, dice := laketest.Surge(t), rand.New(rand.NewPCG(9, 9))
	o.Air = nil
	for i, st := range surge.Stations() {
		base := 150.0 + 12*float64(i%5)
		if st.Role == surge.Border {
			base = 150 + 14*float64(i%4)
		}
		if st.Site == "site_5024" {
			base = 250
		}
		for h := range 24 * 4 {
			if i == 7 && h < 30 || i == 3 {
				continue // one is silent too long, one never spoke
			}
			at := laketest.Now().Add(-30*time.Minute - time.Duration(h)*time.Hour)
			day := 1 + 0.3*math.Cos(2*math.Pi*float64(at.Hour()-19)/24) - float64(h)/220 + 0.05*dice.NormFloat64()
			if st.Site == "site_5024" && h >= 50 && h < 53 {
				continue // a gap
			}
			pm := max(base*day, 20)
			o.Air = append(o.Air, lake.Air{Site: st.Site, Station: st.Name, Time: at, Basis: lake.Measured, Values: []lake.Value{
				{Pollutant: aqi.PM25, Amount: aqi.Amount(pm) * aqi.Micro}, {Pollutant: aqi.PM10, Amount: aqi.Amount(1.6*pm) * aqi.Micro},
				{Pollutant: aqi.NO2, Amount: aqi.Amount(30+pm/9) * aqi.Micro},
				{Pollutant: aqi.SO2, Amount: aqi.Amount(12+pm/40) * aqi.Micro}}})
		}
	}
	for i := range 260 {
		day, pass := i%4, []int{8, 20}[i%2]
		one := o.Fires[0]
		one.Lat, one.Lon = 30.4+0.45*dice.NormFloat64(), 75.3+0.55*dice.NormFloat64()
		one.Time = time.Date(2025, 11, 10+day, pass, 5+dice.IntN(40), 0, 0, time.UTC)
		one.FRP, one.Light = math.Round(40*dice.ExpFloat64())/4+1, map[int]string{8: "D", 20: "N"}[pass]
		one.Satellite = []string{"N20", "N21"}[dice.IntN(2)]
		if one.Time.Before(laketest.Now()) {
			o.Fires = append(o.Fires, one)
		}
	}
	for d := range 5 {
		for _, h := range []int{8, 20} {
			o.Cloud = append(o.Cloud, lake.Cloud{Time: time.Date(2025, 11, 9+d, h, 0, 0, 0, time.UTC), Lat: 30, Lon: 76,
				Fraction: 0.1 * float64(d)})
		}
	}
	return o
}

// look has pages looked at in a browser; screenshots are left for people.
func (s *stage) look(t *testing.T, role identity.Role, pages ...string) {
	t.Helper()
	webtest.Check(t, "check.mjs", append([]string{"--base", s.URL, "--token", platformtest.Token(t, postgrestest.North, role), "--out",
		webtest.Shots(t), "--langs", "en,hi"}, pages...)...)
}
