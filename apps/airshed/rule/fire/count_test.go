package fire_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// TestCountsArePerSatellite promises a line for every satellite, those that saw
// nothing too, with power before and after the factor.
func TestCountsArePerSatellite(t *testing.T) {
	night := seen("NOAA-21", 3, 0, 2.5)
	night.Light, night.Confidence, night.Version = fire.Night, fire.High, "2.0"
	c := fire.Constellation{Sensors: []fire.Sensor{{Satellite: "NOAA-21", Factor: 0.8}, {Satellite: "NOAA-20", Factor: 1},
		{Satellite: "Terra", Factor: 1}}}
	got := c.Count([]fire.Detection{seen("NOAA-20", 0, 0, 3), night, seen("NOAA-21", 9, 0, 5), seen("Aqua", 0, 0, 7)})
	want := []fire.Count{
		{Satellite: "NOAA-21", Detections: 2, ByDay: 1, ByNight: 1, High: 1, Final: 1, FRP: 7.5, Factor: 0.8, Power: 6},
		{Satellite: "NOAA-20", Detections: 1, ByDay: 1, FRP: 3, Factor: 1, Power: 3},
		{Satellite: "Terra", Factor: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestPlaceStaysEmptyWithoutALookup promises that no state is made up, and that
// what lies abroad is nobody's in India.
func TestPlaceStaysEmptyWithoutALookup(t *testing.T) {
	c := known(t)
	ds := []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-20", 50, 0, 4), seen("NOAA-20", 100, 0, 5), seen("NOAA-20", 101, 0, 6)}
	ds[0].Place = fire.Place{State: "made up before"}
	if got := c.ByState(fire.Locate(ds, nil)); len(got) != 1 || got[0].Place != (fire.Place{}) || got[0].Detections != 4 {
		t.Errorf("got %+v, want four without a place", got)
	}
	located := fire.Locate(ds, func(p fire.Point) fire.Place {
		switch {
		case p.Lat < 29.1:
			return fire.Place{State: "Haryana", District: "Jind"}
		case p.Lat < 29.6:
			return fire.Place{}
		}
		return fire.Place{State: "Punjab", Abroad: true} // the one in Pakistan
	})
	want := []fire.Share{
		{Place: fire.Place{Abroad: true}, Detections: 2, Power: 11},
		{Detections: 1, Power: 4},
		{Place: fire.Place{State: "Haryana"}, Detections: 1, Power: 3},
	}
	if got := c.ByState(located); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if ds[0].Place.State != "made up before" {
		t.Error("the caller's detections were changed")
	}
}

// TestDetectionSurvivesBeingWritten promises that what is kept as JSON is what was
// read.
func TestDetectionSurvivesBeingWritten(t *testing.T) {
	d := read(t, modisHead+",type", "29.12345,76.5,310.2,1.1,1,2023-06-12,0427,A,MODIS,43,6.1,288.47,5.5,N,2").Detections[0]
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got fire.Detection
	if err := json.Unmarshal(b, &got); err != nil || got != d {
		t.Errorf("got %+v, %v from %s, want %+v", got, err, b, d)
	}
	if err := json.Unmarshal([]byte(`{"confidence":"sure"}`), &got); err == nil {
		t.Error("a class nobody knows was read")
	}
}

// TestCoverageListsEveryPassThatWasDue holds two days of two satellites, each of
// which passes at half past one by night and by day: 20:00 and 08:00 UTC.
func TestCoverageListsEveryPassThatWasDue(t *testing.T) {
	c := known(t).Wanted("2026-11-13")
	from := time.Date(2026, 11, 11, 18, 30, 0, 0, time.UTC) // midnight in India
	unsure := seen("NOAA-21", 0, 40*time.Minute, 1)
	unsure.Confidence = fire.Low
	odd := seen("NOAA-20", 0, 4*time.Hour, 1) // when nothing is due
	still := seen("NOAA-20", 0, 4*time.Hour+5*time.Minute, 1)
	ds := []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-20", 9, 6*time.Minute, 3), unsure, odd, still,
		seen("NOAA-20", 0, 90*24*time.Hour, 1)}
	cloudy := func(at time.Time) (float64, bool) { return 0.25, at.Before(noon().Add(time.Hour)) }
	got, err := c.Cover(ds, from, from.Add(48*time.Hour), cloudy)
	if err != nil {
		t.Fatal(err)
	}
	// Due: 2 satellites × 2 days × 2. With rows: 12 November by day of both, and the odd one.
	// Cloud is known for the night and the day of the 12th, of both.
	if s := got.Sums(); s != (fire.Sums{Due: 8, WithRows: 3, Silent: 6, CloudKnown: 4, MeanCloud: 0.25}) {
		t.Errorf("got %+v in %+v", s, got.Passes)
	}
	for _, p := range got.Passes {
		if p.Satellite == "NOAA-20" && p.Due.Equal(noon()) && (p.Rows != 2 || p.Last.Sub(p.First) != 6*time.Minute) {
			t.Errorf("got %+v, want two rows six minutes apart", p)
		}
	}
	want := "Counts are a lower bound. Satellite passes due: 8; passes with detections: 3; passes without: 6, " +
		"which may mean no fire, cloud or missing data. Cloud covered 25 % of the region on average at the 4 passes for which it is known. " +
		"Fires that burn between passes, under cloud or under thick smoke are not seen."
	if s := got.Statement(); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}

// TestPassAtTheEdgeIsThePassThatWasDue promises that rows which fall into the time
// asked for belong to their pass, though it was due a little before or after.
func TestPassAtTheEdgeIsThePassThatWasDue(t *testing.T) {
	c := known(t)
	noaa, _ := c.Sensor("NOAA-20")
	c.Sensors = []fire.Sensor{noaa}
	rows := []fire.Detection{seen("NOAA-20", 0, 40*time.Minute, 3), seen("NOAA-20", 0, 11*time.Hour+20*time.Minute, 3)}
	got, err := c.Cover(rows, noon().Add(30*time.Minute), noon().Add(11*time.Hour+30*time.Minute), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Due at 08:00 and 20:00 UTC, both outside; rows at 08:40 and 19:20.
	if s := got.Sums(); s != (fire.Sums{Due: 2, WithRows: 2}) {
		t.Errorf("got %+v in %+v", s, got.Passes)
	}
}

// TestCoverageOfNothingSaysSo promises that a satellite out of service is not
// missed, that one without rows is, and that unknown cloud is not clear sky.
func TestCoverageOfNothingSaysSo(t *testing.T) {
	c := known(t)
	npp, _ := c.Sensor("Suomi-NPP")
	c.Sensors = []fire.Sensor{npp}
	from := time.Date(2026, 10, 31, 18, 30, 0, 0, time.UTC)
	got, err := c.Cover(nil, from, from.Add(72*time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Sums(); s.Due != 2 || s.Silent != 2 || s.CloudKnown != 0 {
		t.Errorf("got %+v, want the two passes of 1 November and none after", s)
	}
	want := "Counts are a lower bound. Satellite passes due: 2; passes with detections: 0; passes without: 2, " +
		"which may mean no fire, cloud or missing data. Cloud at the time of the passes is not known. " +
		"Fires that burn between passes, under cloud or under thick smoke are not seen."
	if s := got.Statement(); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
	for _, hours := range []int{0, -1, 500 * 24} {
		if _, err := c.Cover(nil, from, from.Add(time.Duration(hours)*time.Hour), nil); err == nil {
			t.Errorf("%d hours were covered", hours)
		}
	}
}

// TestPlaceThatIsAlwaysHotIsACandidate promises that days are counted and not
// detections, by India's days.
func TestPlaceThatIsAlwaysHotIsACandidate(t *testing.T) {
	var ds []fire.Detection
	for day := range 5 {
		ds = append(ds, seen("NOAA-20", 0.1, time.Duration(day)*24*time.Hour, 1)) // a kiln
		ds = append(ds, seen("NOAA-20", 30.1, time.Duration(day)*time.Minute, 1)) // a large fire, once
		// two places, on two days each: zero is no place where two cells meet
		for _, lat := range []float64{-0.001, 0.001} {
			if d := seen("NOAA-20", 0, time.Duration(day)*24*time.Hour, 1); day < 4 && (day%2 == 0) == (lat < 0) {
				d.At.Lat = lat
				ds = append(ds, d)
			}
		}
	}
	got := fire.Haunts(ds, 3)
	if len(got) != 1 || got[0].Days != 5 || got[0].Detections != 5 || math.Abs(got[0].At.Lat-ds[0].At.Lat) > 1e-9 {
		t.Errorf("got %+v, want the kiln", got)
	}
}
