package outside_test

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// sky serves weather for whatever places and days are asked: everywhere a wind of
// the place's latitude in metres a second from the west, and cloud of the hour in
// percent. Cells lie a hundredth of a degree off.
func sky(t *testing.T, unit string) *service {
	t.Helper()
	return serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		first, err1 := time.Parse(time.DateOnly, q.Get("start_date"))
		last, err2 := time.Parse(time.DateOnly, q.Get("end_date"))
		if err1 != nil || err2 != nil || q.Get("wind_speed_unit") != "ms" || q.Get("timezone") != "GMT" {
			t.Errorf("asked %s", r.URL)
		}
		lats, lons := strings.Split(q.Get("latitude"), ","), strings.Split(q.Get("longitude"), ",")
		var times, clouds, ones, wests, mixed []string
		for at := first; at.Before(last.AddDate(0, 0, 1)); at = at.Add(time.Hour) {
			times, clouds = append(times, at.Format(`"2006-01-02T15:04"`)), append(clouds, strconv.Itoa(at.Hour()))
			ones, wests, mixed = append(ones, "LAT"), append(wests, "270"), append(mixed, "700")
		}
		var cells []string
		for i := range lats {
			speeds := strings.ReplaceAll(strings.Join(ones, ","), "LAT", lats[i])
			lat, _ := strconv.ParseFloat(lats[i], 64)
			cells = append(cells, fmt.Sprintf(`{"latitude":%g,"longitude":%s,"utc_offset_seconds":0,"timezone":"GMT","location_id":%d,
				"hourly_units":{"time":"iso8601","wind_speed_10m":%q,"wind_direction_10m":"°","boundary_layer_height":"m","cloud_cover":"%%"},
				"hourly":{"time":[%s],"wind_speed_10m":[%s],"wind_direction_10m":[%s],"boundary_layer_height":[%s],"cloud_cover":[%s]}}`,
				lat+0.01, lons[i], i, unit, strings.Join(times, ","), speeds, strings.Join(wests, ","), strings.Join(mixed, ","),
				strings.Join(clouds, ",")))
		}
		if len(cells) == 1 {
			fmt.Fprint(w, cells[0])
			return
		}
		fmt.Fprint(w, "["+strings.Join(cells, ",")+"]")
	})
}

func weather(t *testing.T, s *service) *outside.OpenMeteo {
	t.Helper()
	n, _ := network()
	return outside.NewOpenMeteo(n, outside.MeteoConfig{Bases: map[feed.Model]string{feed.Archive: s.URL + "/v1/archive"}})
}

// TestWindIsAskedForInPieces promises one wind over all places and hours, however
// many requests it took. 3 × 17 places at 50 a request, the last alone, and 15 days
// at 14 a request are four.
func TestWindIsAskedForInPieces(t *testing.T) {
	s := sky(t, "m/s")
	l, err := feed.Over(feed.Box{West: 73, South: 28, East: 77, North: 28.5}, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	got, err := weather(t, s).Weather(t.Context(), feed.Archive, l, thursday.Add(5*time.Hour), thursday.AddDate(0, 0, 14).Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	noKey(t, got.Snapshots)
	if len(s.requests()) != 4 || len(got.Snapshots) != 4 || len(got.Cells) != 51 || got.Cells[50].Hours != 15*24 ||
		math.Abs(got.Offset-0.01) > 1e-9 {
		t.Fatalf("%d requests, %d cells, offset %v", len(s.requests()), len(got.Cells), got.Offset)
	}
	w, err := got.Wind()
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Grid()
	if err != nil {
		t.Fatal(err)
	}
	f, ok := g.Field(wind.M10)
	if !ok {
		t.Fatal("no wind at 10 m")
	}
	at := wind.Hours(thursday.AddDate(0, 0, 14).Add(20 * time.Hour))
	if u, v, ok := f.At(28.25, 76.9, at); !ok || math.Abs(u-28.25) > 0.01 || math.Abs(v) > 0.01 {
		t.Errorf("wind %v, %v, %t, want 28.25 eastwards", u, v, ok)
	}
	if h, ok := g.MixingAt(28.25, 76.9, at); !ok || h != 700 {
		t.Errorf("mixing height %v, %t", h, ok)
	}
	clouds := got.Cloud([]time.Time{thursday.Add(8*time.Hour + 20*time.Minute), thursday.AddDate(1, 0, 0)})
	if len(clouds) != 5 || clouds[0].Fraction != 0.08 { // a degree apart: one row of five
		t.Errorf("clouds %+v", clouds)
	}
}

// TestWeatherThatDoesNotFitIsAway promises that a wrong unit, a wrong number of
// places or words of the service make a fault, and no wind.
func TestWeatherThatDoesNotFitIsAway(t *testing.T) {
	l, err := feed.Over(feed.Box{West: 77, South: 28, East: 77.25, North: 28.25}, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	answers := func(code int, body string) *service {
		return serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		})
	}
	for name, tt := range map[string]struct {
		s    *service
		says string
	}{
		"kilometres an hour": {sky(t, "km/h"), `in "km/h", not in m/s`},
		"one for four": {answers(200, `{"latitude":28.25,"longitude":77,"hourly_units":{"wind_speed_10m":"m/s","wind_direction_10m":"°"},
			"hourly":{"time":["2026-11-12T00:00"],"wind_speed_10m":[1],"wind_direction_10m":[1]}}`), "asked about 4 places it answers of 1"},
		"refused": {answers(400, `{"error":true,"reason":"Parameter 'start_date' is out of allowed range"}`),
			"out of allowed range"},
		"an error with 200": {answers(200, `{"error":true,"reason":"no such place"}`), "no such place"},
	} {
		got, err := weather(t, tt.s).Weather(t.Context(), feed.Archive, l, thursday, friday)
		t.Run(name, func(t *testing.T) { isAway(t, err, origin.Meteo, fault.Invalid) })
		if text, _ := fault.Words(err); !strings.Contains(text, tt.says) {
			t.Errorf("%s: said %s", name, text)
		}
		if _, err := got.Wind(); err == nil {
			t.Errorf("%s: there is a wind", name)
		}
	}
	if _, err := weather(t, sky(t, "m/s")).Weather(t.Context(), feed.Archive, l, friday, thursday); !fault.Is(err, fault.Invalid) {
		t.Errorf("backwards: %v", err)
	}
}
