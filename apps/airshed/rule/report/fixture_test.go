package report_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// All figures of these fixtures are made up, of the size of a bad November day; the
// AQI of 477 is that of PM2.5 350.5 by the published breakpoints.

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func hour(s string) aqi.Hour {
	h, err := aqi.HourFrom(at(s))
	if err != nil {
		panic(err)
	}
	return h
}

func p(n float64) *float64 { return &n }

func station() surge.Station {
	all := surge.Stations()
	return all[slices.IndexFunc(all, func(s surge.Station) bool { return s.Site == "site_5024" })]
}

// conclusive is an analysis in which Punjab comes first and every test is passed.
func conclusive() analysis.Analysis {
	start := hour("2025-11-13T14:30:00Z")
	return analysis.Analysis{
		Version: analysis.Version, At: at("2025-11-14T08:30:00Z"), Key: surge.KeyOf("site_5024", start), Station: station(),
		Episode: surge.Episode{Key: surge.KeyOf("site_5024", start), Site: "site_5024", Basis: surge.Concentration, Start: start,
			Opened: start.Plus(6),
			Last:   start.Plus(17), Surging: []aqi.Hour{start, start.Plus(1)}, Untested: 2, PeakIndex: 477, PeakIndexAt: start.Plus(16),
			PeakPM25: 512 * aqi.Micro, PeakPM25At: start.Plus(9)},
		Surge: analysis.Surge{Index: 477, Category: aqi.Severe, Time: at("2025-11-14T07:30:00Z"), PM25: p(350.5), PM10: p(420.2),
			Peak: p(512)},
		Control: surge.Comparison{Verdict: surge.Above, Difference: 38.4, Unit: "µg/m³", Hours: 17, Of: 18,
			Controls: []aqi.Site{"site_1434", "site_1423"}},
		Window: analysis.Window{From: at("2025-11-13T07:30:00Z"), To: at("2025-11-14T07:30:00Z"), Hours: 23, Of: 24,
			Weighting: analysis.ByPM25},
		Fires: fires(), Attribution: attribution(), Stubble: stubble(22.5, analysis.Contributory), Legacy: legacy(),
		Score: seedmethod.Score{Confidence: 100, Completeness: 100, Penalties: []seedmethod.Penalty{}}, Have: seedmethod.Sources{Air: true,
			Fires: true, Stubble: true},
		Beside: []analysis.Beside{{Pollutant: aqi.PM10, Unit: "µg/m³", Mean: 420.2, Hours: 23, Interior: p(371), Difference: p(49.2)},
			{Pollutant: aqi.CO, Unit: "mg/m³", Mean: 2.31, Hours: 22, Interior: p(1.84), Difference: p(0.47)},
			{Pollutant: aqi.SO2, Unit: "µg/m³", Mean: 14.1, Hours: 23}},
		Ages: []lake.Age{},
		Gaps: []analysis.Gap{{Code: analysis.CloudUnknown, Text: "cloud", Costs: "x"}, {Code: analysis.DistrictsUnknown,
			Text: "districts", Costs: "x"}, {Code: analysis.WindEdge, Text: "edge", Costs: "x"}},
		Warnings: []analysis.Warning{{Code: analysis.StatesDisagree, Text: "3 rows"}},
		Inputs: []analysis.Input{{Part: "object", Rows: 6, SHA256: strings.Repeat("0a", 32)}, {Part: "cpcb_data", Rows: 1200,
			SHA256: strings.Repeat("1b", 32)},
			{Part: "nasa_data", Rows: 1890, SHA256: strings.Repeat("2c", 32)}},
		Rules: []analysis.Rule{{Name: "analysis", Version: analysis.Version}, {Name: "plume", Version: plume.Version},
			{Name: analysis.StaticSources, Version: "static-made-up"}},
	}
}

