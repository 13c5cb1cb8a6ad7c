package summary

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/plotspec"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// Ids of subjects, besides the platform's own and the chart's dimensions.
const (
	ChartID    = "chart"
	ScenarioID = "scenario"
	UnitID     = "unit"   // only where a chart has several
	TargetID   = "target" // a point drawn into a chart
)

// work is the summing up of one chart. The first error ends it; what follows computes nothing.
type work struct {
	book     *fact.Book
	chart    *catalogue.Chart
	t        *table.Table
	decimals int
	body     *Body
	many     bool                // values are in several units
	base     string              // the year that changes are measured from
	dims     []string            // ids of the table's dimensions
	cells    []map[int]fact.Fact // by series, then year
	totals   map[string]*line    // by scenario: what speaks for the whole chart
	parts    map[string][]*line  // by scenario: the series that make up the total
	found    []Insight
	err      error
}

// A line is one thing over the years. A value that is not by year stands under year 0.
type line struct {
	name    string
	at      map[int]fact.Fact
	skipped map[int][]string // of a total: who had no value
	share   bool             // values are parts of a whole
}

// value is the number of a fact.
func value(f fact.Fact) *big.Rat {
	n, err := f.Number()
	if err != nil {
		return new(big.Rat) // a book holds only facts whose value can be read
	}
	return n
}

// derive computes a fact.
func (w *work) derive(op fact.Op, inputs ...fact.Fact) fact.Fact {
	if w.err != nil {
		return fact.Fact{}
	}
	ids := make([]fact.ID, len(inputs))
	for i, f := range inputs {
		ids[i] = f.ID
	}
	f, err := w.book.Derive(op, Code, ids...)
	w.err = err
	return f
}

// first derives with one of the inputs in front of the others.
func (w *work) first(op fact.Op, i int, inputs []fact.Fact) fact.Fact {
	rest := slices.Delete(slices.Clone(inputs), i, i+1)
	return w.derive(op, append([]fact.Fact{inputs[i]}, rest...)...)
}

// DimensionIDs are the ids under which subjects name the values of a table's dimensions, one for each, no two alike.
func DimensionIDs(columns []string) []string {
	taken := []string{ChartID, ScenarioID, UnitID, TargetID, fact.YearID, fact.ChangeID}
	var out []string
	for _, column := range columns {
		id := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, strings.ToLower(strings.TrimSpace(column)))
		if id == "" || id[0] < 'a' || id[0] > 'z' || slices.Contains(taken, id) {
			id = "by_" + id
		}
		id = id[:min(len(id), 36)]
		name := id
		for n := 2; slices.Contains(taken, name) || slices.Contains(out, name); n++ {
			name = id + "_" + strconv.Itoa(n)
		}
		out = append(out, name)
	}
	return out
}

// observe enters every cell of the table that has a value.
func (w *work) observe() {
	w.cells = make([]map[int]fact.Fact, len(w.t.Series))
	for i, s := range w.t.Series {
		w.cells[i] = map[int]fact.Fact{}
		for _, c := range s.Cells {
			if !c.Empty() && w.err == nil {
				w.cells[i][c.Year] = w.cell(s, c)
			}
		}
	}
}

// cell makes a fact of one cell.
func (w *work) cell(s table.Series, c table.Cell) fact.Fact {
	ids := map[string]string{ChartID: w.chart.Key}
	put := func(id, value string) {
		if value != "" {
			ids[id] = value
		}
	}
	put(ScenarioID, s.Scenario)
	year, level := baselineYear(s)
	if level {
		put(fact.YearID, year)
	} else {
		for i, id := range w.dims {
			put(id, s.Labels[i])
		}
	}
	if c.Year != 0 {
		put(fact.YearID, yearText(c.Year))
	} else if w.base != "" && !level {
		put(fact.ChangeID, w.base)
	}
	if w.many {
		put(UnitID, cmp.Or(fact.FoldUnit(s.Unit.String()), "none"))
	}
	var names []string
	if label := s.Label(); label != "" && len(label) <= 400 {
		names = []string{label}
	}
	return w.add(fact.Reading{Kind: fact.Observed, Number: c.Text, Unit: s.Unit.String(), Decimals: w.decimals,
		Subject: fact.Subject{Type: "series", IDs: ids, Names: fact.Names{EN: names}},
		Source:  fact.Source{Snapshot: w.chart.Digest, Selector: fact.Selector{CSV: &fact.CSVCell{Row: c.Record, Column: c.Column}}}})
}

func (w *work) add(r fact.Reading) fact.Fact {
	f, err := fact.Read(r)
	if err == nil {
		f, err = w.book.Add(f)
	}
	w.err = err
	return f
}

// target makes a fact of a point that the spec draws into the chart.
func (w *work) target(s *plotspec.Spec, name, year, number string) fact.Fact {
	_, frac, _ := strings.Cut(number, ".") // a target is not rounded with the chart: it is shown as it was set
	decimals := max(w.decimals, min(len(frac), fact.MaxDecimals))
	return w.add(fact.Reading{Kind: fact.Observed, Number: number, Unit: w.unit(), Decimals: decimals,
		Subject: fact.Subject{Type: "target", IDs: map[string]string{ChartID: w.chart.Key, TargetID: strings.TrimSpace(name),
			fact.YearID: year}},
		Source: fact.Source{Snapshot: s.SHA256(), Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: plotspec.Pointer(name, year)}}}})
}

// unit is the one unit of the chart; "" where there are several.
func (w *work) unit() string {
	if w.many || len(w.t.Units) == 0 {
		return ""
	}
	return w.t.Units[0]
}

// note says what was left out.
func (w *work) note(text string) {
	if !slices.Contains(w.body.Notes, text) {
		w.body.Notes = append(w.body.Notes, text)
	}
}

// extremes are the places of the least and the greatest value, the first of equals for the greatest and the last of
// them for the least, so that two things that are equal are not one.
func extremes(facts []fact.Fact) (least, most int) {
	for i, f := range facts {
		if value(f).Cmp(value(facts[most])) > 0 {
			most = i
		}
		if value(f).Cmp(value(facts[least])) <= 0 {
			least = i
		}
	}
	return least, most
}
