package region_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

func india(t testing.TB) *region.Map {
	t.Helper()
	m, err := region.India()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func in(state string) region.Place { return region.Place{Country: "India", State: state} }

func abroad(country string) region.Place { return region.Place{Country: country} }

// TestHeadquartersLieInTheirStates promises the right state for the towns in whose
// districts stubble is burnt, and for cities around India. Coordinates are the
// towns' as gazetteers print them.
func TestHeadquartersLieInTheirStates(t *testing.T) {
	m := india(t)
	for _, tt := range []struct {
		town     string
		lat, lon float64
		want     region.Place
	}{
		{"Karnal", 29.6857, 76.9905, in("Haryana")},
		{"Jind", 29.3162, 76.3144, in("Haryana")},
		{"Kaithal", 29.8015, 76.3996, in("Haryana")},
		{"Fatehabad", 29.5152, 75.4555, in("Haryana")},
		{"Sirsa", 29.5349, 75.0280, in("Haryana")},
		{"Sonipat", 28.9931, 77.0151, in("Haryana")},
		{"Gurugram", 28.4595, 77.0266, in("Haryana")},
		{"Patiala", 30.3398, 76.3869, in("Punjab")},
		{"Sangrur", 30.2458, 75.8421, in("Punjab")},
		{"Ludhiana", 30.9010, 75.8573, in("Punjab")},
		{"Bathinda", 30.2110, 74.9455, in("Punjab")},
		{"Moga", 30.8165, 75.1717, in("Punjab")},
		{"Firozpur", 30.9331, 74.6225, in("Punjab")},
		{"Tarn Taran", 31.4519, 74.9278, in("Punjab")},
		{"Amritsar", 31.6340, 74.8723, in("Punjab")},
		{"Meerut", 28.9845, 77.7064, in("Uttar Pradesh")},
		{"Ghaziabad", 28.6692, 77.4538, in("Uttar Pradesh")},
		{"Chandigarh", 30.7333, 76.7794, in("Chandigarh")},
		{"Alwar", 27.5530, 76.6346, in("Rajasthan")},
		{"Gwalior", 26.2183, 78.1828, in("Madhya Pradesh")},
		{"Shimla", 31.1048, 77.1734, in("Himachal Pradesh")},
		{"Dehradun", 30.3165, 78.0322, in("Uttarakhand")},
		{"Leh", 34.1526, 77.5771, in("Ladakh")},
		{"Port Blair", 11.6234, 92.7265, in("Andaman and Nicobar Islands")},
		{"Lahore", 31.5497, 74.3436, abroad("Pakistan")},
		{"Kasur", 31.1156, 74.4467, abroad("Pakistan")},
		{"Kathmandu", 27.7172, 85.3240, abroad("Nepal")},
		{"Dhaka", 23.8103, 90.4125, abroad("Bangladesh")},
		{"Thimphu", 27.4712, 89.6339, abroad("Bhutan")},
		{"Lhasa", 29.6500, 91.1000, abroad("China")},
		{"Kabul", 34.5553, 69.2075, abroad("Afghanistan")},
		{"Mandalay", 21.9588, 96.0891, abroad("Myanmar")},
		{"Kandy", 7.2906, 80.6337, abroad("Sri Lanka")},
		{"Arabian Sea", 15, 70, region.Place{}},
		{"Lisbon, which no outline has", 38.72, -9.14, region.Place{}},
		{"Siachen Glacier", 35.42, 77.10, region.Place{Disputed: true}},
	} {
		if got := m.At(tt.lat, tt.lon); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.town, got, tt.want)
		}
		if n, found := m.Near(tt.lat, tt.lon); found && n.Unsure {
			t.Errorf("%s: %.1f km from %+v, and unsure", tt.town, n.KM, n.Other)
		}
	}
}