func fires() analysis.Fires {
	return analysis.Fires{
		Available: true, From: at("2025-11-10T07:30:00Z"), To: at("2025-11-14T07:30:00Z"), Rows: 1890, Elsewhere: 310, DayOnly: 4,
		Kept: 1420, InTime: 1187, Unusable: []analysis.Tally{}, Dropped: []analysis.Tally{{Name: "low_confidence", Count: 92},
			{Name: "static", Count: 64}}, Masked: []analysis.Tally{{Name: "Panipat refinery", Count: 64}},
		Satellites: []fire.Count{{Satellite: "NOAA-21", Detections: 602, ByDay: 511, ByNight: 91, High: 40, FRP: 4210.4, Factor: 1,
			Power: 4210.4},
			{Satellite: "NOAA-20", Detections: 585, ByDay: 497, ByNight: 88, High: 37, FRP: 3987.6, Factor: 1, Power: 3987.6}},
		Used: []fire.Satellite{"NOAA-21", "NOAA-20"}, Mixed: []fire.Satellite{}, Stage: analysis.Preliminary,
		States: []analysis.StateFires{{State: "Punjab", Detections: 874, Power: 6120.3}, {State: "Haryana", Detections: 166, Power: 1211},
			{State: analysis.Abroad, Detections: 121, Power: 733.1}, {State: "", Detections: 26, Power: 133.6}},
		Coverage: &analysis.Coverage{From: at("2025-11-10T07:30:00Z"), To: at("2025-11-14T07:30:00Z"),
			Sums: fire.Sums{Due: 16, WithRows: 14, Silent: 2}, Passes: []fire.Pass{}},
		Statement: "Counts are a lower bound.", Disagreed: 3, RowPlaced: 0,
	}
}

func attribution() analysis.Attribution {
	return analysis.Attribution{
		Verdict: plume.Conclusive, Conclusive: true, First: "Punjab", Reasons: []plume.Reason{},
		States: []analysis.Share{{State: "Punjab", Low: 61.2, Median: 71.4, High: 80.3, Default: 72.1, First: 60},
			{State: "Haryana", Low: 12.8, Median: 18.9, High: 27.5, Default: 18.2},
			{State: analysis.Abroad, Low: 2.1, Median: 6.4, High: 11.9, Default: 6.6}, {State: "", Low: 0.9, Median: 3.3, High: 5.2,
				Default: 3.1}},
		Districts: []analysis.Share{}, Members: 60, Of: 60, Agreed: 60, Needed: 54, Levels: []wind.Level{}, Transport: []wind.Level{},
		Mixing: true, Edge: plume.Edge{Tracks: 460, Cut: 12, Shortest: 61.5}, Null: analysis.Null{Method: plume.ByDates, Rank: 1, Of: 17,
			Needed: 2, Enrichment: 3.42},
		Calm:  analysis.Calm{Known: true, Speed: 2.4, Hours: 12, Until: at("2025-11-14T01:30:00Z"), Below: 1},
		Means: "a share of the influence of the fires that satellites saw upwind",
	}
}

func stubble(percent float64, word analysis.Word) analysis.Stubble {
	return analysis.Stubble{Available: true, Percent: percent, Word: word, For: "2025-11-14",
		Source: lake.Stubble{Percent: percent, Time: at("2025-11-14T06:00:00Z"), Valid: "2025-11-14"},
		Indicative: []analysis.Indicative{{State: "Punjab", Low: 13.8, Median: 16.1, High: 18.1, Word: analysis.Contributory},
			{State: "Haryana", Low: 2.9, Median: 4.3, High: 6.2, Word: analysis.Minor}},
		Label: "indicative, Delhi-wide", Caveats: []string{}}
}

func legacy() analysis.Legacy {
	return analysis.Legacy{Count: seedmethod.Count{Profile: "seed-v1", Method: seedmethod.Method, Fires: 190, Distance: 131.2, Abroad: 0,
		Beyond: 911,
		States: []seedmethod.State{{State: "Haryana", Fires: 148, Districts: []string{}, Distance: 118.3, High: true},
			{State: "Punjab", Fires: 42, Districts: []string{}, Distance: 176.8}}},
		Surge: true, At: at("2025-11-14T07:30:00Z"), Label: "legacy radius count"}
}

