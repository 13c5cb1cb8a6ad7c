package picture_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/platform/chart"
)

// curve is the path of one line.
func curve(t *testing.T, svg chart.SVG, class string) string {
	t.Helper()
	found := pick(read(t, svg), func(e element) bool { return e.name == "path" && e.attr["class"] == class })
	if len(found) != 1 {
		t.Fatalf("there are %d lines %s", len(found), class)
	}
	return found[0].attr["d"]
}

// TestAnHourThatIsNotKnownIsAGap promises that a line is broken where values lack,
// that every value is in it, that one alone is a dot, and that the gaps are counted.
func TestAnHourThatIsNotKnownIsAGap(t *testing.T) {
	p := episode() // without the hours 20 to 22
	p.Series[70].PM25 = nil
	d := picture.Series(p, seriesOptions("a", chart.Wide))
	own := curve(t, d.SVG, "series s1")
	if got := [2]int{strings.Count(own, "M"), strings.Count(own, "L")}; got != [2]int{3, 65} { // 20, 47 and 1 of 72 hours
		t.Errorf("the line begins and goes on %v times, want 3 and 65", got)
	}
	dots := pick(read(t, d.SVG), func(e element) bool { return strings.HasPrefix(e.attr["class"], "lone") })
	if len(dots) != 1 {
		t.Errorf("%d dots, want one for the last hour", len(dots))
	}
	if got, want := d.Notes, []string{"4 hours of the station are not known."}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if got, want := table(t, d, "hours").Rows[21].Cells, []string{"11 Nov 21:00", "not known", "101.0", "243", "no"}; !slices.Equal(got,
		want) {
		t.Errorf("row %q, want %q", got, want)
	}
	if inside := curve(t, d.SVG, "series s2 dash"); strings.Count(inside, "M") != 1 || strings.Count(inside, "L") != 71 {
		t.Error("the line of the city is broken")
	}
	holes := slices.Concat(p.Series[:5], p.Series[9:12]) // hours that are not there at all
	if got := strings.Count(curve(t, picture.Series(analysis.Picture{Series: holes}, seriesOptions("a", chart.Wide)).SVG, "series s2 dash"),
		"M"); got != 2 {
		t.Errorf("over hours that are not there the line begins %d times, want 2", got)
	}
}

// TestTheCurvesAreToScale promises where values lie: the axis of particles goes from
// 0 at 168 to 400 at 58, because the most is 342.05; 300 of the index lies three
// quarters up an axis from 262 to 196 that ends at 400; by hand.
func TestTheCurvesAreToScale(t *testing.T) {
	svg := picture.Series(episode(), seriesOptions("a", chart.Wide)).SVG
	// 168 − 110 × 90/400; 168 − 110 × 342.05/400
	if own := curve(t, svg, "series s1"); !strings.HasPrefix(own, "M39.7 143.2L") || !strings.HasSuffix(own, " 73.9") {
		t.Errorf("the line is %s", own)
	}
	refs := pick(read(t, svg), func(e element) bool { return e.attr["class"] == "ref" })
	if len(refs) != 2 || refs[0].attr["d"] != "M36.0 135.0H568.0" || refs[1].attr["d"] != "M36.0 212.5H568.0" {
		t.Errorf("thresholds %v", refs)
	}
	spans := pick(read(t, svg), func(e element) bool { return strings.HasPrefix(e.attr["class"], "span ") })
	// 72 hours on 532 parts: the episode begins 56 hours from the left, the window 48.
	if len(spans) != 2 || !strings.HasPrefix(spans[0].attr["d"], "M449.8 ") || !strings.HasPrefix(spans[1].attr["d"], "M390.7 ") ||
		!strings.HasSuffix(spans[0].attr["d"], "H568.0v6") {
		t.Errorf("episode and window %v", spans)
	}
	if n := len(pick(read(t, svg), func(e element) bool { return e.attr["class"] == "surging" })); n != 16 {
		t.Errorf("%d surge hours are marked, want 16", n)
	}
}

