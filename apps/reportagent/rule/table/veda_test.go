package table_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// TestTablesOfVedaAreReadExactly promises every value of a run as it was drawn, in whole hundredths, under its vintage and year, from the
// solver's file and from a batch export alike.
func TestTablesOfVedaAreReadExactly(t *testing.T) {
	run := madeup.Veda(7, "VAR_FOut")
	for name, file := range map[string]string{"vd": string(run.VD()), "batch": string(run.Batch()),
		"vd with a mark": "\xef\xbb\xbf" + string(run.VD())} {
		got, told := read(t, file, table.Hints{Unit: "PJ"})
		if got.Form != table.Veda || got.Records != len(run.Rows) || got.Dropped != 1 ||
			!slices.Equal(got.Scenarios, []string{madeup.Deep}) {
			t.Errorf("%s: got %s, %d records, %d dropped, %v", name, got.Form, got.Records, got.Dropped, got.Scenarios)
		}
		if dims := strings.Join(got.Dimensions, " "); dims != "Attribute Commodity Process Region Vintage TimeSlice" {
			t.Errorf("%s: series by %s", name, dims)
		}
		if codes := slices.Compact(told.Codes()); !slices.Contains(codes, "D013") || slices.Contains(codes, "D012") != (name == "batch") ||
			slices.Contains(codes, "D008") || slices.Contains(codes, "D005") {
			t.Errorf("%s: told %v", name, codes)
		}
		if got.Summable() || got.Decimals != 6 {
			t.Errorf("%s: summable %v, %d decimals", name, got.Summable(), got.Decimals)
		}
		asDrawn(t, name, run, got)
	}
}

// asDrawn compares every value with what was drawn.
func asDrawn(t *testing.T, name string, run madeup.VedaRun, got *table.Table) {
	t.Helper()
	values := 0
	for _, s := range got.Series {
		for _, c := range s.Cells {
			values++
			r := run.Rows[c.Record-1]
			want := big.NewRat(r.Cents, 100)
			if r.Small {
				want.Quo(want, big.NewRat(10_000, 1))
			}
			v, err := fact.ParseNumber(c.Text)
			labels := []string{r.Attribute, r.Commodity, r.Process, r.Region, r.Vintage, r.TimeSlice}
			if err != nil || v.Cmp(want) != 0 || c.Year != r.Period || !slices.Equal(s.Labels, labels) {
				t.Errorf("%s, record %d: got %s of %v in %d, want %s of %v in %d", name, c.Record, c.Text, s.Labels, c.Year,
					want.FloatString(6), labels, r.Period)
			}
		}
	}
	if values != len(run.Rows)-1 {
		t.Errorf("%s: got %d values of %d", name, values, len(run.Rows)-1)
	}
}

// TestDifferentThingsWithoutUnitsAreNotCompared promises that capacities beside flows are told of, and never put side by side.
func TestDifferentThingsWithoutUnitsAreNotCompared(t *testing.T) {
	const head = "Scenario,Attribute,Commodity,Process,Period,Region,PV\n"
	got, told := read(t, head+"A,VAR_Cap,-,P1,2030,N,1\nA,VAR_FOut,ELC,P1,2030,N,31.5\n", table.Hints{})
	if !got.ManyUnits() || !slices.Contains(told.Codes(), "D014") || slices.Contains(told.Codes(), "D006") {
		t.Errorf("two attributes: many %v, told %v", got.ManyUnits(), told)
	}
	got, told = read(t, head+"A,VAR_Cap,-,P1,2030,N,1\nA,VAR_Cap,-,P2,2030,N,31.5\n", table.Hints{})
	if got.ManyUnits() || slices.Contains(told.Codes(), "D014") || strings.Join(got.Dimensions, " ") != "Attribute Process Region" {
		t.Errorf("one attribute: many %v by %v, told %v", got.ManyUnits(), got.Dimensions, told)
	}
}

// TestAPreambleThatNamesNoColumnsIsNone promises that a table whose first column begins with an asterisk stays what it is.
func TestAPreambleThatNamesNoColumnsIsNone(t *testing.T) {
	got, _ := read(t, "*scen,k,unit,2025\nA,x,PJ,1\n", table.Hints{})
	if got.Form != table.Wide || got.Columns[0] != "*scen" || got.Records != 1 {
		t.Errorf("got %+v", got)
	}
	if _, _, err := table.Read([]byte("*Dimensions- Attribute;Commodity;Process;Period;PV"), table.Hints{}); err == nil {
		t.Error("a preamble without an end was read")
	}
}
