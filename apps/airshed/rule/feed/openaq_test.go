package feed_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
)

// fixture reads a file written by hand in the shape the service publishes.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLocationsAreRead promises name, place, sensors and whether a location still
// speaks; those without a place are left out.
func TestLocationsAreRead(t *testing.T) {
	got, err := feed.ParseLocations(fixture(t, "openaq_locations.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Received != 3 || len(got.Locations) != 2 {
		t.Fatalf("%d of %d, want 2 of 3", len(got.Locations), got.Received)
	}
	l := got.Locations[0]
	last := time.Date(2026, 11, 13, 12, 30, 0, 0, time.UTC)
	want := feed.Location{ID: 6932, Name: "Alipur, Delhi - DPCC", Locality: "Delhi", Country: "IN", Provider: "CPCB", Lat: 28.815329,
		Lon:     77.15301,
		Sensors: []feed.Sensor{{ID: 31, Pollutant: aqi.PM25, Unit: "µg/m³"}, {ID: 32, Pollutant: aqi.CO, Unit: "µg/m³"}},
		First:   time.Date(2018, 2, 21, 23, 30, 0, 0, time.UTC), Last: last}
	if !reflect.DeepEqual(l, want) {
		t.Errorf("got %+v, want %+v", l, want)
	}
	if !l.Alive(last.Add(time.Hour), 6*time.Hour) || l.Alive(last.Add(7*time.Hour), 6*time.Hour) ||
		got.Locations[1].Alive(last, time.Hour) {
		t.Error("whether a location is alive does not follow from its last value")
	}
}

// TestHoursAreNamedByTheirEnd promises that an hour is the one between its ends,
// that carbon monoxide becomes milligrams, and that what cannot be used is counted.
func TestHoursAreNamedByTheirEnd(t *testing.T) {
	got, err := feed.ParseHours(fixture(t, "openaq_hours.json"))
	if err != nil {
		t.Fatal(err)
	}
	hour := func(s string) aqi.Hour {
		h, err := aqi.ParseHour(s)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := []feed.MeanHour{
		{Hour: hour("2026-11-13T11:30Z"), Pollutant: aqi.PM25, Amount: 350_500_000, Expected: 4, Observed: 3},
		{Hour: hour("2026-11-13T12:30Z"), Pollutant: aqi.CO, Amount: 1_500_000}, // 1500 µg/m³ are 1.5 mg/m³
	}
	if !reflect.DeepEqual(got.Hours, want) {
		t.Errorf("got %+v, want %+v", got.Hours, want)
	}
	missed := map[feed.Miss]int{feed.NoValue: 1, feed.Negative: 1, feed.Excess: 1, feed.Flagged: 1, feed.WrongUnit: 1, feed.WrongPeriod: 2,
		feed.Unknown: 1}
	if !reflect.DeepEqual(got.Missed, missed) || got.Received != 10 {
		t.Errorf("got %v of %d, want %v of 10", got.Missed, got.Received, missed)
	}
	r := got.Readings("site_5024")
	if len(r) != 2 || r[0] != (aqi.Reading{Site: "site_5024", Hour: want[0].Hour, Pollutant: aqi.PM25, Amount: 350_500_000}) {
		t.Errorf("readings %+v", r)
	}
}

// TestAThinHourIsNoHour promises that an hour of which less than three quarters were
// measured is counted and not used, and that one of which nobody says it is.
func TestAThinHourIsNoHour(t *testing.T) {
	body := string(fixture(t, "openaq_hours.json")) // 3 of 4 measurements
	for change, used := range map[string]bool{`"observedCount": 3`: true, `"observedCount": 2`: false, `"observedCount": null`: true} {
		got, err := feed.ParseHours([]byte(strings.Replace(body, `"observedCount": 3`, change, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if (len(got.Hours) == 2) != used || (got.Missed[feed.Thin] == 0) != used {
			t.Errorf("%s: %d hours, missed %v", change, len(got.Hours), got.Missed)
		}
	}
}

// TestLatestValuesAreRead promises each sensor's moment.
func TestLatestValuesAreRead(t *testing.T) {
	got, err := feed.ParseLatest([]byte(`{"meta":{"found":3},"results":[
		{"datetime":{"utc":"2026-11-13T12:30:00Z","local":"2026-11-13T18:00:00+05:30"},"value":350.5,"coordinates":{},"sensorsId":31,"locationsId":6932},
		{"datetime":null,"value":1,"sensorsId":32},{"datetime":{"utc":"soon"},"value":1,"sensorsId":33}]}`))
	want := []feed.Last{{Sensor: 31, At: time.Date(2026, 11, 13, 12, 30, 0, 0, time.UTC), Value: 350.5}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// TestWhatIsNoAnswerOfTheArchiveIsRefused promises a fault for anything else.
func TestWhatIsNoAnswerOfTheArchiveIsRefused(t *testing.T) {
	for _, body := range []string{``, `[]`, `{}`, `{"results":null}`, `{"results":{}}`, `{"results":[]}{}`, `Unauthorized`,
		`{"detail":"Too many requests"}`} {
		if got, err := feed.ParseLocations([]byte(body)); err == nil {
			t.Errorf("locations %q: %+v", body, got)
		}
		if got, err := feed.ParseHours([]byte(body)); err == nil {
			t.Errorf("hours %q: %+v", body, got)
		}
		if got, err := feed.ParseLatest([]byte(body)); err == nil {
			t.Errorf("latest %q: %+v", body, got)
		}
	}
}

// FuzzParseOpenAQ promises that whatever is read lies within its bounds.
func FuzzParseOpenAQ(f *testing.F) {
	f.Add(fixture(f, "openaq_locations.json"))
	f.Add(fixture(f, "openaq_hours.json"))
	f.Fuzz(func(t *testing.T, body []byte) {
		places, _ := feed.ParseLocations(body)
		for _, l := range places.Locations {
			if l.ID < 1 || l.Lat < -90 || l.Lat > 90 || l.Lon < -180 || l.Lon > 180 {
				t.Errorf("%+v", l)
			}
		}
		means, err := feed.ParseHours(body)
		sum := len(means.Hours)
		for _, n := range means.Missed {
			sum += n
		}
		if err == nil && sum != means.Received {
			t.Errorf("%d used or missed of %d", sum, means.Received)
		}
		for _, h := range means.Hours {
			if h.Amount < 0 || h.Amount > aqi.MaxAmount || h.Observed < 0 || h.Expected < 0 {
				t.Errorf("%+v", h)
			}
		}
		if latest, err := feed.ParseLatest(body); err != nil && latest != nil {
			t.Errorf("%v with %v", latest, err)
		}
	})
}
