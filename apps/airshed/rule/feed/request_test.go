package feed_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// theKey is an invented key of the fire service's form.
const theKey = "0123456789abcdef0123456789abcdef"

var (
	monday  = time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
	north   = feed.Box{West: 73.5, South: 28, East: 77.25, North: 32.5}
)

// requests are one of each kind.
func requests(t *testing.T) map[string]feed.Request {
	t.Helper()
	known, err := fire.Known()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]feed.Request{}
	add := func(name string, r feed.Request, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = r
	}
	r, err := feed.Fires(feed.FirmsBase, theKey, "VIIRS_NOAA21_NRT", north, fire.Span{From: "2026-11-09", Days: 5})
	add("fires", r, err)
	r, err = feed.Offered(feed.FirmsBase, theKey)
	add("offers", r, err)
	r, err = feed.FireFile(feed.FirmsBase, known.Sensors[0], feed.TwoDays)
	add("file", r, err)
	r, err = feed.AirPage(feed.DataGovBase, theKey, "Uttar Pradesh", 20)
	add("air", r, err)
	r, err = feed.Locations(feed.OpenAQBase, theKey, north, 1)
	add("locations", r, err)
	r, err = feed.Latest(feed.OpenAQBase, theKey, 6932)
	add("latest", r, err)
	r, err = feed.HourlyMeans(feed.OpenAQBase, theKey, 12, monday, tuesday, 2)
	add("hours", r, err)
	r, err = feed.Weather(feed.MeteoBase(feed.Archive), feed.Archive, []feed.Place{{Lat: 28.75, Lon: 77}, {Lat: 29, Lon: 77.25}}, monday,
		tuesday)
	add("weather", r, err)
	return out
}