// TestTownsAtTheBorderAreRightOrSaidToBeUnsure promises that where the lines are
// wrong it is said that they may be, and what else the place may be. Five of these
// places lie on the wrong side. Coordinates are the towns' as gazetteers print them.
func TestTownsAtTheBorderAreRightOrSaidToBeUnsure(t *testing.T) {
	m := india(t)
	wrong := 0
	for _, tt := range []struct {
		town     string
		lat, lon float64
		want     region.Place
	}{
		{"Mohali", 30.7046, 76.7179, in("Punjab")},
		{"Panchkula", 30.6942, 76.8606, in("Haryana")},
		{"Ambala", 30.3782, 76.7767, in("Haryana")},
		{"Zirakpur", 30.6425, 76.8173, in("Punjab")},
		{"Dabwali", 29.9494, 74.7380, in("Haryana")},
		{"Tohana", 29.7135, 75.9044, in("Haryana")},
		{"Jakhal", 29.7967, 75.8230, in("Haryana")},
		{"Khanauri", 29.8410, 76.1140, in("Punjab")},
		{"Sardulgarh", 29.6930, 75.2380, in("Punjab")},
		{"Samana", 30.1480, 76.1950, in("Punjab")},
		{"Sangaria", 29.7900, 74.4660, in("Rajasthan")},
		{"Attari", 31.6000, 74.6050, in("Punjab")},
		{"Wagah", 31.6047, 74.5700, abroad("Pakistan")},
		{"Bahadurgarh", 28.6924, 76.9240, in("Haryana")},
		{"Baghpat", 28.9440, 77.2180, in("Uttar Pradesh")},
		{"Paonta Sahib", 30.4380, 77.6240, in("Himachal Pradesh")},
		{"Kalka", 30.8400, 76.9340, in("Haryana")},
		{"Parwanoo", 30.8370, 76.9610, in("Himachal Pradesh")},
		{"Bhiwadi", 28.2100, 76.8600, in("Rajasthan")},
		{"Dharuhera", 28.2060, 76.7970, in("Haryana")},
		{"Pathankot", 32.2733, 75.6522, in("Punjab")},
		{"Karni Singh range", 28.498571, 77.264840, in("Delhi")},
	} {
		n, found := m.Near(tt.lat, tt.lon)
		if !found || n.KM > 6 {
			t.Fatalf("%s is not at a border: %+v, %v", tt.town, n, found)
		}
		if n.Place == tt.want {
			continue
		}
		wrong++
		if !n.Unsure || n.Other != tt.want {
			t.Errorf("%s: got %+v, want %+v or a doubt", tt.town, n, tt.want)
		}
	}
	if wrong != 5 {
		t.Errorf("%d towns were on the wrong side; the outlines have changed", wrong)
	}
}

// TestStationsLieInDelhi promises that the stations lie in Delhi. By the embedded
// lines one, a kilometre inside, lies in Haryana: of it doubt is told.
func TestStationsLieInDelhi(t *testing.T) {
	m := india(t)
	for _, s := range surge.Stations() {
		n, found := m.Near(s.Lat, s.Lon)
		if !found {
			t.Fatalf("%s is near no border", s.Name)
		}
		if s.Site == "karni-singh-shooting-range" {
			if n.Place != in("Haryana") || n.Other != in("Delhi") || !n.Unsure || math.Abs(n.KM-1.0) > 0.1 {
				t.Errorf("%s: %+v", s.Name, n)
			}
			continue
		}
		if n.Place != in("Delhi") {
			t.Errorf("%s: %+v", s.Name, n)
		}
	}
}

// TestDistancesToBordersAreThePublishedOnes promises ErrorKM: the table of stations
// has distances from other outlines, which are right within two kilometres. Ours
// differ from it by up to 2.9.
func TestDistancesToBordersAreThePublishedOnes(t *testing.T) {
	m := india(t)
	worst, seen := 0.0, 0
	for _, s := range surge.Stations() {
		for _, near := range s.Near {
			got, ok := m.Distance(s.Lat, s.Lon, in(string(near.State)))
			if !ok {
				t.Fatalf("%s is no place", near.State)
			}
			if off := math.Abs(got - near.Km); off > region.ErrorKM {
				t.Errorf("%s to %s: got %.1f km, want %.1f", s.Name, near.State, got, near.Km)
			} else {
				worst, seen = max(worst, off), seen+1
			}
		}
	}
	if seen != 34 || worst < 2.5 {
		t.Errorf("%d distances, the worst %.1f km off: ErrorKM says something else", seen, worst)
	}
}

// TestUnsureSaysWhatNearSays promises the same doubt, quicker, all over the north.
func TestUnsureSaysWhatNearSays(t *testing.T) {
	m, doubts := india(t), 0
	for i := range 4000 {
		at := fire.Point{Lat: 24 + float64(i%80)*0.1, Lon: 70 + float64(i/80)*0.2}
		n, found := m.Near(at.Lat, at.Lon)
		if got, want := m.Unsure(at), found && n.Unsure; got != want {
			t.Errorf("%v: unsure %v, want %v: %+v", at, got, want, n)
		} else if got {
			doubts++
		}
	}
	if doubts < 10 {
		t.Errorf("only %d places of 4000 are near a line", doubts)
	}
	if m.Unsure(fire.Point{Lat: math.NaN(), Lon: 77}) {
		t.Error("a place that is none is in doubt")
	}
}

// TestNearTellsOfLandBordersOnly promises that a shore makes no state doubtful, and
// that a place at sea is told the nearest land.
func TestNearTellsOfLandBordersOnly(t *testing.T) {
	m := india(t)
	if n, found := m.Near(13.05, 80.27); !found || n.Place != in("Tamil Nadu") || n.Other == (region.Place{}) || n.Unsure {
		t.Errorf("Chennai, on the shore: %+v, %v", n, found)
	}
	if n, found := m.Near(13.05, 80.60); !found || n.Place != (region.Place{}) || n.Other != in("Tamil Nadu") || n.Unsure ||
		math.Abs(n.KM-33) > 5 {
		t.Errorf("33 km off Chennai: %+v, %v", n, found)
	}
	if n, found := m.Near(15, 65); found {
		t.Errorf("the open sea is near %+v", n)
	}
	if n, found := m.Near(29.65, 91.1); found || n.Place != abroad("China") {
		t.Errorf("Lhasa, far from all borders: %+v, %v", n, found)
	}
	if n, found := m.Near(math.NaN(), 77); found {
		t.Errorf("nowhere is near %+v", n)
	}
}

