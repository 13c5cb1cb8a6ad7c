package madeup_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
)

// TestTheRunHasTheShapeOfARealOne promises the counts that were seen in the field.
func TestTheRunHasTheShapeOfARealOne(t *testing.T) {
	r := madeup.Make(1)
	categories := map[string]bool{}
	var rows []int
	total := 0
	for _, c := range r.Charts {
		categories[c.Category] = true
		rows = append(rows, len(c.Series))
		total += len(c.Series)
	}
	slices.Sort(rows)
	got := []int{len(r.Charts), len(categories), len(r.Scenarios), len(r.Years), total, rows[0], rows[25], rows[50]}
	if want := []int{51, 14, 3, 14, 930, 2, 15, 42}; !slices.Equal(got, want) {
		t.Errorf("charts, categories, scenarios, years, rows, fewest, median, most: got %v, want %v", got, want)
	}
	files := r.Files()
	if n := bytes.Count(files["plot_specs.json"], []byte("\n{")) + 1; n != 56 {
		t.Errorf("got %d specs, want 56", n)
	}
	if n := strings.Count(string(r.Outline()), "\n<!-- Section instructions"); n != 40 {
		t.Errorf("the outline has %d sections, want 40", n)
	}
}

func TestTheSameSeedMakesTheSameFiles(t *testing.T) {
	same := func(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }
	if !same(madeup.Make(1).Files(), madeup.Make(1).Files()) {
		t.Error("two runs of one seed differ")
	}
	if same(madeup.Make(1).Files(), madeup.Make(2).Files()) {
		t.Error("two seeds make one run")
	}
}

func TestDecimalsAreWrittenAsPlottingProgramsDo(t *testing.T) {
	for cents, want := range map[int64]string{0: "0.0", -5: "-0.05", 1200: "12.0", 1250: "12.5", -1255: "-12.55"} {
		if got := madeup.Decimal(cents); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
