package outside_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// table serves rows of the air quality feed, so many at a time whatever is asked
// for, as it does for a sample key. Its numbers are text, as they are there.
func table(t *testing.T, each int) *service {
	t.Helper()
	var rows []json.RawMessage
	if err := json.Unmarshal([]byte(fixture(t, "datagov_rows.json")), &rows); err != nil {
		t.Fatal(err)
	}
	return serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		offset, err := strconv.Atoi(q.Get("offset"))
		if err != nil || q.Get("api-key") != theKey || q.Get("format") != "json" || !strings.HasPrefix(r.URL.Path, "/resource/3b01bcb8-") {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		some := rows[min(offset, len(rows)):min(offset+each, len(rows))]
		body, _ := json.Marshal(some)
		fmt.Fprintf(w, `{"status":"ok","total":"%d","count":"%d","limit":"%d","offset":"%d","updated_date":"2026-11-13T12:45:00Z","records":%s}`,
			len(rows), len(some), each, offset, body)
	})
}

// TestTheIndexIsReadPageByPage promises every row once, whatever a page holds, with
// what could not be used counted by reason.
func TestTheIndexIsReadPageByPage(t *testing.T) {
	for each, pages := range map[int]int{3: 3, 8: 1, 100: 1, 1: 8} {
		s := table(t, each)
		n, _ := network()
		got, err := outside.NewDataGov(n, outside.DataGovConfig{Base: s.URL, Key: theKey}).Indices(t.Context(), "Delhi")
		if err != nil {
			t.Fatal(err)
		}
		noKey(t, got.Snapshots)
		if len(got.Snapshots) != pages || got.Rows != 8 || got.Moved || got.Disagree != 0 {
			t.Errorf("%d a page: %d pages and %d rows, want %d and 8", each, len(got.Snapshots), got.Rows, pages)
		}
		if want := map[aqi.Drop]int{aqi.NoValue: 1, aqi.OffScale: 1, aqi.Fraction: 1}; !reflect.DeepEqual(got.Dropped, want) {
			t.Errorf("%d a page: dropped %v, want %v", each, got.Dropped, want)
		}
		// Alipur has three pollutants: its index is the greatest. Rohini has two left.
		if len(got.Reports) != 2 || got.Reports[0].Index.Value != 412 || got.Reports[1].Index.Known() {
			t.Errorf("%d a page: %+v", each, got.Reports)
		}
		// 18:00 in India is 12:30 in UTC, the end of the hour.
		if end := got.Reports[0].Last.End(); !end.Equal(time.Date(2026, 11, 13, 12, 30, 0, 0, time.UTC)) {
			t.Errorf("the hour ends at %v", end)
		}
	}
}

// TestAnIndexThatCannotBeReadIsAway promises what it costs: everything.
func TestAnIndexThatCannotBeReadIsAway(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want fault.Kind
	}{
		"an error in words": {`{"status":"error","message":"Key not authorised"}`, fault.Invalid},
		"a page":            {`<html></html>`, fault.Invalid},
		"half a page":       {`{"records":[{"state":"Del`, fault.Invalid},
		"the same again":    {`{"total":20,"records":[` + row + `]}`, fault.Unavailable},
	} {
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.body) })
		n, _ := network()
		got, err := outside.NewDataGov(n, outside.DataGovConfig{Base: s.URL, Key: theKey}).Indices(t.Context(), "")
		t.Run(name, func(t *testing.T) { isAway(t, err, origin.DataGov, tt.want) })
		if len(got.Snapshots) == 0 {
			t.Errorf("%s: what was received is not kept", name)
		}
	}
}

const row = `{"state":"Delhi","city":"Delhi","station":"Alipur, Delhi - DPCC","last_update":"13-11-2026 18:00:00","latitude":"28.8","longitude":"77.1","pollutant_id":"PM10","avg_value":"318"}`

// stations are four of the list: one is fed, one is not any more, one the archive
// has never heard of, and one that it knows has nothing.
func stations(t *testing.T) []surge.Station {
	t.Helper()
	var out []surge.Station
	for _, s := range surge.Stations() {
		switch s.Site {
		case "site_5024", "site_1427", "site_1430", "site_301":
			out = append(out, s)
		}
	}
	if len(out) != 4 {
		t.Fatalf("%d stations", len(out))
	}
	return out
}

