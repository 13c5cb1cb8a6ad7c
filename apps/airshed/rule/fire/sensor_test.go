package fire_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestDeadSatelliteIsNotAsked promises that after Suomi-NPP's last day only those
// are asked that serve, and before NOAA-21 only those that did. The days are the
// operators' announcements.
func TestDeadSatelliteIsNotAsked(t *testing.T) {
	for day, want := range map[string][]fire.Satellite{
		"2026-11-15": {"NOAA-21", "NOAA-20"},
		"2026-10-31": {"NOAA-21", "NOAA-20"},
		"2023-11-05": {"NOAA-20"},
	} {
		var got []fire.Satellite
		for _, s := range known(t).Wanted(day).Sensors {
			got = append(got, s.Satellite)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", day, got, want)
		}
	}
	npp, _ := known(t).Sensor("Suomi-NPP")
	if !npp.Serves("2026-11-01") || npp.Serves("2026-11-03") {
		t.Error("Suomi-NPP serves until the first days of November 2026")
	}
	if s, _ := known(t).Sensor("NOAA-21"); s.Final != "" {
		t.Errorf("there is no final processing of NOAA-21, got %s", s.Final)
	}
}

// TestPowerFollowsTheSatellitesFactor promises that power is the product, and not
// a number for a satellite nobody knows.
func TestPowerFollowsTheSatellitesFactor(t *testing.T) {
	c := fire.Constellation{Sensors: []fire.Sensor{{Satellite: "NOAA-21", Factor: 0.9}}}
	if got := c.Power(seen("NOAA-21", 0, 0, 20)); got != 18 {
		t.Errorf("got %v, want 18", got)
	}
	if got := c.Power(seen("NOAA-20", 0, 0, 20)); !math.IsNaN(got) {
		t.Errorf("got %v, want not a number", got)
	}
}

// TestAmbiguousListIsRefused promises that no list is used that could count a row
// for the wrong satellite.
func TestAmbiguousListIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*fire.Constellation){
		"one code, two satellites": func(c *fire.Constellation) { c.Sensors[0].Codes = []string{"n20"} },
		"one satellite twice":      func(c *fire.Constellation) { c.Sensors[0].Satellite = "NOAA-20" },
		"no code":                  func(c *fire.Constellation) { c.Sensors[0].Codes = nil },
		"other camera":             func(c *fire.Constellation) { c.Sensors[0].Instrument = "OLI" },
		"no factor":                func(c *fire.Constellation) { c.Sensors[0].Factor = 0 },
		"no day":                   func(c *fire.Constellation) { c.Sensors[0].From = "soon" },
		"ends before it began":     func(c *fire.Constellation) { c.Sensors[0].Until = "2001-01-01" },
		"no hour":                  func(c *fire.Constellation) { c.Sensors[0].Crossings = []string{"1:30"} },
		"five hours a day":         func(c *fire.Constellation) { c.Sensors[0].Crossings = slices.Repeat([]string{"01:30"}, 5) },
		"no source":                func(c *fire.Constellation) { c.Sensors[0].Preliminary = "" },
		"no name":                  func(c *fire.Constellation) { c.Sensors[0].Satellite = "" },
		"none":                     func(c *fire.Constellation) { c.Sensors = nil },
		"no version":               func(c *fire.Constellation) { c.Version = "" },
	} {
		c := known(t)
		spoil(&c)
		file, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fire.ReadConstellation(file); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
	if _, err := fire.ReadConstellation([]byte(`{"version":"1","sensors":[],"x":1}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown field: got %v, want it refused", err)
	}
}

// FuzzReadConstellation promises that a list that is taken can be written and is
// taken again.
func FuzzReadConstellation(f *testing.F) {
	c, err := fire.Known()
	if err != nil {
		f.Fatal(err)
	}
	file, err := json.Marshal(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := fire.ReadConstellation(file)
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fire.ReadConstellation(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

// TestRequestsCoverEveryDayOnce promises whole UTC days, at most five to a
// request. A day in India touches two of them. Computed by hand.
func TestRequestsCoverEveryDayOnce(t *testing.T) {
	at := func(s string) time.Time {
		out, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		from, to string
		want     []fire.Span
	}{
		{"2026-11-13T00:00:00+05:30", "2026-11-14T00:00:00+05:30", []fire.Span{{From: "2026-11-12", Days: 2}}},
		{"2026-11-12T00:00:00Z", "2026-11-13T00:00:00Z", []fire.Span{{From: "2026-11-12", Days: 1}}},
		{"2026-10-30T12:00:00Z", "2026-11-10T00:00:00Z", []fire.Span{{From: "2026-10-30", Days: 5}, {From: "2026-11-04", Days: 5},
			{From: "2026-11-09", Days: 1}}},
	} {
		got, err := fire.Spans(at(tt.from), at(tt.to))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s to %s: got %v, %v, want %v", tt.from, tt.to, got, err, tt.want)
		}
	}
	for _, tt := range [][2]string{{"2026-11-12T00:00:00Z", "2026-11-12T00:00:00Z"}, {"2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z"}} {
		if got, err := fire.Spans(at(tt[0]), at(tt[1])); err == nil {
			t.Errorf("%v: got %v, want it refused", tt, got)
		}
	}
}

// TestSeasonsOfDifferentSatellitesAreNotCompared promises that a count which fell
// because a satellite did is not taken for fewer fires.
func TestSeasonsOfDifferentSatellitesAreNotCompared(t *testing.T) {
	c := known(t)
	some := func(names ...fire.Satellite) fire.Constellation {
		var out fire.Constellation
		for _, n := range names {
			s, _ := c.Sensor(n)
			out.Sensors = append(out.Sensors, s)
		}
		return out
	}
	ds := []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("Suomi-NPP", 5, 0, 4)}
	last, now := some("NOAA-20", "Suomi-NPP").Count(ds), some("NOAA-20", "NOAA-21").Count(ds)
	err := c.Comparable(last, now)
	if _, next := fault.Words(err); !fault.Is(err, fault.Conflict) || !strings.Contains(next, "NOAA-20 alone") {
		t.Errorf("got %v, %q, want a conflict and NOAA-20 alone", err, next)
	}
	if err := c.Comparable(nil, some("NOAA-21").Count(nil)); !fault.Is(err, fault.Conflict) {
		t.Errorf("nobody's count against NOAA-21's: got %v, want a conflict", err)
	}
	if err := c.Comparable(now, some("NOAA-21", "NOAA-20").Count(nil)); err != nil {
		t.Errorf("the same satellites in another order: %v", err)
	}
}