// inconclusive is the same day with winds that leave two states apart by nothing.
func inconclusive() analysis.Analysis {
	a := conclusive()
	a.Attribution.Verdict, a.Attribution.Conclusive, a.Attribution.Agreed = plume.Inconclusive, false, 37
	a.Attribution.States = []analysis.Share{{State: "Punjab", Low: 31, Median: 48.8, High: 66.4, Default: 50.2, First: 37},
		{State: "Haryana", Low: 28.7, Median: 44.1, High: 63.9, Default: 42, First: 23}}
	a.Attribution.Null.Rank = 5
	a.Attribution.Reasons = []plume.Reason{{Code: plume.Disagree}, {Code: plume.Overlap}, {Code: plume.NotSpecial}}
	return a
}

// stagnant is a day on which the air stood still and the city had as much.
func stagnant() analysis.Analysis {
	a := conclusive()
	a.Attribution.Verdict, a.Attribution.Conclusive, a.Attribution.Calm.Speed = plume.Inconclusive, false, 0.6
	a.Control = surge.Comparison{Verdict: surge.Local, Difference: -4.2, Unit: "µg/m³", Hours: 17, Of: 18,
		Controls: []aqi.Site{"site_1434"}}
	a.Attribution.Reasons = []plume.Reason{{Code: plume.Stagnation}, {Code: plume.Local}}
	return a
}

// firesMissing is a day without fire data.
func firesMissing() analysis.Analysis {
	a := conclusive()
	a.Fires = analysis.Fires{Stage: analysis.NoRows, Statement: "No data about fires came.", Unusable: []analysis.Tally{},
		Dropped: []analysis.Tally{}, Masked: []analysis.Tally{},
		Satellites: []fire.Count{}, Used: []fire.Satellite{}, Mixed: []fire.Satellite{}, States: []analysis.StateFires{}}
	a.Attribution = analysis.Attribution{Verdict: plume.Unattributed, Reasons: []plume.Reason{{Code: analysis.FiresUnknown}},
		States: []analysis.Share{}, Districts: []analysis.Share{},
		Members: 60, Of: 60, Needed: 54, Levels: []wind.Level{}, Transport: []wind.Level{}, Calm: analysis.Calm{Known: true, Speed: 2.4,
			Hours: 12, Below: 1}}
	a.Stubble.Indicative = []analysis.Indicative{}
	a.Legacy = analysis.Legacy{Count: seedmethod.Count{Profile: "seed-v1", Method: seedmethod.Method, States: []seedmethod.State{}},
		Surge: true, At: a.Surge.Time, Label: "legacy radius count"}
	a.Have.Fires, a.Score = false, seedmethod.Score{Confidence: 60, Completeness: 60,
		Penalties: []seedmethod.Penalty{{Points: 40, Reason: seedmethod.NoFireData}}}
	a.Gaps, a.Warnings = []analysis.Gap{{Code: analysis.FiresMissing}}, []analysis.Warning{}
	return a
}

// stubbleMissing is the conclusive day without the forecast's figure.
func stubbleMissing() analysis.Analysis {
	a := conclusive()
	a.Stubble = analysis.Stubble{Indicative: []analysis.Indicative{}, Caveats: []string{}}
	a.Have.Stubble, a.Score = false, seedmethod.Score{Confidence: 80, Completeness: 80,
		Penalties: []seedmethod.Penalty{{Points: 20, Reason: seedmethod.NoStubbleData}}}
	a.Gaps = append(a.Gaps, analysis.Gap{Code: analysis.StubbleMissing})
	return a
}

func fixtures() map[string]analysis.Analysis {
	all := map[string]analysis.Analysis{"conclusive": conclusive(), "inconclusive": inconclusive(), "stagnation": stagnant(),
		"fires-missing": firesMissing(), "stubble-missing": stubbleMissing()}
	maps.Copy(all, secondMethod())
	return all
}

func meta() report.Meta {
	return report.Meta{ID: "CAQM-2025-11-14-001", GeneratedAt: at("2025-11-14T08:30:00Z"), Organisation: "Delhi Clean Air Cell",
		Device:  lawbook.Device{Model: "virtual machine", Ident: "gavel-north"},
		Records: []lawbook.Record{{Name: "nasa.csv as received", SHA256: strings.Repeat("3d", 32)}}}
}

