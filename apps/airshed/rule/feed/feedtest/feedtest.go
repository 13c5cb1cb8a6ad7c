// Package feedtest is the services outside as loopback servers in their published
// shapes, for tests. It asks nobody: every figure was made up by hand, around whatever
// moment it is asked about. The air at Alipur is bad, the wind comes from the
// north-west, and fires burn in the south of the Punjab.
package feedtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Key is an invented key, good for every service that takes one.
const Key = "0123456789abcdef0123456789abcdef"

// The services, by the names that their sources have.
const (
	Index = "data-gov-in"
	Hours = "openaq"
	Fires = "firms"
	Looks = "firms-geostationary"
	Wind  = "open-meteo"
)

// A World is the services on one server, which counts what it is asked.
type World struct {
	*httptest.Server

	mu    sync.Mutex
	asked map[string]int
	down  map[string]bool
}

// New starts a world that ends with the test.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{asked: map[string]int{}, down: map[string]bool{}}
	mux := http.NewServeMux()
	for pattern, service := range map[string]struct {
		name   string
		answer http.HandlerFunc
	}{
		"/resource/":         {Index, index},
		"/v3/":               {Hours, hours},
		"/api/area/csv/":     {Fires, area},
		"/data/active_fire/": {Fires, fires},
		"/v1/forecast":       {Wind, wind},
	} {
		mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
			name := service.name
			if strings.Contains(r.URL.Path, "/GOES_NRT/") {
				name = Looks
			}
			if w.note(name) {
				http.Error(rw, "no such key", http.StatusForbidden) // asked again it would say the same
				return
			}
			service.answer(rw, r)
		})
	}
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

// note counts a request, and reports whether the service is down.
func (w *World) note(service string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[service]++
	return w.down[service]
}

// Asked is how many requests a service had.
func (w *World) Asked(service string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[service]
}

// Down has a service refuse everything from now on.
func (w *World) Down(service string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down[service] = true
}

// index is data.gov.in: this hour's sub-indices of Alipur and Wazirpur.
func index(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("api-key") != Key {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	at := time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute).In(time.FixedZone("IST", 19800)).Format("02-01-2006 15:04:05")
	row := func(station, place, pollutant string, n int) string {
		return fmt.Sprintf(`{"country":"India","state":"Delhi","city":"Delhi","station":"%s, Delhi - DPCC","last_update":%q,%s,"pollutant_id":%q,"min_value":"1","max_value":"%d","avg_value":"%d"}`, station, at, place, pollutant, n, n)
	}
	const alipur, wazirpur = `"latitude":"28.815329","longitude":"77.15301"`, `"latitude":"28.699793","longitude":"77.165453"`
	rows := []string{row("Alipur", alipur, "PM2.5", 430), row("Alipur", alipur, "PM10", 300), row("Alipur", alipur, "NO2", 60),
		row("Wazirpur", wazirpur, "PM2.5", 250), row("Wazirpur", wazirpur, "PM10", 220), row("Wazirpur", wazirpur, "NO2", 60)}
	fmt.Fprintf(w, `{"status":"ok","total":"6","count":"6","limit":"1000","offset":"0","updated_date":"x","records":[%s]}`,
		strings.Join(rows, ","))
}

// A level is one sensor of a station: before the last thirty hours, and in them.
type level struct {
	name, unit string
	low, high  int
}

func levels() []level {
	return []level{{"pm25", "µg/m³", 60, 340}, {"pm10", "µg/m³", 150, 380}, {"no2", "µg/m³", 40, 60}}
}

// hours is OpenAQ: Alipur and Wazirpur, three pollutants each.
func hours(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-API-Key") != Key {
		http.Error(w, `{"detail":"Unauthorized"}`, http.StatusUnauthorized)
		return
	}
	now := time.Now().UTC().Truncate(time.Hour).Add(-30 * time.Minute)
	if r.URL.Path == "/v3/locations" {
		fmt.Fprintf(w, `{"meta":{"page":1,"limit":1000,"found":2},"results":[%s,%s]}`, location(now, 1, "Alipur", 28.815329, 77.15301),
			location(now, 2, "Wazirpur", 28.699793, 77.165453))
		return
	}
	id, _ := strconv.Atoi(strings.Split(r.URL.Path, "/")[3])
	if !strings.HasSuffix(r.URL.Path, "/latest") {
		fmt.Fprintf(w, `{"meta":{"page":1,"limit":1000,"found":341},"results":[%s]}`, means(now, id))
		return
	}
	var out []string
	for i := range levels() {
		out = append(out, fmt.Sprintf(`{"datetime":{"utc":%q},"value":1,"coordinates":{},"sensorsId":%d,"locationsId":%d}`,
			now.Format(time.RFC3339), id*10+i, id))
	}
	fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(out, ","))
}

// location is a station and its sensors.
func location(now time.Time, id int, name string, lat, lon float64) string {
	var sensors []string
	for i, l := range levels() {
		sensors = append(sensors, fmt.Sprintf(`{"id":%d,"name":%q,"parameter":{"id":%d,"name":%q,"units":%q}}`, id*10+i, l.name, i+1,
			l.name, l.unit))
	}
	return fmt.Sprintf(`{"id":%d,"name":"%s, Delhi - DPCC","locality":"Delhi","country":{"code":"IN"},"provider":{"name":"CPCB"},"coordinates":{"latitude":%g,"longitude":%g},
		"sensors":[%s],"datetimeFirst":{"utc":"2018-02-21T23:30:00Z"},"datetimeLast":{"utc":%q}}`, id, name, lat, lon, strings.Join(sensors, ","), now.Format(time.RFC3339))
}

