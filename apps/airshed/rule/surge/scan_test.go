package surge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// TestAStationIsSetAgainstTheInterior holds comparisons computed by hand: for each
// hour the station minus the median of the controls that have a value.
func TestAStationIsSetAgainstTheInterior(t *testing.T) {
	own := measured(t, alipur, times(20, 200)...)
	e := surge.Standard().Episodes(own)[0]
	for _, tt := range []struct {
		name     string
		controls []surge.Track
		verdict  surge.Verdict
		diff     float64
		hours    int
		used     []aqi.Site
	}{
		{"none", nil, surge.Unjudged, 0, 0, nil},
		{"one below", []surge.Track{measured(t, "ito", times(20, 150)...)}, surge.Above, 50, 20, []aqi.Site{"ito"}},
		{"alike is not above", []surge.Track{measured(t, "ito", times(20, 200)...)}, surge.Local, 0, 20, []aqi.Site{"ito"}},
		// One hour of twenty is a microgram above: 0.05, which is shown as 0.1. Half of that is shown as 0.0.
		{"above by what is shown", []surge.Track{measured(t, "ito", series(times(19, 200), times(1, 199))...)}, surge.Above, 0.05, 20,
			[]aqi.Site{"ito"}},
		{"above by less than is shown", []surge.Track{measured(t, "ito", series(times(19, 200), times(1, 199))...),
			measured(t, "dtu", times(20, 200)...)},
			surge.Local, 0.025, 20, []aqi.Site{"dtu", "ito"}},
		{"the median of three", []surge.Track{measured(t, "ito", times(20, 0)...), measured(t, "dtu", times(20, 230)...),
			measured(t, "site_1430", times(20, 210)...)},
			surge.Local, -10, 20, []aqi.Site{"dtu", "ito", "site_1430"}},
		{"the middle of two", []surge.Track{measured(t, "ito", times(20, 100)...), measured(t, "dtu", times(20, 231)...)}, surge.Above,
			34.5, 20, []aqi.Site{"dtu", "ito"}},
		// Ten hours against 150, ten against the middle of 150 and 230: (10·50 + 10·10)/20.
		{"one comes later", []surge.Track{measured(t, "ito", times(20, 150)...),
			measured(t, "dtu", series(times(10, -1), times(10, 230))...)}, surge.Above, 30, 20, []aqi.Site{"dtu", "ito"}},
		{"half of the hours", []surge.Track{measured(t, "ito", series(times(10, 150), times(10, -1))...)}, surge.Above, 50, 10,
			[]aqi.Site{"ito"}},
		{"a border station is no control", []surge.Track{measured(t, "site_1426", times(20, 150)...)}, surge.Unjudged, 0, 0, nil},
		{"an index is no concentration", []surge.Track{published(t, "ito", times(20, 150)...)}, surge.Unjudged, 0, 0, nil},
	} {
		got := surge.Compare(own, e, tt.controls)
		if got.Verdict != tt.verdict || got.Difference != tt.diff || got.Hours != tt.hours || got.Of != 20 ||
			!slices.Equal(got.Controls, tt.used) || got.Unit != "µg/m³" {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
	index := published(t, alipur, times(5, 350)...)
	got := surge.Compare(index, surge.Standard().Episodes(index)[0], []surge.Track{published(t, "ito", times(5, 330)...)})
	if got.Verdict != surge.Above || got.Difference != 20 || got.Unit != "index" {
		t.Errorf("by the index: got %+v", got)
	}
}

// TestStaleStationsAreLeftOutAndCounted promises that a station whose last hour is
// more than a day ago takes no part, as a border station or as a control, and that
// it is listed.
func TestStaleStationsAreLeftOutAndCounted(t *testing.T) {
	tracks := []surge.Track{
		measured(t, alipur, times(20, 200)...),
		measured(t, "site_1426", times(44, 200)...),
		measured(t, "ito", times(20, 100)...),
		measured(t, "dtu", times(44, 150)...),
		measured(t, "site_301", times(44, 50)...),
		measured(t, "site_1560", series(times(20, 50), times(24, -1))...), // coarse particles only, for a day
		published(t, "site_1561"),
	}
	for _, tt := range []struct {
		name             string
		now              time.Time
		left             []aqi.Site
		border, interior int
		found            []aqi.Site
	}{
		{"a day after", after(44), []aqi.Site{"site_1561"}, 4, 2, []aqi.Site{"site_1426", alipur}},
		{"a second more", after(44).Add(time.Second), []aqi.Site{"ito", "site_1560", "site_1561", alipur}, 2, 1, []aqi.Site{"site_1426"}},
		{"before anything", after(0), []aqi.Site{"dtu", "ito", "site_1426", "site_1560", "site_1561", "site_301", alipur}, 0, 0, nil},
	} {
		got, err := surge.Standard().Scan(tt.now, tracks)
		if err != nil {
			t.Fatal(err)
		}
		var left, found []aqi.Site
		for _, l := range got.Left {
			left = append(left, l.Site)
		}
		for _, f := range got.Found {
			found = append(found, f.Episode.Site)
		}
		if !slices.Equal(left, tt.left) || !slices.Equal(found, tt.found) || got.Border != tt.border || got.Interior != tt.interior {
			t.Errorf("%s: left %v, found %v among %d and %d", tt.name, left, found, got.Border, got.Interior)
		}
	}
	got, _ := surge.Standard().Scan(after(44).Add(time.Second), tracks)
	if c := got.Found[0].Control; c.Difference != 50 || !slices.Equal(c.Controls, []aqi.Site{"dtu"}) {
		t.Errorf("a stale control was used: %+v", c)
	}
	if l := got.Left[3]; l.Last != first.Plus(19) || l.Role != surge.Border || got.Left[2].Last != 0 {
		t.Errorf("left out: %+v", got.Left)
	}
}

// TestAScanKeepsItsBounds promises that it refuses what it cannot answer for.
func TestAScanKeepsItsBounds(t *testing.T) {
	a := measured(t, alipur, 1)
	if _, err := surge.Standard().Scan(after(1), []surge.Track{a, a}); err == nil {
		t.Error("one station twice was taken")
	}
	if _, err := surge.Standard().Scan(after(1), make([]surge.Track, surge.MaxTracks+1)); err == nil {
		t.Error("too many stations were taken")
	}
	if _, err := (surge.Policy{}).Scan(after(1), []surge.Track{a}); err == nil {
		t.Error("a policy without thresholds was taken")
	}
	if err := surge.Standard().Check(); err != nil {
		t.Error(err)
	}
	hours, err := aqi.Collect([]aqi.Reading{{Site: "site_1", Hour: first, Amount: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := surge.FromHours(station(t, alipur), hours[0]); err == nil {
		t.Error("the hours of another station were taken")
	}
}

// TestReportsThatDisagreeLeaveNoIndex promises that the order of reports changes
// nothing and that a contradiction is not settled by chance.
func TestReportsThatDisagreeLeaveNoIndex(t *testing.T) {
	report := func(i, v int) aqi.Report {
		return aqi.Report{Last: first.Plus(i), Index: aqi.Index{Value: v}}
	}
	for _, order := range [][]aqi.Report{
		{report(0, 310), report(1, 320), report(1, 330), report(2, 340), report(2, 340), report(1, 320)},
		{report(2, 340), report(1, 330), report(1, 320), report(1, 320), report(0, 310), report(2, 340)},
	} {
		tr, err := surge.FromReports(station(t, alipur), order)
		if err != nil || tr.Index(first) != 310 || tr.Index(first.Plus(1)) != aqi.Unknown || tr.Index(first.Plus(2)) != 340 ||
			tr.Basis() != surge.IndexOnly {
			t.Errorf("got %d, %d, %d, %v", tr.Index(first), tr.Index(first.Plus(1)), tr.Index(first.Plus(2)), err)
		}
	}
	if _, err := surge.FromReports(station(t, alipur), []aqi.Report{report(0, 1), {Last: first + 1}}); err == nil {
		t.Error("reports out of step were taken")
	}
}