func book(t testing.TB) lawbook.Book {
	t.Helper()
	b, err := lawbook.Known()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func build(t testing.TB, a analysis.Analysis) report.Report {
	t.Helper()
	r, err := report.Build(a, meta(), book(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func gapCodes() []analysis.GapCode {
	return []analysis.GapCode{analysis.FiresMissing, analysis.FiresStale, analysis.FiresWindow, analysis.FiresDayOnly,
		analysis.FiresUnusable, analysis.StubbleMissing,
		analysis.StubbleOtherDay, analysis.WindMissing, analysis.WindLevels, analysis.MixingMissing, analysis.WindEdge,
		analysis.CloudUnknown, analysis.PlacesUnknown, analysis.DistrictsUnknown, analysis.RowPlaced, analysis.NearLine,
		analysis.HourlyUnknown, analysis.AirStale, analysis.NullByTurns, analysis.RiseUntested, analysis.ControlMissing}
}

func warningCodes() []analysis.WarningCode {
	return []analysis.WarningCode{analysis.StubbleTooHigh, analysis.StubbleOffSeason, analysis.IndexOdd, analysis.StatesDisagree,
		analysis.ValuesDropped,
		analysis.StagesMixed, analysis.Contradicted, analysis.SourceStale}
}

func reasonCodes() []plume.Code {
	return []plume.Code{plume.NoWind, plume.NoFires, plume.Disagree, plume.Overlap, plume.NoState, plume.NotSpecial, plume.NoNull,
		plume.Stagnation, plume.CalmUnknown,
		plume.Local, plume.NoControl, plume.FiresUnknown, plume.WindShort, plume.TracksCut, analysis.FiresUnknown, analysis.FiresUnweighed}
}

// everything has every gap, warning and reason there is.
func everything() analysis.Analysis {
	a := inconclusive()
	a.Gaps, a.Warnings, a.Attribution.Reasons = nil, nil, nil
	for _, c := range gapCodes() {
		a.Gaps = append(a.Gaps, analysis.Gap{Code: c})
	}
	for _, c := range warningCodes() {
		a.Warnings = append(a.Warnings, analysis.Warning{Code: c})
	}
	for _, c := range reasonCodes() {
		a.Attribution.Reasons = append(a.Attribution.Reasons, plume.Reason{Code: c})
	}
	a.Control = surge.Comparison{Verdict: surge.Unjudged, Unit: "index", Of: 18, Controls: []aqi.Site{}}
	a.Attribution.Null.Method, a.Surge.Derived, a.Surge.Label = plume.ByTurns, true, aqi.DerivedLabel
	a.Station = surge.Stations()[slices.IndexFunc(surge.Stations(), func(s surge.Station) bool { return s.Site == "site_1560" })]
	return a
}

// ruling is a day on which the forecast's word is the highest there is.
func ruling() analysis.Analysis {
	a := conclusive()
	a.Stubble = stubble(58, analysis.Largest)
	a.Stubble.Indicative[0] = analysis.Indicative{State: "Punjab", Low: 35, Median: 51, High: 55, Word: analysis.Largest}
	return a
}

// summer is the conclusive day moved to July, when no direction has its season.
func summer() analysis.Analysis {
	a := conclusive()
	a.Surge.Time = at("2026-07-14T07:30:00Z")
	a.Surge.PM25, a.Surge.PM10, a.Surge.Peak = nil, nil, nil
	return a
}

// farOff is a conclusive day whose first state the Act does not reach.
func farOff() analysis.Analysis {
	a := conclusive()
	a.Attribution.First, a.Attribution.States[0].State, a.Attribution.States[1].Median = "Madhya Pradesh", "Madhya Pradesh", 8.9
	return a
}

// edges are analyses at the rim of what can come.
func edges() map[string]analysis.Analysis {
	return map[string]analysis.Analysis{"everything": everything(), "ruling": ruling(), "summer": summer(), "far-off": farOff()}
}
