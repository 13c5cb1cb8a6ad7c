package picture_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/platform/chart"
)

// TestAShareIsARange promises where the band and the tick of a share lie and that
// the figures stand beside it: on 660 parts for 100 percent from 10 on, Punjab's
// band goes from 10 + 660 × 0.512 to 10 + 660 × 0.78, and its tick is around 10 +
// 660 × 0.634; by hand.
func TestAShareIsARange(t *testing.T) {
	d := picture.Shares(shares(), sharesOptions("a", chart.Wide))
	all := read(t, d.SVG)
	bands := pick(all, func(e element) bool { return e.attr["class"] == "share-band" })
	ticks := pick(all, func(e element) bool { return e.attr["class"] == "share-tick" })
	if len(bands) != 4 || len(ticks) != 4 {
		t.Fatalf("%d bands and %d ticks, want 4", len(bands), len(ticks))
	}
	if b, k := bands[0].attr, ticks[0].attr; b["x"] != "347.9" || b["width"] != "176.9" || k["x"] != "426.9" {
		t.Errorf("band %v, tick %v", b, k)
	}
	for _, want := range []string{">63.4 % (51.2–78.0)<", ">outside the country<", ">not known<",
		">Punjab has the largest, 63.4 % (51.2–78.0).<"} {
		if !strings.Contains(string(d.SVG), want) {
			t.Errorf("the bars do not say %s", want)
		}
	}
	if got, want := d.Notes, []string{"Shares of the fires' influence, not of the particles in the air."}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if got, want := table(t, d, "shares").Rows[1].Cells, []string{"Haryana", "27.5", "14.0", "41.1", "1"}; !slices.Equal(got, want) {
		t.Errorf("row %q, want %q", got, want)
	}
}

// each is options with single figures of the first share.
func each(o picture.SharesOptions, figures ...float64) picture.SharesOptions {
	o.Each = [][]float64{figures}
	return o
}

// TestEveryCalculationIsALineOfItsShare promises a thin line where each calculation says
// the share is, in the drawing that shows its range: at 10 + 660 × 0.5 and 10 + 660 × 0.7,
// by hand; and in the legend what a line is.
func TestEveryCalculationIsALineOfItsShare(t *testing.T) {
	o := each(sharesOptions("a", chart.Wide), 50, 70, math.NaN())
	o.Labels.Each = "one calculation"
	d := picture.Shares(shares(), o)
	lines := pick(read(t, d.SVG), func(e element) bool { return e.attr["class"] == "share-each" })
	if len(lines) != 1 || lines[0].attr["d"] != "M340.0 16.0v18M472.0 16.0v18" {
		t.Errorf("%d, %v", len(lines), lines)
	}
	if got := d.Legend[len(d.Legend)-1].Text; got != o.Labels.Each {
		t.Errorf("the legend ends with %q", got)
	}
}

// TestMembersAreATable promises every calculation in figures, by hand.
func TestMembersAreATable(t *testing.T) {
	in := []likelihood.Member{{Turn: -12.34, Speed: 1.204, Burn: plume.Burn{Before: 3 * time.Hour, After: 6 * time.Hour},
		Shares: []float64{71.4, 20}}, {Speed: 1}}
	got := picture.Members(in, []string{"Punjab", "Haryana"}, "All", picture.MembersColumns{Member: "n"})
	want := [][]string{{"1", "−12.3", "1.20", "3", "6", "71.4", "20.0"}, {"2", "0.0", "1.00", "0", "0", "", ""}}
	for i, row := range got.Rows {
		if !slices.Equal(row.Cells, want[i]) {
			t.Errorf("%q, want %q", row.Cells, want[i])
		}
	}
	if len(got.Columns) != 7 || got.Columns[6].Title != "Haryana" {
		t.Errorf("%+v", got.Columns)
	}
}

// TestAShareThatIsNoneIsNotDrawn promises that figures out of order or none are
// listed, and no bar is made up of them.
func TestAShareThatIsNoneIsNotDrawn(t *testing.T) {
	odd := []analysis.Share{{State: "A", Low: 3, Median: 2, High: 1}, {State: "B", Low: math.NaN(), Median: 1, High: 2}}
	d := picture.Shares(odd, sharesOptions("a", chart.Wide))
	whole(t, d)
	if strings.Contains(string(d.SVG), "share-band") || table(t, d, "shares").Rows[1].Cells[2] != "not known" {
		t.Errorf("drawn: %s", d.SVG)
	}
	none := picture.Shares(nil, sharesOptions("a", chart.Wide))
	if !strings.Contains(string(none.SVG), ">No shares.<") {
		t.Error("without shares nothing says so")
	}
	many := picture.Shares(slices.Repeat(shares(), 11), sharesOptions("a", chart.Wide))
	if n := len(table(t, many, "shares").Rows); n != picture.MaxShares || !slices.Contains(many.Notes, "4 more are not drawn.") {
		t.Errorf("%d shares, %q", n, many.Notes)
	}
}

// TestADistrictIsNamedWithItsState promises that two districts of one name are told
// apart, and that how often one was first is not said of districts.
func TestADistrictIsNamedWithItsState(t *testing.T) {
	d := table(t, picture.Shares([]analysis.Share{{State: "Punjab", District: "Patiala", Low: 1, Median: 2, High: 3}},
		sharesOptions("a", chart.Wide)), "shares")
	if len(d.Columns) != 4 || !slices.Equal(d.Rows[0].Cells, []string{"Patiala, Punjab", "2.0", "1.0", "3.0"}) {
		t.Errorf("%v %q", d.Columns, d.Rows[0].Cells)
	}
}
