package region_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/platform/fault"
)

// Two states that are made up lie where the outlines of the program have Punjab, side by
// side at 75.5° east, with a station in one.
const ownLand = `{"type":"FeatureCollection","features":[
	{"type":"Feature","properties":{"state":"Westmark"},"geometry":{"type":"Polygon","coordinates":[[[75.0,30.0],[75.5,30.0],[75.5,31.0],[75.0,31.0],[75.0,30.0]]]}},
	{"type":"Feature","properties":{"state":"Eastmark"},"geometry":{"type":"MultiPolygon","coordinates":[[[[75.5,30.0],[76.0,30.0],[76.0,31.0],[75.5,31.0],[75.5,30.0]]]]}},
	{"type":"Feature","properties":{"site_id":"own-gate","name":"Gate","agency":"ours","city":"Town","kind":"border"},"geometry":{"type":"Point","coordinates":[75.8,30.5]}}]}`

func ownTerms() region.Terms {
	return region.Terms{Gives: region.GivesStates, Licence: "made up", AsOf: "2026-01-31"}
}

// TestStatesOfAFileTakeThePlaceOfThePrograms promises that where a file gives states,
// these and no others are named, and that nothing is said of what lies outside them.
func TestStatesOfAFileTakeThePlaceOfThePrograms(t *testing.T) {
	d, err := region.ReadGeoJSON([]byte(ownLand), ownTerms())
	if err != nil || d.Len() != 2 || d.Gives() != region.GivesStates {
		t.Fatalf("%+v, %v", d, err)
	}
	m, err := d.Alone()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.States(); !slices.Equal(got, []string{"Eastmark", "Westmark"}) {
		t.Errorf("the states are %v", got)
	}
	if got := m.Sources(); len(got) != 1 || got[0].AsOf != "2026-01-31" {
		t.Errorf("it was made of %+v", got)
	}
	for at, want := range map[fire.Point]fire.Place{
		{Lat: 30.5, Lon: 75.2}: {State: "Westmark"}, {Lat: 30.5, Lon: 75.7}: {State: "Eastmark"},
		{Lat: 29.0, Lon: 75.2}: {}, {Lat: 31.1, Lon: 74.4}: {}, {Lat: 91, Lon: 75}: {},
	} {
		if got := m.Locate(at); got != want {
			t.Errorf("%v lies in %+v, want %+v", at, got, want)
		}
	}
	for lon, want := range map[float64]bool{75.2: false, 75.48: true, 75.52: true, 75.54: false, 75.01: false} { // 0.02° are 1.9 km here
		if got := m.Unsure(fire.Point{Lat: 30.5, Lon: lon}); got != want {
			t.Errorf("at %g° it is unsure: %t", lon, got)
		}
	}
	if s := d.Stations(); len(s) != 1 || s[0].Site != "own-gate" || s[0].City != "Town" || s[0].Lat != 30.5 {
		t.Errorf("the stations are %+v", s)
	}
	if _, found := m.Near(30.5, 75.49); found {
		t.Error("distances to lines of another map are told")
	}
}

// TestAFileOfStatesIsRefusedWhereItCannotBeMeant promises that: a station outside all its
// states, there twice or of no kind, a point among districts, a file taken for neither.
func TestAFileOfStatesIsRefusedWhereItCannotBeMeant(t *testing.T) {
	station := ownLand[strings.LastIndex(ownLand, "{\"type\":\"Feature\""):strings.LastIndex(ownLand, "]}")]
	for what, tt := range map[string]struct {
		file  string
		terms region.Terms
	}{
		"east and north exchanged": {strings.Replace(ownLand, "[75.8,30.5]", "[30.5,75.8]", 1), ownTerms()},
		"a station twice":          {strings.Replace(ownLand, station, station+","+station, 1), ownTerms()},
		"a station of no kind":     {strings.Replace(ownLand, `"border"`, `"other"`, 1), ownTerms()},
		"a station of no city":     {strings.Replace(ownLand, `"Town"`, `""`, 1), ownTerms()},
		"a site that is none":      {strings.Replace(ownLand, "own-gate", "Own Gate", 1), ownTerms()},
		"a state without a name":   {strings.Replace(ownLand, "Westmark", "", 1), ownTerms()},
		"taken for districts":      {ownLand, region.Terms{Licence: "made up", AsOf: "2026-01-31"}},
		"taken for something else": {ownLand, region.Terms{Gives: "rivers", Licence: "made up", AsOf: "2026-01-31"}},
	} {
		if _, err := region.ReadGeoJSON([]byte(tt.file), tt.terms); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
