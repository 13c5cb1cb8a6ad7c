// Package table is for the tables an energy model hands over: the data of a chart with years across (wide) or one value
// to a row (long), IAMC tables, tables of VEDA, and the model's raw view. Each becomes one Table of series over years, whose
// numbers stay the text that stands in the file, with the record and column where it stands.
//
// Read Read first. What such files get wrong in practice is told in diagnostics and never guessed away: a cell that is
// empty is not zero, a row that is there twice counts for nothing.
package table

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fact"
)

// A Form is how a file lays out its values.
type Form string

// The forms.
const (
	Wide        Form = "wide"         // scen, a dimension, unit, and a column for each year
	Long        Form = "long"         // a dimension, val, measure, scen: one value to a row
	View        Form = "project view" // the model's raw rows: many dimensions, year and val
	IAMCWide    Form = "iamc wide"    // model, scenario, region, variable, unit, and a column for each year
	IAMCLong    Form = "iamc long"    // the same with year and value
	Veda        Form = "veda"         // rows of VEDA: attribute, commodity, process, period, region … and PV
	AllScenario      = "all"          // the scenario of a file that has no column for it
)

// A Table is what a file holds.
type Table struct {
	Form       Form
	Columns    []string // as the header names them
	Dimensions []string // the columns that tell series apart, besides scenario, year and unit
	Years      []int    // in order; empty where values are not by year
	Scenarios  []string // in order of first appearance
	Units      []string // folded duplicates left out, in order of first appearance
	Series     []Series
	Records    int // rows of the file, the header not counted
	Decimals   int // the most that a number has
	Dropped    int // rows that were left out, see the diagnostics

	mixed bool // it holds different things whose units nobody says
}

// A Series is the values of one scenario and one thing.
type Series struct {
	Scenario string
	Labels   []string // one for each of the table's dimensions
	Unit     Unit
	Measure  string // long tables: "relative", "total"
	Cells    []Cell // by year, or the one value of a long table
}

// Label is the labels in one line.
func (s Series) Label() string { return strings.Join(s.Labels, ", ") }

// A Cell is one value where it stands.
type Cell struct {
	Year   int    // 0 where the value is not by year
	Text   string // as the file writes it, blanks around it dropped; "" is no value
	Record int    // from 1
	Column string // as the header names it
}

// Empty reports whether there is no value. That is not the same as zero.
func (c Cell) Empty() bool { return c.Text == "" }

// At is the cell of a year; empty where the series has none.
func (s Series) At(year int) Cell {
	for _, c := range s.Cells {
		if c.Year == year {
			return c
		}
	}
	return Cell{Year: year}
}

// Summable reports whether values of different series may be added: the data of a chart, all in one unit, and that no share.
// Raw tables hold wholes beside their parts, and different things in one unit.
func (t *Table) Summable() bool {
	if t.ManyUnits() || t.Form != Wide && t.Form != Long {
		return false
	}
	return !slices.ContainsFunc(t.Series, func(s Series) bool { return s.Unit.Share() })
}

// ManyUnits reports whether values are not all in one unit, or it is not known in which. No unit is one of its own.
func (t *Table) ManyUnits() bool {
	return t.mixed || slices.ContainsFunc(t.Series, func(s Series) bool {
		return s.Unit.Mixed() || !fact.SameUnit(s.Unit.String(), t.Series[0].Unit.String())
	})
}

// Rename calls scenarios by other names, as a whole project spells them.
func (t *Table) Rename(name func(string) string) diagnostic.List {
	for i := range t.Series {
		t.Series[i].Scenario = name(t.Series[i].Scenario)
	}
	var told diagnostic.List
	t.settle(&told)
	return told
}

// settle lists what the series have and leaves out those that are there twice.
func (t *Table) settle(told *diagnostic.List) {
	t.leaveOutTwins(told)
	t.Scenarios, t.Units = nil, nil
	for _, s := range t.Series {
		if !slices.Contains(t.Scenarios, s.Scenario) {
			t.Scenarios = append(t.Scenarios, s.Scenario)
		}
		for _, u := range s.Unit.names {
			if !slices.ContainsFunc(t.Units, func(v string) bool { return fact.SameUnit(u, v) }) {
				t.Units = append(t.Units, u)
			}
		}
	}
}

// leaveOutTwins drops values that stand in the file twice: neither can be told to be the right one.
func (t *Table) leaveOutTwins(told *diagnostic.List) {
	seen := map[string]Cell{}
	twin := map[string]bool{}
	key := func(s Series, c Cell) string {
		return strings.Join(append([]string{s.Scenario, fact.FoldUnit(s.Unit.String()), year(c.Year)}, s.Labels...), "\x00")
	}
	for _, s := range t.Series {
		for _, c := range s.Cells {
			k := key(s, c)
			if first, ok := seen[k]; ok && !twin[k] {
				twin[k] = true
				told.Add("D005", diagnostic.Error, 0,
					"records %d and %d are both %s of %s: neither is used", first.Record, c.Record, s.Label(), s.Scenario)
			}
			seen[k] = c
		}
	}
	if len(twin) == 0 {
		return
	}
	var kept []Series
	for _, s := range t.Series {
		before := len(s.Cells)
		s.Cells = slices.DeleteFunc(slices.Clone(s.Cells), func(c Cell) bool { return twin[key(s, c)] })
		if len(s.Cells) > 0 {
			kept = append(kept, s)
		} else if before > 0 {
			t.Dropped++
		}
	}
	t.Series = kept
}
