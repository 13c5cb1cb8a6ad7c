package feed_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestWeatherIsReadPlaceByPlace promises where the air goes, computed by hand, and
// that nulls and impossible values are missing and not nought.
func TestWeatherIsReadPlaceByPlace(t *testing.T) {
	cells, err := feed.ParseWeather(fixture(t, "meteo_two_places.json"), feed.MetresASecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 2 {
		t.Fatalf("%d cells", len(cells))
	}
	c := cells[0]
	if c.Lat != 28.75 || c.Lon != 77 || c.Hours != 3 || !c.Start.Equal(time.Date(2026, 11, 13, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("cell %+v", c)
	}
	w := c.Wind[wind.M10] // 4 m/s from the north-west go south-east: 4/√2 each way
	if !near(w.U[0], 4/math.Sqrt2) || !near(w.V[0], -4/math.Sqrt2) || !math.IsNaN(w.U[1]) || !near(w.U[2], 3) || !near(w.V[2], 0) {
		t.Errorf("wind at 10 m: %v", w)
	}
	w = c.Wind[wind.M100] // halfway between 80 and 120 m
	// 2 m/s from north and 2 m/s from south are none; from 350° and from 10° they
	// go south with 2 cos 10°. A mean of the directions would be 90° and 180°.
	if !c.Between || !near(w.U[0], 0) || !near(w.V[0], 0) || !near(w.U[1], 0) || !near(w.V[1], -2*math.Cos(10*math.Pi/180)) ||
		!near(w.U[2], 2) {
		t.Errorf("wind at 100 m: %v", w)
	}
	w = c.Wind[wind.P925] // 900 m/s is a fill value, 370° no direction
	if !math.IsNaN(w.U[0]) || !math.IsNaN(w.U[1]) || math.IsNaN(w.U[2]) || c.Refused != 2 {
		t.Errorf("wind at 925 hPa: %v, %d refused", w, c.Refused)
	}
	if c.Mixing[0] != 500 || !math.IsNaN(c.Mixing[1]) || c.Cloud[0] != 0.4 || c.Cloud[2] != 1 || c.Rain[2] != 0.2 {
		t.Errorf("mixing %v, cloud %v, rain %v", c.Mixing, c.Cloud, c.Rain)
	}
	if cells[1].Mixing != nil || len(cells[1].Wind) != 1 {
		t.Errorf("the second cell knows more than it was told: %+v", cells[1])
	}
	at := time.Date(2026, 11, 13, 0, 20, 0, 0, time.UTC)
	if f, ok := feed.CloudAt(cells, at); !ok || !near(f, 0.5) { // (0.4+0.6)/2
		t.Errorf("cloud %v, %t", f, ok)
	}
	if f, ok := feed.CloudAt(cells, at.Add(time.Hour)); !ok || !near(f, 0.2) { // only one knows
		t.Errorf("cloud %v, %t", f, ok)
	}
	if _, ok := feed.CloudAt(cells, at.AddDate(0, 0, 1)); ok {
		t.Error("cloud of a day nobody told of")
	}
}

const oneHour = `{"latitude":28.8,"longitude":77.1,"utc_offset_seconds":OFFSET,"hourly_units":{"time":"iso8601","wind_speed_10m":"UNIT","wind_direction_10m":"°"},
	"hourly":{"time":["2026-11-13T05:00","2026-11-13T06:00"],"wind_speed_10m":[36,18],"wind_direction_10m":[270,90]}}`

func answer(offset, unit string) []byte {
	return []byte(strings.NewReplacer("OFFSET", offset, "UNIT", unit).Replace(oneHour))
}

// TestSpeedsMustBeInTheUnitDeclared promises that kilometres an hour, which come
// when nobody asks, are never taken for metres a second.
func TestSpeedsMustBeInTheUnitDeclared(t *testing.T) {
	for _, tt := range []struct {
		said     string
		declared feed.SpeedUnit
		want     float64 // of the first hour; 0 is refused
	}{
		{"m/s", feed.MetresASecond, 36},
		{"km/h", feed.KilometresAnHour, 10},
		{"km/h", feed.MetresASecond, 0},
		{"m/s", feed.KilometresAnHour, 0},
		{"kn", feed.MetresASecond, 0},
		{"", feed.MetresASecond, 0},
		{"kn", "kn", 0},
	} {
		cells, err := feed.ParseWeather(answer("0", tt.said), tt.declared)
		switch {
		case tt.want == 0 && err == nil:
			t.Errorf("%s declared as %s was read", tt.said, tt.declared)
		case tt.want != 0 && (err != nil || !near(cells[0].Wind[wind.M10].U[0], tt.want)):
			t.Errorf("%s declared as %s: %v, %v", tt.said, tt.declared, cells, err)
		}
	}
}

// TestHoursOfTheWeatherAreUTC promises that an answer in India's time is moved.
func TestHoursOfTheWeatherAreUTC(t *testing.T) {
	cells, err := feed.ParseWeather(answer("19800", "m/s"), feed.MetresASecond)
	if err != nil || !cells[0].Start.Equal(time.Date(2026, 11, 12, 23, 30, 0, 0, time.UTC)) { // 05:00 less 5:30
		t.Errorf("got %v, %v", cells, err)
	}
}

// TestWeatherThatIsNoneIsRefused promises a fault for anything else.
func TestWeatherThatIsNoneIsRefused(t *testing.T) {
	good := string(answer("0", "m/s"))
	for name, body := range map[string]string{
		"nothing":         "",
		"no place":        `{"hourly":{"time":["2026-11-13T05:00"]}}`,
		"no list":         `[]`,
		"an error":        `{"error":true,"reason":"Latitude must be in range of -90 to 90."}`,
		"a page":          `<html></html>`,
		"a gap":           strings.Replace(good, "T06:00", "T07:00", 1),
		"no hours":        `{"latitude":1,"longitude":1,"hourly":{}}`,
		"unix times":      strings.Replace(good, `"2026-11-13T05:00","2026-11-13T06:00"`, `1763010000,1763013600`, 1),
		"a short column":  strings.Replace(good, "[270,90]", "[270]", 1),
		"text for number": strings.Replace(good, "[270,90]", `["270","90"]`, 1),
		"no direction":    strings.Replace(good, `"wind_direction_10m":[270,90]`, `"x":[1,1]`, 1),
		"no wind":         `{"latitude":28.8,"longitude":77.1,"hourly_units":{"cloud_cover":"%"},"hourly":{"time":["2026-11-13T05:00"],"cloud_cover":[1]}}`,
		"off the globe":   strings.Replace(good, "28.8", "128.8", 1),
		"two answers":     good + good,
		"far offset":      string(answer("999999", "m/s")),
	} {
		if got, err := feed.ParseWeather([]byte(body), feed.MetresASecond); err == nil {
			t.Errorf("%s was read as %+v", name, got)
		}
	}
}

// TestCellsFillTheirLattice promises that wind stands where it was asked for, with
// how far off the model's cell was, and that an answer about somewhere else, or
// about other hours, is refused.
func TestCellsFillTheirLattice(t *testing.T) {
	l, err := feed.Over(feed.Box{West: 77, South: 28.5, East: 77.25, North: 28.75}, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	var cells []feed.Cell
	for i, p := range l.Places() {
		got, err := feed.ParseWeather(answer("0", "m/s"), feed.MetresASecond)
		if err != nil {
			t.Fatal(err)
		}
		got[0].Lat, got[0].Lon = p.Lat+0.01, p.Lon-0.03
		got[0].Wind[wind.M10].U[0] = float64(i)
		cells = append(cells, got[0])
	}
	shape, offset, err := l.Shape(cells)
	if err != nil || !near(offset, 0.03) {
		t.Fatalf("offset %v, %v", offset, err)
	}
	over := func() wind.Field {
		g, err := wind.New(shape)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Fill(cells, g); err != nil {
			t.Fatal(err)
		}
		f, ok := g.Field(wind.M10)
		if !ok {
			t.Fatal("no wind at 10 m")
		}
		return f
	}
	at := wind.Hours(cells[0].Start)
	if u, v, ok := over().At(28.75, 77.25, at); !ok || math.Abs(u-3) > 1e-6 || math.Abs(v) > 1e-6 {
		t.Errorf("at the north-east corner %v, %v, %t, want 3, 0", u, v, ok)
	}
	cells[3].Wind[wind.M10].U[1] = math.NaN()
	if _, _, ok := over().At(28.7, 77.2, at+1); ok {
		t.Error("a wind was made up where a corner is missing")
	}

	moved := append([]feed.Cell(nil), cells...)
	moved[2].Lat++
	if _, _, err := l.Shape(moved); err == nil {
		t.Error("an answer about somewhere else was taken")
	}
	moved[2] = cells[2]
	moved[1].Start = moved[1].Start.Add(time.Hour)
	if _, _, err := l.Shape(moved); err == nil {
		t.Error("answers of different hours were put together")
	}
	if _, _, err := l.Shape(cells[:3]); err == nil {
		t.Error("three answers for four places")
	}
}

// TestAnswersOfFollowingDaysAreJoined promises one cell of all hours, and a fault
// where they do not follow.
func TestAnswersOfFollowingDaysAreJoined(t *testing.T) {
	read := func() feed.Cell {
		cells, err := feed.ParseWeather(answer("0", "m/s"), feed.MetresASecond)
		if err != nil {
			t.Fatal(err)
		}
		return cells[0]
	}
	a, b := read(), read()
	b.Start = b.Start.Add(2 * time.Hour)
	got, err := a.Join(b)
	if u := got.Wind[wind.M10].U; err != nil || got.Hours != 4 || len(u) != 4 || !near(u[2], 36) || !near(u[3], -18) {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(a.Wind[wind.M10].U) != 2 {
		t.Error("the first answer was changed")
	}
	b.Start = b.Start.Add(time.Hour)
	if _, err := a.Join(b); err == nil {
		t.Error("a gap was joined")
	}
}

// FuzzParseWeather promises that whatever is read has all its hours, and no wind
// that no weather has.
func FuzzParseWeather(f *testing.F) {
	f.Add(fixture(f, "meteo_two_places.json"), false)
	f.Add(answer("19800", "km/h"), true)
	f.Fuzz(func(t *testing.T, body []byte, kmh bool) {
		unit := feed.MetresASecond
		if kmh {
			unit = feed.KilometresAnHour
		}
		cells, _ := feed.ParseWeather(body, unit)
		for _, c := range cells {
			for l, w := range c.Wind {
				if len(w.U) != c.Hours || len(w.V) != c.Hours {
					t.Errorf("%s: %d and %d of %d hours", l, len(w.U), len(w.V), c.Hours)
				}
				for i := range w.U {
					if math.Hypot(w.U[i], w.V[i]) > wind.Fastest+1e-9 {
						t.Errorf("%s: %v, %v", l, w.U[i], w.V[i])
					}
				}
			}
		}
	})
}
