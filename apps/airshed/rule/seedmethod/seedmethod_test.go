package seedmethod_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/platform/fault"
)

func alipur() fire.Point { return fire.Point{Lat: 28.815329, Lon: 77.153010} }

func surge() time.Time { return time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC) }

func at(lat, lon float64, hours int, state, district string) seedmethod.Fire {
	return seedmethod.Fire{At: fire.Point{Lat: lat, Lon: lon}, Time: surge().Add(time.Duration(hours) * time.Hour),
		Place: fire.Place{State: state, District: district}}
}

func count(t testing.TB, fires ...seedmethod.Fire) seedmethod.Count {
	t.Helper()
	c, err := seedmethod.V1().Circle(alipur(), surge(), fires)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCircleCountsWhatTheWindNeverBrought holds the five fires of the worked
// example of the attribution method, whose shares by transport are 64, 14, 21, 0
// and 0 %: the circle counts four of them alike and drops the third.
func TestCircleCountsWhatTheWindNeverBrought(t *testing.T) {
	a := at(29.91419, 75.89212, -12, "Haryana", "Jind")
	b := at(30.29574, 76.33231, -12, "Punjab", "Patiala")
	c := at(31.01305, 74.61723, -24, "Punjab", "Tarn Taran")
	d := at(28.9845, 77.7064, -12, "Uttar Pradesh", "Meerut")
	e := at(29.91419, 75.89212, -30, "Haryana", "Jind")
	got := count(t, a, b, c, d, e)
	want := seedmethod.Count{
		Profile: "seed-v1", Method: "legacy_radius_count", Fires: 4, Beyond: 1,
		Distance: 146.4, // (172.8 + 182.8 + 57.1 + 172.8) ÷ 4, computed by hand
		States: []seedmethod.State{
			{State: "Haryana", Fires: 2, Districts: []string{"Jind"}, Distance: 172.8},
			{State: "Punjab", Fires: 1, Districts: []string{"Patiala"}, Distance: 182.8},
			{State: "Uttar Pradesh", Fires: 1, Districts: []string{"Meerut"}, Distance: 57.1},
		},
	}
	settle := func(x *float64, y float64) {
		if math.Abs(*x-y) <= 0.11 { // the hand's figures have one decimal
			*x = y
		}
	}
	settle(&got.Distance, want.Distance)
	for i := range min(len(got.States), len(want.States)) {
		settle(&got.States[i].Distance, want.States[i].Distance)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestCircleCutsOffMostOfPunjab holds how many km the districts that burn most lie
// from Alipur, as published: the circle ends at 200.
func TestCircleCutsOffMostOfPunjab(t *testing.T) {
	const degree = 111.195 // km, of a meridian on the sphere
	for district, tt := range map[string]struct {
		km float64
		in bool
	}{
		"Karnal": {98, true}, "Jind": {100, true}, "Kaithal": {132, true}, "Fatehabad": {182, true}, "Patiala": {185, true},
		"Sangrur": {203, false}, "Sirsa": {221, false}, "Ludhiana": {263, false}, "Bathinda": {264, false}, "Moga": {293, false},
		"Firozpur": {339, false}, "Tarn Taran": {363, false}, "Amritsar": {382, false},
	} {
		got := count(t, at(alipur().Lat+tt.km/degree, alipur().Lon, -12, "some", district))
		if (got.Fires == 1) != tt.in || got.Beyond+got.Fires != 1 {
			t.Errorf("%s: got %+v, want counted %v", district, got, tt.in)
		}
	}
}

// TestWindowAndThresholdsAreTheFirstDesigns holds the edges: 48 hours with both
// ends, more than a hundred fires, an index of more than 300.
func TestWindowAndThresholdsAreTheFirstDesigns(t *testing.T) {
	for hours, want := range map[int]int{0: 1, -48: 1, -49: 0, 1: 0} {
		if got := count(t, at(29.2, 76.5, hours, "Haryana", "Jind")).Fires; got != want {
			t.Errorf("%d h: got %d, want %d", hours, got, want)
		}
	}
	for n, want := range map[int]bool{100: false, 101: true} {
		if got := count(t, slices.Repeat([]seedmethod.Fire{at(29.2, 76.5, -5, "Haryana", "Jind")}, n)...); got.States[0].High != want {
			t.Errorf("%d fires: got high %v, want %v", n, got.States[0].High, want)
		}
	}
	for aqi, want := range map[float64]bool{200: false, 300: false, 300.5: true, 350: true, 450: true, math.NaN(): false} {
		if got := seedmethod.V1().Surge(aqi); got != want {
			t.Errorf("index %v: got %v, want %v", aqi, got, want)
		}
	}
}

// TestDayWithoutAnHourIsSaid promises that rows of the first design's form count
// if any of their day does, and are counted apart.
func TestDayWithoutAnHourIsSaid(t *testing.T) {
	for day, want := range map[string]int{"2025-11-11": 0, "2025-11-12": 1, "2025-11-14": 1, "2025-11-15": 0} {
		f := at(29.2, 76.5, 0, "Haryana", "Jind")
		when, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		f.Time, f.DayOnly = when, true
		if got := count(t, f); got.Fires != want || got.DayOnly != want {
			t.Errorf("%s: got %+v, want %d", day, got, want)
		}
	}
}

// TestFiresOfNoStateAreNobodys promises that what lies abroad or is not placed is
// counted and given to no state.
func TestFiresOfNoStateAreNobodys(t *testing.T) {
	abroad := at(29.2, 76.5, -5, "Punjab", "Kasur")
	abroad.Place.Abroad = true
	got := count(t, abroad, at(29.2, 76.5, -5, "", ""), at(math.NaN(), 76.5, -5, "Haryana", ""))
	if got.Fires != 2 || got.Abroad != 1 || got.Unplaced != 1 || got.Beyond != 1 || len(got.States) != 0 || got.States == nil {
		t.Errorf("got %+v, want two fires and no state", got)
	}
	if _, err := seedmethod.V1().Circle(fire.Point{Lat: 91}, surge(), nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a middle off the globe refused", err)
	}
}

// TestDistrictsComeByNumberOfFires promises the district with the most fires
// first, and that detections count as what they are.
func TestDistrictsComeByNumberOfFires(t *testing.T) {
	var ds []fire.Detection
	for _, district := range []string{"Karnal", "Jind", "Jind", "Ambala", ""} {
		ds = append(ds, fire.Detection{At: fire.Point{Lat: 29.2, Lon: 76.5}, Time: surge(), Place: fire.Place{State: "Haryana",
			District: district}})
	}
	got := count(t, seedmethod.Of(ds)...)
	if want := []string{"Jind", "Ambala", "Karnal"}; got.Fires != 5 || got.DayOnly != 0 || !slices.Equal(got.States[0].Districts, want) {
		t.Errorf("got %+v, want %v", got, want)
	}
}

// TestStateIsWrittenAsTheFirstDesignWritesIt holds the names of its JSON.
func TestStateIsWrittenAsTheFirstDesignWritesIt(t *testing.T) {
	b, err := json.Marshal(seedmethod.State{State: "Haryana", Fires: 450, Districts: []string{"Jind", "Karnal"}, Distance: 85.3,
		High: true})
	want := `{"state":"Haryana","fire_count":450,"districts":["Jind","Karnal"],"avg_distance_km":85.3,"is_high_contribution":true}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
}

// TestScoreTakesPoints holds the sums, computed by hand. The first line is the
// first design's own example, which gives itself 95 and cannot.
func TestScoreTakesPoints(t *testing.T) {
	all := seedmethod.Sources{Air: true, Fires: true, Stubble: true}
	noStubble := seedmethod.Sources{Air: true, Fires: true}
	for _, tt := range []struct {
		name                     string
		have                     seedmethod.Sources
		fires                    int
		km                       float64
		confidence, completeness float64
	}{
		{"the example", all, 450, 85.3, 100, 100},
		{"fifty fires at 150 km", all, 50, 150, 100, 100},
		{"49 fires", all, 49, 85, 90, 90},
		{"far", all, 450, 150.1, 90, 90},
		{"few and far", all, 49, 151, 80, 80},
		{"none seen: no distance to be far", all, 0, 0, 90, 90},
		{"no share of stubble", noStubble, 450, 85, 80, 80},
		{"nor many, nor near", noStubble, 4, 185, 60, 60},
		{"no fire data: not few as well", seedmethod.Sources{Air: true, Stubble: true}, 0, 0, 60, 60},
		{"neither", seedmethod.Sources{Air: true}, 0, 0, 40, 40},
		{"nothing at all, and the floor that hides it", seedmethod.Sources{}, 0, 0, 30, 0},
	} {
		got := seedmethod.V1().Score(tt.have, seedmethod.Count{Fires: tt.fires, Distance: tt.km})
		if got.Confidence != tt.confidence || got.Completeness != tt.completeness {
			t.Errorf("%s: got %+v, want %v and %v", tt.name, got, tt.confidence, tt.completeness)
		}
	}
}

// TestScoreIsWhatItsPenaltiesLeave promises, for any data, that the reasons add
// up, that only whole tens come out and that knowing the fires never lowers it.
func TestScoreIsWhatItsPenaltiesLeave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		have := seedmethod.Sources{Air: true, Fires: rapid.Bool().Draw(t, "fires"), Stubble: rapid.Bool().Draw(t, "stubble")}
		c := seedmethod.Count{Fires: rapid.IntRange(0, 200).Draw(t, "n"), Distance: rapid.Float64Range(0, 200).Draw(t, "km")}
		got := seedmethod.V1().Score(have, c)
		sum := 100.0
		for _, p := range got.Penalties {
			sum -= float64(p.Points)
		}
		if got.Completeness != sum || got.Confidence != max(30, sum) || math.Mod(sum, 10) != 0 || got.Confidence == 95 {
			t.Fatalf("got %+v, want %v left", got, sum)
		}
		known := have
		known.Fires = true
		if more := seedmethod.V1().Score(known, c); more.Completeness < got.Completeness {
			t.Fatalf("with fires known %v, without %v", more, got)
		}
	})
}

// TestCircleIsBlindToDirection promises what is wrong with the method: turning
// every fire to the other side of the station changes nothing.
func TestCircleIsBlindToDirection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var here, there []seedmethod.Fire
		for range rapid.IntRange(0, 20).Draw(t, "fires") {
			north := rapid.Float64Range(-1, 1).Draw(t, "north")
			state := rapid.SampledFrom([]string{"Haryana", "Punjab"}).Draw(t, "state")
			east := rapid.Float64Range(-3, 3).Draw(t, "east")
			here = append(here, at(alipur().Lat+north, alipur().Lon+east, -3, state, ""))
			there = append(there, at(alipur().Lat+north, alipur().Lon-east, -3, state, ""))
		}
		p := seedmethod.V1()
		a, errA := p.Circle(alipur(), surge(), here)
		b, errB := p.Circle(alipur(), surge(), there)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.Fires != b.Fires || len(a.States) != len(b.States) {
			t.Fatalf("got %+v on one side, %+v on the other", a, b)
		}
	})
}
