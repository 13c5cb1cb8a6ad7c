package region_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/platform/fault"
)

// terms are those of the tests' own files, whose districts are invented squares.
var terms = region.Terms{Name: "squares", Licence: "made for tests", AsOf: "2026-01-31"}

// box is the ring around a square, corners in degrees.
func box(west, south, east, north float64) string {
	return fmt.Sprintf("[[%g,%g],[%g,%g],[%g,%g],[%g,%g],[%g,%g]]", west, south, east, south, east, north, west, north, west, south)
}

func district(state, name, kind, coordinates string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"state":%q,"district":%q,"code":7},"geometry":{"type":%q,"coordinates":%s}}`, state,
		name, kind, coordinates)
}

func collection(features ...string) []byte {
	return []byte(`{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + `]}`)
}

// squares are two neighbours in Haryana, the second with a hole and an island, and
// one in Punjab.
func squares() []string {
	return []string{
		district("Haryana", "West", "Polygon", "["+box(76.0, 29.0, 76.4, 29.4)+"]"),
		district("HARYANA", "East", "MultiPolygon", "[["+box(76.4, 29.0, 76.8, 29.4)+","+box(76.5, 29.1, 76.6, 29.2)+"],["+box(76.1, 29.5,
			76.2, 29.6)+"]]"),
		district("Punjab", "North", "Polygon", "["+box(75.2, 30.4, 75.8, 30.9)+"]"),
	}
}

func with(t testing.TB, file []byte) *region.Map {
	t.Helper()
	return onto(t, india(t), file)
}