// TestRequestsAskWhatTheServicesPublish promises the addresses the services
// document. They were written down by hand from the services' descriptions.
func TestRequestsAskWhatTheServicesPublish(t *testing.T) {
	want := map[string]string{
		"fires":  "https://firms.modaps.eosdis.nasa.gov/api/area/csv/" + theKey + "/VIIRS_NOAA21_NRT/73.5,28,77.25,32.5/5/2026-11-09",
		"offers": "https://firms.modaps.eosdis.nasa.gov/api/data_availability/csv/" + theKey + "/ALL",
		"file":   "https://firms.modaps.eosdis.nasa.gov/data/active_fire/noaa-21-viirs-c2/csv/J2_VIIRS_C2_South_Asia_48h.csv",
		"air": "https://api.data.gov.in/resource/3b01bcb8-0b14-4abf-b6f2-c1bfd384ba69?api-key=" + theKey +
			"&filters[state]=Uttar+Pradesh&format=json&limit=1000&offset=20",
		"locations": "https://api.openaq.org/v3/locations?bbox=73.5,28,77.25,32.5&limit=1000&page=1",
		"latest":    "https://api.openaq.org/v3/locations/6932/latest",
		"hours":     "https://api.openaq.org/v3/sensors/12/hours?datetime_from=2026-11-09T00:00:00Z&datetime_to=2026-11-10T00:00:00Z&limit=1000&page=2",
		"weather": "https://archive-api.open-meteo.com/v1/archive?end_date=2026-11-10&hourly=wind_speed_10m,wind_direction_10m,wind_speed_100m,wind_direction_100m," +
			"boundary_layer_height,cloud_cover,precipitation&latitude=28.75,29&longitude=77,77.25&start_date=2026-11-09&timezone=GMT&wind_speed_unit=ms",
	}
	for name, r := range requests(t) {
		if r.URL() != want[name] {
			t.Errorf("%s: got %s, want %s", name, r.URL(), want[name])
		}
		if _, err := url.Parse(r.URL()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoRequestShowsItsKey promises that a request can be printed, logged and
// written as JSON in any way without its key.
func TestNoRequestShowsItsKey(t *testing.T) {
	for name, r := range requests(t) {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("asked", "request", r)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("asked", "request", r)
		for _, s := range []string{r.Shown, fmt.Sprint(r), fmt.Sprintf("%s %q %v %+v %#v", r, r, r, r, r),
			fmt.Sprintf("%v %+v", &r, []feed.Request{r}), log.String()} {
			if strings.Contains(s, theKey) {
				t.Errorf("%s shows its key: %s", name, s)
			}
			if !strings.Contains(s, "://") {
				t.Errorf("%s does not show what was asked: %s", name, s)
			}
		}
		if keyed := name != "file" && name != "weather"; (r.Secret() == theKey) != keyed {
			t.Errorf("%s: secret %q", name, r.Secret())
		}
	}
}

// TestWhatCannotBeAskedIsRefused promises a fault instead of a strange request,
// and that it holds no key.
func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	span := fire.Span{From: "2026-11-09", Days: 1}
	for name, err := range map[string]error{
		"no key":           second(feed.Fires(feed.FirmsBase, "", "VIIRS_NOAA21_NRT", north, span)),
		"a key with slash": second(feed.Fires(feed.FirmsBase, theKey+"/../x", "VIIRS_NOAA21_NRT", north, span)),
		"a key with break": second(feed.Locations(feed.OpenAQBase, theKey+"\r\nHost: x", north, 1)),
		"six days":         second(feed.Fires(feed.FirmsBase, theKey, "VIIRS_NOAA21_NRT", north, fire.Span{From: "2026-11-09", Days: 6})),
		"odd source":       second(feed.Fires(feed.FirmsBase, theKey, "../VIIRS", north, span)),
		"box inside out": second(feed.Fires(feed.FirmsBase, theKey, "VIIRS_NOAA21_NRT", feed.Box{West: 2, South: 1, East: 1, North: 2},
			span)),
		"password in base": second(feed.AirPage("https://me:secret@host", theKey, "", 0)),
		"question in base": second(feed.AirPage("https://host/?x=1", theKey, "", 0)),
		"no address":       second(feed.AirPage("host", theKey, "", 0)),
		"row below zero":   second(feed.AirPage(feed.DataGovBase, theKey, "", -1)),
		"hours backwards":  second(feed.HourlyMeans(feed.OpenAQBase, theKey, 1, tuesday, monday, 1)),
		"page nought":      second(feed.Locations(feed.OpenAQBase, theKey, north, 0)),
		"no location":      second(feed.Latest(feed.OpenAQBase, theKey, 0)),
		"no place":         second(feed.Weather(feed.MeteoBase(feed.Archive), feed.Archive, nil, monday, tuesday)),
		"fifteen days": second(feed.Weather(feed.MeteoBase(feed.Archive), feed.Archive, []feed.Place{{}}, monday,
			monday.AddDate(0, 0, 14))),
		"no model":         second(feed.Weather(feed.MeteoBase(feed.Archive), "crystal-ball", []feed.Place{{}}, monday, tuesday)),
		"no file":          second(feed.FireFile(feed.FirmsBase, fire.Sensor{Satellite: "X"}, feed.Day)),
		"a file elsewhere": second(feed.FireFile(feed.FirmsBase, fire.Sensor{File: "../../x_24h.csv"}, feed.Day)),
		"no window":        second(feed.FireFile(feed.FirmsBase, fire.Sensor{File: "x_24h.csv"}, "30d")),
	} {
		if k := fault.KindOf(err); err == nil || k == fault.Internal {
			t.Errorf("%s: got %v, want a fault", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), theKey) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the fault shows a secret: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestALatticeCoversItsBox promises that the last row and column reach the edge.
func TestALatticeCoversItsBox(t *testing.T) {
	l, err := feed.Over(feed.Around(), 0.25)
	if err != nil {
		t.Fatal(err)
	}
	// By hand: (33-26.5)/0.25+1 = 27 rows, (79.5-72)/0.25+1 = 31 columns.
	if l.Rows != 27 || l.Cols != 31 {
		t.Errorf("got %d × %d, want 27 × 31", l.Rows, l.Cols)
	}
	places := l.Places()
	if last := places[len(places)-1]; len(places) != 837 || last.Lat != 33 || last.Lon != 79.5 || last.Row != 26 || last.Col != 30 {
		t.Errorf("%d places, the last %+v", len(places), last)
	}
	if l, err = feed.Over(feed.Box{West: 0, South: 0, East: 1, North: 1}, 0.3); err != nil || l.Rows != 5 {
		t.Errorf("got %+v, %v, want 5 rows: 1/0.3 is more than 3 steps", l, err)
	}
	for _, step := range []float64{0, -1, 0.01, 100} {
		if _, err := feed.Over(feed.Around(), step); err == nil {
			t.Errorf("a step of %v was taken", step)
		}
	}
}