// TestDistanceIsOfKnownPlacesOnly promises no figure for what the outlines do not
// have, and none kilometres within.
func TestDistanceIsOfKnownPlacesOnly(t *testing.T) {
	m := india(t)
	for _, to := range []region.Place{{}, abroad("Portugal"), in("Punjab (Pakistan)"), {State: "Punjab"}} {
		if km, ok := m.Distance(28.6, 77.2, to); ok {
			t.Errorf("%+v is %.1f km away", to, km)
		}
	}
	if km, ok := m.Distance(30.9, 75.8, in("Punjab")); !ok || km != 0 {
		t.Errorf("from within: %g, %v", km, ok)
	}
	if _, ok := m.Distance(91, 0, in("Punjab")); ok {
		t.Error("a place that is not on earth has a distance")
	}
}

// TestWhatIsNotOnEarthIsNowhere promises an empty answer, and no crash.
func TestWhatIsNotOnEarthIsNowhere(t *testing.T) {
	m := india(t)
	for _, at := range [][2]float64{{math.NaN(), 77}, {28, math.NaN()}, {math.Inf(1), 77}, {28, math.Inf(-1)}, {90.1, 0}, {0, -180.1},
		{90, 180}, {-90, -180}} {
		if got := m.At(at[0], at[1]); got != (region.Place{}) {
			t.Errorf("%v: %+v", at, got)
		}
	}
}

// TestLocateSpeaksAsFiresDo promises the answers package fire asks for, and that
// only what is known to be abroad is called so.
func TestLocateSpeaksAsFiresDo(t *testing.T) {
	m := india(t)
	for _, tt := range []struct {
		lat, lon float64
		want     fire.Place
	}{
		{30.2458, 75.8421, fire.Place{State: "Punjab"}},                 // Sangrur
		{31.1156, 74.4467, fire.Place{State: "Pakistan", Abroad: true}}, // Kasur
		{35.42, 77.10, fire.Place{}},                                    // the Siachen Glacier
		{13.05, 80.60, fire.Place{Abroad: true}},                        // 33 km off Chennai
		{38.72, -9.14, fire.Place{Abroad: true}},                        // Lisbon
		{math.NaN(), 77, fire.Place{}}, {91, 77, fire.Place{}},          // nowhere
		{13.0500, 80.3100, fire.Place{}},                     // 1 km off Chennai's shore, as it is drawn
		{28.498571, 77.264840, fire.Place{State: "Haryana"}}, // a kilometre inside Delhi, in truth
	} {
		if got := m.Locate(fire.Point{Lat: tt.lat, Lon: tt.lon}); got != tt.want {
			t.Errorf("%g, %g: got %+v, want %+v", tt.lat, tt.lon, got, tt.want)
		}
	}
	ds := fire.Locate([]fire.Detection{{At: fire.Point{Lat: 29.6857, Lon: 76.9905}}}, m.Locate)
	if ds[0].Place != (fire.Place{State: "Haryana"}) {
		t.Errorf("got %+v", ds[0].Place)
	}
}

// TestStatesAreSpelledAsPeopleSpellThem promises all 36, and the ones reports name.
func TestStatesAreSpelledAsPeopleSpellThem(t *testing.T) {
	all := india(t).States()
	if len(all) != 36 || !slices.IsSorted(all) {
		t.Fatalf("%d states: %v", len(all), all)
	}
	for _, want := range []string{"Chhattisgarh", "Delhi", "Haryana", "Himachal Pradesh", "Jammu and Kashmir", "Ladakh", "Madhya Pradesh",
		"Odisha", "Puducherry", "Punjab", "Rajasthan", "Telangana", "Uttar Pradesh", "Uttarakhand", "West Bengal"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, s := range []surge.State{surge.Haryana, surge.UttarPradesh} {
		if !slices.Contains(all, string(s)) {
			t.Errorf("package surge spells it %s", s)
		}
	}
}

// TestAPlaceReadsTheSameInJSON promises the names a report is kept under.
func TestAPlaceReadsTheSameInJSON(t *testing.T) {
	n, _ := india(t).Near(28.498571, 77.264840)
	n.KM = 1
	got, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"place":{"country":"India","state":"Haryana"},"other":{"country":"India","state":"Delhi"},"km":1,"unsure":true}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func BenchmarkAt(b *testing.B) {
	m := india(b)
	for i := 0; b.Loop(); i++ {
		m.At(8+float64(i%2600)/100, 68+float64(i%2900)/100)
	}
}

func BenchmarkNear(b *testing.B) {
	m := india(b)
	for i := 0; b.Loop(); i++ {
		m.Near(26+float64(i%700)/100, 73+float64(i%650)/100)
	}
}

func BenchmarkIndia(b *testing.B) {
	for b.Loop() {
		india(b)
	}
}