// archive serves the three questions of OpenAQ, for Alipur with 1,003 hours of
// PM2.5, a dead second sensor of it, and a sensor of NO2 in the wrong unit.
func archive(t *testing.T) *service {
	t.Helper()
	return serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != theKey {
			http.Error(w, `{"detail":"Unauthorized"}`, http.StatusUnauthorized)
			return
		}
		switch r.URL.Path {
		case "/v3/locations":
			fmt.Fprint(w, fixture(t, "openaq_locations.json"))
		case "/v3/locations/6932/latest":
			fmt.Fprint(w, `{"results":[`+last(31, "2026-11-13T12:30:00Z")+`,`+last(30, "2024-01-01T00:00:00Z")+`,`+last(34,
				"2026-11-13T12:30:00Z")+`]}`)
		case "/v3/locations/6301/latest":
			fmt.Fprint(w, `{"results":[]}`)
		case "/v3/sensors/31/hours":
			hours(w, r, 1003, "pm25", "µg/m³")
		case "/v3/sensors/34/hours":
			hours(w, r, 5, "no2", "ppb")
		default:
			t.Errorf("asked for %s", r.URL)
			http.NotFound(w, r)
		}
	})
}

func last(sensor int, at string) string {
	return fmt.Sprintf(`{"datetime":{"utc":%q,"local":%q},"value":100,"coordinates":{},"sensorsId":%d,"locationsId":1}`, at, at, sensor)
}

// hours writes a page of the hours of a sensor, a thousand at a time.
func hours(w http.ResponseWriter, r *http.Request, n int, parameter, unit string) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	var out []string
	for i := (page - 1) * 1000; i < min(page*1000, n); i++ {
		from := time.Date(2026, 10, 1, 0, 30, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		out = append(out, fmt.Sprintf(`{"value":%d,"flagInfo":{"hasFlags":false},"parameter":{"id":2,"name":%q,"units":%q},"period":{"label":"1hour","interval":"01:00:00","datetimeFrom":{"utc":%q},"datetimeTo":{"utc":%q}}}`,
			100+i%50, parameter, unit, from.Format(time.RFC3339), from.Add(time.Hour).Format(time.RFC3339)))
	}
	fmt.Fprintf(w, `{"meta":{"page":%d,"limit":1000,"found":">1000"},"results":[%s]}`, page, strings.Join(out, ","))
}

// TestHoursAreReadOfStationsThatStillSpeak promises every hour of living sensors,
// no question to dead ones, and the reason why a station has nothing.
func TestHoursAreReadOfStationsThatStillSpeak(t *testing.T) {
	s := archive(t)
	n, _ := network()
	from, to := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 13, 0, 0, 0, 0, time.UTC)
	got, err := outside.NewOpenAQ(n, outside.OpenAQConfig{Base: s.URL, Key: theKey}).Readings(t.Context(), stations(t), from, to)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Readings) != 1003 || got.Readings[0].Site != "site_5024" || got.Readings[0].Hour.String() != "2026-10-01T00:30Z" ||
		got.Readings[1002].Amount != 102*aqi.Micro {
		t.Errorf("%d readings, the first %+v", len(got.Readings), got.Readings[0])
	}
	want := map[aqi.Site]outside.Silence{"site_1427": outside.Dead, "site_1430": outside.NotThere, "site_301": outside.Empty}
	if !reflect.DeepEqual(got.Silent, want) || got.Missed[feed.WrongUnit] != 5 {
		t.Errorf("silent %v, missed %v, want %v and 5 in the wrong unit", got.Silent, got.Missed, want)
	}
	noKey(t, got.Snapshots)
	if asked := s.requests(); len(asked) != 6 || len(got.Snapshots) != 6 {
		t.Errorf("asked %d times: %v", len(asked), asked)
	}
	for _, url := range s.requests() {
		if strings.Contains(url, theKey) {
			t.Errorf("the key is in the address %s", url)
		}
	}

	_, err = outside.NewOpenAQ(n, outside.OpenAQConfig{Base: s.URL, Key: "another"}).Readings(t.Context(), stations(t), from, to)
	isAway(t, err, origin.OpenAQ, fault.Refused)
	_, err = outside.NewOpenAQ(n, outside.OpenAQConfig{Base: s.URL, Key: theKey}).Readings(t.Context(), stations(t)[1:2], from, to)
	isAway(t, err, origin.OpenAQ, fault.NotFound)
}

// TestAnAnswerThatRepeatsTheKeyIsNotKept promises that a key which a service sends
// back is in no snapshot, though the answer could be read.
func TestAnAnswerThatRepeatsTheKeyIsNotKept(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"total":1,"records":[`+row+`],"asked":"api-key=`+theKey+`"}`)
	})
	n, _ := network()
	got, err := outside.NewDataGov(n, outside.DataGovConfig{Base: s.URL, Key: theKey}).Indices(t.Context(), "")
	isAway(t, err, origin.DataGov, fault.Invalid)
	if len(got.Snapshots) != 0 {
		t.Errorf("%d snapshots were kept", len(got.Snapshots))
	}
}