// means are two weeks of hours of one sensor.
func means(now time.Time, sensor int) string {
	l := levels()[sensor%10]
	var out []string
	for h := 340; h >= 0; h-- {
		to, v := now.Add(-time.Duration(h)*time.Hour), l.low
		if h < 30 {
			v = l.high / (sensor / 10) // Wazirpur has half
		}
		out = append(out, fmt.Sprintf(`{"value":%d,"flagInfo":{"hasFlags":false},"parameter":{"id":1,"name":%q,"units":%q},"period":{"label":"1hour","interval":"01:00:00","datetimeFrom":{"utc":%q},"datetimeTo":{"utc":%q}}}`,
			v, l.name, l.unit, to.Add(-time.Hour).Format(time.RFC3339), to.Format(time.RFC3339)))
	}
	return strings.Join(out, ",")
}

// area is FIRMS asked by key: what satellites saw that pass, or that watch.
func area(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "/GOES_NRT/") {
		looks(w, r)
		return
	}
	fires(w, r)
}

// looks is FIRMS for what watches: every evening three fires, every quarter of an hour for
// two hours by Meteosat-9, and one of them by a satellite of another continent.
func looks(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	if parts[4] != Key {
		fmt.Fprint(w, "Invalid MAP_KEY.")
		return
	}
	days, _ := strconv.Atoi(parts[7])
	first, _ := time.Parse(time.DateOnly, parts[8])
	fmt.Fprintln(w, "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,instrument,confidence,version,bright_ti5,frp,daynight")
	for d := range days {
		for k := range 9 {
			at := first.AddDate(0, 0, d).Add(11*time.Hour + time.Duration(k)*15*time.Minute)
			if at.After(time.Now()) {
				return
			}
			day, clock := at.Format(time.DateOnly), strings.TrimLeft(at.Format("1504"), "0")
			for i := range 3 {
				fmt.Fprintf(w, "%.5f,%.5f,331.2,0,0,%s,%s,Met9,,%d,1.11NRT,295.1,%.1f,D\n", 29.6+float64(i)*0.2, 75.9+float64(i)*0.2, day,
					clock, 60+i*10, 45.5+float64(k))
			}
			fmt.Fprintf(w, "29.60000,75.90000,331.2,0,0,%s,%s,Met10,,80,1.11NRT,295.1,50.0,D\n", day, clock)
		}
	}
}

// fires is FIRMS: every day twelve pixels in the south of the Punjab, by the
// satellite that is asked for. Files that need no key have no instrument.
func fires(w http.ResponseWriter, r *http.Request) {
	code, instrument, heading := "N21", ",VIIRS", ",instrument"
	if strings.Contains(r.URL.Path, "NOAA20") || strings.Contains(r.URL.Path, "J1_") {
		code = "N20"
	}
	first, days := time.Now().UTC().AddDate(0, 0, -7).Truncate(24*time.Hour), 7
	if parts := strings.Split(r.URL.Path, "/"); parts[1] == "api" {
		if parts[4] != Key {
			fmt.Fprint(w, "Invalid MAP_KEY.")
			return
		}
		days, _ = strconv.Atoi(parts[7])
		first, _ = time.Parse(time.DateOnly, parts[8])
	} else {
		instrument, heading = "", ""
	}
	fmt.Fprintf(w, "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite%s,confidence,version,bright_ti5,frp,daynight\n",
		heading)
	for d := range days {
		if day := first.AddDate(0, 0, d); day.Add(9 * time.Hour).Before(time.Now()) {
			for i := range 12 {
				fmt.Fprintf(w, "%.5f,%.5f,331.2,0.43,0.38,%s,8%02d,%s%s,n,2.0NRT,295.1,12.5,D\n", 30.2+float64(i)*0.05,
					75.1+float64(i)*0.05, day.Format(time.DateOnly), i, code, instrument)
			}
		}
	}
}

// wind is Open-Meteo: 4 m/s from the north-west, everywhere.
func wind(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	first, _ := time.Parse(time.DateOnly, q.Get("start_date"))
	last, _ := time.Parse(time.DateOnly, q.Get("end_date"))
	var times []string
	for at := first; at.Before(last.AddDate(0, 0, 1)); at = at.Add(time.Hour) {
		times = append(times, at.Format(`"2006-01-02T15:04"`))
	}
	all := func(v string) string { return "[" + strings.TrimSuffix(strings.Repeat(v+",", len(times)), ",") + "]" }
	units, hourly := `"time":"iso8601"`, `"time":[`+strings.Join(times, ",")+`]`
	for name := range strings.SplitSeq(q.Get("hourly"), ",") {
		unit, value := "m/s", "4"
		switch {
		case strings.Contains(name, "direction"):
			unit, value = "°", "315"
		case strings.Contains(name, "boundary"):
			unit, value = "m", "500"
		case strings.Contains(name, "cloud"):
			unit, value = "%", "10"
		case strings.Contains(name, "precipitation"):
			unit, value = "mm", "0"
		}
		units += fmt.Sprintf(`,%q:%q`, name, unit)
		hourly += fmt.Sprintf(`,%q:%s`, name, all(value))
	}
	lats, lons := strings.Split(q.Get("latitude"), ","), strings.Split(q.Get("longitude"), ",")
	var cells []string
	for i := range lats {
		cells = append(cells, fmt.Sprintf(`{"latitude":%s,"longitude":%s,"utc_offset_seconds":0,"timezone":"GMT","hourly_units":{%s},"hourly":{%s}}`, lats[i], lons[i], units, hourly))
	}
	fmt.Fprint(w, "["+strings.Join(cells, ",")+"]")
}