func onto(t testing.TB, m *region.Map, file []byte) *region.Map {
	t.Helper()
	d, err := region.ReadGeoJSON(file, terms)
	if err != nil {
		t.Fatal(err)
	}
	with, err := m.With(d)
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// TestDistrictsAreFound promises districts with holes and islands, the states' own
// spelling, and the state alone where no district was imported.
func TestDistrictsAreFound(t *testing.T) {
	m := with(t, collection(squares()...))
	for _, tt := range []struct {
		lat, lon float64
		want     region.Place
	}{
		{29.2, 76.2, region.Place{Country: "India", State: "Haryana", District: "West"}},
		{29.3, 76.7, region.Place{Country: "India", State: "Haryana", District: "East"}},
		{29.15, 76.55, in("Haryana")}, // the hole
		{29.55, 76.15, region.Place{Country: "India", State: "Haryana", District: "East"}}, // the island
		{30.6, 75.5, region.Place{Country: "India", State: "Punjab", District: "North"}},
		{29.2, 76.4, region.Place{Country: "India", State: "Haryana", District: "East"}}, // the line belongs to the east
		{29.4, 76.2, in("Haryana")}, // and, in the north, to what is beyond
		{29.0, 76.2, region.Place{Country: "India", State: "Haryana", District: "West"}},
		{31.1156, 74.4467, abroad("Pakistan")},
	} {
		if got := m.At(tt.lat, tt.lon); got != tt.want {
			t.Errorf("%g, %g: got %+v, want %+v", tt.lat, tt.lon, got, tt.want)
		}
	}
	if got := m.Locate(fire.Point{Lat: 29.2, Lon: 76.2}); got != (fire.Place{State: "Haryana", District: "West"}) {
		t.Errorf("a fire lies in %+v", got)
	}
}

// TestTheMapBeforeIsUntouched promises that With makes another map, and that a map
// names the file its districts are from.
func TestTheMapBeforeIsUntouched(t *testing.T) {
	before := india(t)
	d, err := region.ReadGeoJSON(collection(squares()...), terms)
	if err != nil {
		t.Fatal(err)
	}
	after, err := before.With(d)
	if err != nil {
		t.Fatal(err)
	}
	if got := before.At(29.2, 76.2); got != in("Haryana") || len(before.Sources()) != 1 {
		t.Errorf("the map before has %+v", got)
	}
	again, err := after.With(d)
	if err != nil {
		t.Fatal(err)
	}
	got := again.Sources()
	if len(got) != 2 || got[1] != d.Source() || got[1].AsOf != "2026-01-31" || got[1].Licence != "made for tests" ||
		len(got[1].SHA256) != 64 {
		t.Errorf("got %+v", got)
	}
	if d.Len() != 3 {
		t.Errorf("got %d districts, want 3", d.Len())
	}
}

// TestImportedLinesWinAndAreDoubted promises that where an imported district lies
// across an embedded line its state is told, and that the disagreement is too.
func TestImportedLinesWinAndAreDoubted(t *testing.T) {
	m := with(t, collection(append(squares(), district("Delhi", "South East", "Polygon", "["+box(77.20, 28.45, 77.30, 28.56)+"]"))...))
	n, found := m.Near(28.498571, 77.264840) // the shooting range, which embedded lines have in Haryana
	if want := (region.Place{Country: "India", State: "Delhi", District: "South East"}); !found || n.Place != want || !n.Unsure ||
		n.Other != in("Haryana") {
		t.Errorf("got %+v, want %+v and a doubt", n, want)
	}
	if !m.Unsure(fire.Point{Lat: 28.498571, Lon: 77.264840}) {
		t.Error("the place is not in doubt")
	}
}

// TestStatesOfAFileMayBeSpelledInManyWays promises that usual spellings are known.
func TestStatesOfAFileMayBeSpelledInManyWays(t *testing.T) {
	for spelling, at := range map[string]struct {
		state    string
		lat, lon float64
	}{
		"NCT of Delhi": {"Delhi", 28.65, 77.1}, "DELHI": {"Delhi", 28.65, 77.1}, "Delhi (NCT)": {"Delhi", 28.65, 77.1},
		"Uttar_Pradesh": {"Uttar Pradesh", 27, 80}, "Uttaranchal": {"Uttarakhand", 30.3, 79}, "Orissa": {"Odisha", 20.5, 84.5},
		"JAMMU & KASHMIR": {"Jammu and Kashmir", 33.5, 75}, "Andaman & Nicobar": {"Andaman and Nicobar Islands", 12.5, 92.9},
		" haryana ": {"Haryana", 29.2, 76.5},
	} {
		ring := box(at.lon-0.05, at.lat-0.05, at.lon+0.05, at.lat+0.05)
		m := with(t, collection(district(spelling, "D", "Polygon", "["+ring+"]")))
		if got := m.At(at.lat, at.lon); got != (region.Place{Country: "India", State: at.state, District: "D"}) {
			t.Errorf("%q: got %+v", spelling, got)
		}
	}
}

// TestOtherPropertiesMayHoldTheNames promises that a file need not be rewritten.
func TestOtherPropertiesMayHoldTheNames(t *testing.T) {
	file := strings.NewReplacer(`"state"`, `"ST_NM"`, `"district"`, `"dtname"`).Replace(string(collection(squares()...)))
	_, err := region.ReadGeoJSON([]byte(file), terms)
	if words, _ := fault.Words(err); !fault.Is(err, fault.Invalid) || !strings.Contains(words, `"district"; it has ST_NM, code, dtname`) {
		t.Errorf("the fault does not help: %v", err)
	}
	named := terms
	named.District, named.State = "dtname", "ST_NM"
	if _, err := region.ReadGeoJSON([]byte(file), named); err != nil {
		t.Error(err)
	}
}

// TestTheOrderOfAFileMakesNoDifference promises the same answer for the same
// districts in any order, also where they overlap.
func TestTheOrderOfAFileMakesNoDifference(t *testing.T) {
	features := append(squares(), district("Haryana", "Across", "Polygon", "["+box(76.2, 29.1, 76.6, 29.3)+"]"))
	want := with(t, collection(features...))
	rapid.Check(t, func(rt *rapid.T) {
		m := onto(t, want, collection(rapid.Permutation(features).Draw(rt, "order")...))
		lat, lon := rapid.Float64Range(28.9, 29.7).Draw(rt, "lat"), rapid.Float64Range(75.9, 76.9).Draw(rt, "lon")
		if got, want := m.At(lat, lon), want.At(lat, lon); got != want {
			rt.Fatalf("%g, %g: got %+v, want %+v", lat, lon, got, want)
		}
	})
	if got := want.At(29.2, 76.3).District; got != "Across" {
		t.Errorf("of two that overlap got %s, not the first by name", got)
	}
}

// TestSquaresThatTileLeaveNoGap promises that a place on the lines between districts
// lies in one of them.
func TestSquaresThatTileLeaveNoGap(t *testing.T) {
	var features []string
	for x := range 4 {
		for y := range 4 {
			features = append(features, district("Haryana", fmt.Sprintf("D%d%d", x, y), "Polygon",
				"["+box(76+float64(x)/8, 29+float64(y)/8, 76+float64(x+1)/8, 29+float64(y+1)/8)+"]"))
		}
	}
	m := with(t, collection(features...))
	for x := range 32 {
		for y := range 32 { // eighths of a square, so that lines and corners are met exactly
			want := fmt.Sprintf("D%d%d", x/8, y/8)
			if got := m.At(29+float64(y)/64, 76+float64(x)/64); got.District != want {
				t.Fatalf("%d, %d: got %q, want %q", x, y, got.District, want)
			}
		}
	}
}

// TestBadFilesAreRefusedInWords promises a fault that says what is wrong and where.
func TestBadFilesAreRefusedInWords(t *testing.T) {
	good := "[" + box(76, 29, 76.4, 29.4) + "]"
	one := func(kind, coordinates string) []byte { return collection(district("Haryana", "D", kind, coordinates)) }
	for _, tt := range []struct {
		name string
		file []byte
		kind fault.Kind
		says string
	}{
		{"empty", nil, fault.Invalid, "not GeoJSON"},
		{"not JSON", []byte("<kml/>"), fault.Invalid, "not GeoJSON"},
		{"something after it", append(one("Polygon", good), "{}"...), fault.Invalid, "not GeoJSON"},
		{"another JSON", []byte(`{"type":"Topology"}`), fault.Invalid, `"Topology"`},
		{"no features", collection(), fault.Invalid, "has none"},
		{"a line", one("LineString", box(76, 29, 76.4, 29.4)), fault.Invalid, `feature 1: D is a "LineString"`},
		{"a polygon that is none", one("Polygon", "[[1,2]]"), fault.Invalid, "not those of a Polygon"},
		{"a polygon called several", one("MultiPolygon", good), fault.Invalid, "not those of a MultiPolygon"},
		{"no land", one("MultiPolygon", "[]"), fault.Invalid, "no district in the file has any land"},
		{"no ring", one("Polygon", "[]"), fault.Invalid, "without a ring"},
		{"an open ring", one("Polygon", "[[[76,29],[77,29],[77,30],[76,30]]]"), fault.Invalid, "not closed"},
		{"a ring of two", one("Polygon", "[[[76,29],[77,29],[76,29]]]"), fault.Invalid, "not closed"},
		{"one number", one("Polygon", "[[[76],[77],[77],[76]]]"), fault.Invalid, "longitude and a latitude"},
		{"metres", one("Polygon", "["+box(760000, 290000, 770000, 300000)+"]"), fault.Invalid, "in degrees"},
		{"no geometry", []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"state":"Haryana","district":"D"},"geometry":null}]}`), fault.Invalid, "no geometry"},
		{"no properties", []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}`), fault.Invalid,
			"it has none"},
		{"a name too long", collection(district("Haryana", strings.Repeat("x", 101), "Polygon", good)), fault.Invalid, "at most 100 bytes"},
		{"a name over two lines", collection(district("Haryana", "a\nb", "Polygon", good)), fault.Invalid, "not a name"},
		{"metres by name", []byte(strings.Replace(string(one("Polygon", good)), `"features"`,
			`"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::32643"}},"features"`, 1)), fault.Invalid, "EPSG::32643"},
		{"too deep", []byte(strings.Repeat("[", 17) + strings.Repeat("]", 17)), fault.Invalid, "nested deeper"},
	} {
		_, err := region.ReadGeoJSON(tt.file, terms)
		if words, _ := fault.Words(err); !fault.Is(err, tt.kind) || !strings.Contains(words, tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestAFileHasBounds promises that too many of anything is refused, before it is
// read where reading it would take much.
func TestAFileHasBounds(t *testing.T) {
	many := make([]string, region.MaxDistricts+1)
	for i := range many {
		many[i] = district("Haryana", fmt.Sprint(i), "Polygon", "["+box(76, 29, 76.4, 29.4)+"]")
	}
	for says, file := range map[string][]byte{
		"at most 2000 are read": collection(many...),
		"more than 2000000 corners": collection(district("Haryana", "D", "Polygon", "[["+strings.Repeat("[0,0],",
			2*region.MaxCorners)+"[0,0]]]")),
		"at most 64 MB": make([]byte, region.MaxFile+1),
	} {
		_, err := region.ReadGeoJSON(file, terms)
		if words, _ := fault.Words(err); !fault.Is(err, fault.TooLarge) || !strings.Contains(words, says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestTermsMustBeGiven promises that no boundary comes in without a licence and a day.
func TestTermsMustBeGiven(t *testing.T) {
	for _, bad := range []region.Terms{
		{}, {Licence: "CC0"}, {AsOf: "2026-01-31"}, {Licence: "  ", AsOf: "2026-01-31"}, {Licence: "CC0", AsOf: "31-01-2026"},
		{Licence: "CC0", AsOf: "2026-02-30"}, {Licence: strings.Repeat("x", 501), AsOf: "2026-01-31"}, {Licence: "CC0", AsOf: "2026-01-31",
			Name: strings.Repeat("x", 101)},
	} {
		if _, err := region.ReadGeoJSON(collection(squares()...), bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestFilesOfAnotherLandAreRefused promises that districts must lie in states of
// India, and by and large in the states they name.
func TestFilesOfAnotherLandAreRefused(t *testing.T) {
	for says, features := range map[string][]string{
		"no state of India": {district("Punjab (Pakistan)", "Kasur", "Polygon", "["+box(74.2, 31.0, 74.4, 31.2)+"]")},
		// axes exchanged
		"2 of 2 districts": {district("Haryana", "A", "Polygon", "["+box(29.0, 76.0, 29.4, 76.4)+"]"), district("Haryana", "B", "Polygon",
			"["+box(29.0, 76.4, 29.4, 76.8)+"]")},
		"such as Elsewhere": {district("Kerala", "Elsewhere", "Polygon", "["+box(76.0, 29.0, 76.4, 29.4)+"]")},
	} {
		d, err := region.ReadGeoJSON(collection(features...), terms)
		if err != nil {
			t.Fatal(err)
		}
		_, err = india(t).With(d)
		if words, next := fault.Words(err); !fault.Is(err, fault.Invalid) || !strings.Contains(words, says) || next == "" {
			t.Errorf("%s: %v", says, err)
		}
	}
	few := append(squares(), slices.Repeat(squares(), 2)...)
	for i := range 6 {
		few = append(few, district("Haryana", fmt.Sprintf("H%d", i), "Polygon", "["+box(76.0, 29.0, 76.4, 29.4)+"]"))
	}
	m := with(t, collection(append(few, district("Jammu and Kashmir", "Beyond the line", "Polygon",
		"["+box(73.4, 34.9, 73.6, 35.1)+"]"))...))
	if got := m.At(35.0, 73.5); got.District != "Beyond the line" {
		t.Errorf("a file that draws other lines of control is not followed: %+v", got)
	}
}

// FuzzReadGeoJSON holds any bytes against the reader: no crash, faults of a kind a
// person can act on, and an answer from whatever was taken.
func FuzzReadGeoJSON(f *testing.F) {
	f.Add(collection(squares()...))
	f.Add(collection(district("Haryana", "D", "Polygon", "["+box(-180, -90, 180, 90)+"]")))
	f.Add([]byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"state":"Haryana","district":"D"},"geometry":{"type":"Polygon","coordinates":[[[1,2,3],[1e308,2],[3,-4],[1,2,3]]]}}]}`))
	m := india(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := region.ReadGeoJSON(file, terms)
		if err != nil {
			if fault.Is(err, fault.Internal) {
				t.Fatalf("no person can act on %v", err)
			}
			return
		}
		if d.Len() < 1 || !json.Valid(file) {
			t.Fatalf("%d districts of %q", d.Len(), file)
		}
		with, err := m.With(d)
		if err != nil {
			return
		}
		for _, at := range [][2]float64{{29.2, 76.2}, {0, 0}, {90, 180}, {-90, -180}} {
			if p := with.At(at[0], at[1]); p.District != "" && p.State == "" {
				t.Fatalf("a district in no state: %+v", p)
			}
		}
	})
}

func BenchmarkAtWithDistricts(b *testing.B) {
	var features []string
	for x := range 27 {
		for y := range 27 {
			features = append(features, district("Haryana", fmt.Sprintf("D%d-%d", x, y), "Polygon",
				"["+box(76+float64(x)/54, 29+float64(y)/54, 76+float64(x+1)/54, 29+float64(y+1)/54)+"]"))
		}
	}
	m := with(b, collection(features...))
	for i := 0; b.Loop(); i++ {
		m.At(29+float64(i%500)/1000, 76+float64(i%490)/1000)
	}
}