// TestTimesAreInOneZone promises that all times are in the zone that is asked for,
// and that it is said.
func TestTimesAreInOneZone(t *testing.T) {
	for _, tt := range []struct {
		zone        *time.Location
		name, first string // the curves begin at 18:30 UTC on the tenth
	}{
		{nil, "IST", "11 Nov 00:00"},
		{time.UTC, "UTC", "10 Nov 18:30"},
		{time.FixedZone("+03", 3*3600), "UTC+03", "10 Nov 21:30"},
	} {
		o, m := seriesOptions("a", chart.Wide), mapOptions("b", chart.Wide)
		o.Zone, m.Zone = tt.zone, tt.zone
		d := picture.Series(episode(), o)
		hours := table(t, d, "hours")
		if got := hours.Rows[0].Cells[0]; got != tt.first || hours.Columns[0].Title != "Hour from, "+tt.name ||
			!strings.Contains(string(d.SVG), ">"+tt.name+"<") {
			t.Errorf("%s: the first hour is %s, under %s", tt.name, got, hours.Columns[0].Title)
		}
		if got, want := table(t, picture.Map(episode(), m), "fires").Columns[0].Title, "Time, "+tt.name; got != want {
			t.Errorf("the map says %q, want %q", got, want)
		}
	}
	o := seriesOptions("a", chart.Wide)
	o.Months = [12]string{}
	if got, want := table(t, picture.Series(episode(), o), "hours").Rows[0].Cells[0], "11-11 00:00"; got != want {
		t.Errorf("without names of months it is %s, want %s", got, want)
	}
}

// TestNamesOfLinesDoNotLieOnEachOther promises that what stands at the ends of the
// lines can be read where the lines meet.
func TestNamesOfLinesDoNotLieOnEachOther(t *testing.T) {
	p := episode()
	for i := range p.Series {
		p.Series[i].PM25, p.Series[i].Interior = ptr(120.0), ptr(120.0)
	}
	var at []float64
	for _, e := range pick(read(t, picture.Series(p, seriesOptions("a", chart.Wide)).SVG), func(e element) bool {
		return e.attr["x"] == "574.0" && regexp.MustCompile(`Alipur|inside|120`).MatchString(e.text)
	}) {
		at = append(at, float(t, e.attr["y"]))
	}
	slices.Sort(at)
	if len(at) != 3 || at[1]-at[0] < 13 || at[2]-at[1] < 13 {
		t.Errorf("three lines at one height are named at %v", at)
	}
}

// TestAThresholdThatCannotBeIsNotDrawn promises that no axis is made for one: an
// endless axis once filled the memory.
func TestAThresholdThatCannotBeIsNotDrawn(t *testing.T) {
	for _, bad := range []float64{math.MaxFloat64, math.Inf(1), math.NaN(), -1} {
		o := seriesOptions("a", chart.Wide)
		o.HourlyAbove, o.IndexAbove = bad, math.MaxInt
		d := picture.Series(episode(), o)
		if whole(t, d); strings.Contains(string(d.SVG), `class="ref"`) {
			t.Errorf("a threshold of %v is drawn", bad)
		}
	}
}

// TestALongEpisodeHasABound promises that the last hours are drawn, and the rest is
// counted.
func TestALongEpisodeHasABound(t *testing.T) {
	p := analysis.Picture{}
	for i := range picture.MaxHours + 5 {
		p.Series = append(p.Series, analysis.Hourly{From: peak.Add(time.Duration(i) * time.Hour), PM25: ptr(100.0)})
	}
	for _, width := range []int{chart.Wide, chart.Phone} {
		d := picture.Series(p, seriesOptions("a", width))
		whole(t, d)
		if rows := table(t, d, "hours").Rows; len(rows) != picture.MaxHours || rows[len(rows)-1].Hour != "0" ||
			!slices.Contains(d.Notes, "5 earlier hours are not drawn.") {
			t.Errorf("%d hours, %q", len(rows), d.Notes)
		}
	}
	whole(t, picture.Series(analysis.Picture{}, picture.SeriesOptions{}))
}
