// Package summary is for what a chart says, computed before anybody words it: baselines, totals, the largest changes, shares,
// growth, crossings, and how scenarios compare. Every number is a fact in the platform's form, either a cell of the chart's
// table or derived from cells in exact arithmetic, and can be done again.
//
// Read Summarise first; a chart of changes is in waterfall.go, one over years in trend.go, scenarios side by side in
// across.go, and the sentences that may be said of a chart in insight.go.
package summary

import (
	"encoding/json"
	"strconv"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// Code names this way of computing in every fact that is derived here.
const Code = "reportagent.summary.1"

// A Summary is what a tool hands to a model instead of a table. Its names are those of the first design.
type Summary struct {
	Chart    string `json:"chart_id"`
	Schema   Schema `json:"schema"`
	RowCount int    `json:"row_count"` // records; the header is none
	Body     Body   `json:"summary"`
}

// A Schema is the columns of the table.
type Schema struct {
	Columns []string `json:"columns"`
}

// A Body is the summary proper.
type Body struct {
	Dimensions  []string             `json:"dimensions"`
	Measure     string               `json:"measure"` // "val", or "year" where each year has a column
	MeasureType string               `json:"measure_type,omitempty"`
	Scenarios   []string             `json:"scenarios"`
	Units       []string             `json:"units"`
	Baseline    *Named               `json:"baseline,omitempty"` // only where all scenarios have the same
	ByScenario  map[string]*Scenario `json:"by_scenario"`
	Across      *Across              `json:"across,omitempty"`
	Targets     []Target             `json:"targets,omitempty"`
	Insights    []Insight            `json:"key_insights"`
	Notes       []string             `json:"notes,omitempty"` // what was left out, and why
}

// A Number is a value and the fact that carries it.
type Number struct {
	Value json.Number `json:"value"`
	Unit  string      `json:"unit,omitempty"`
	Fact  fact.ID     `json:"fact"`
}

// A Named number says what it is of.
type Named struct {
	Name string `json:"name"`
	Number
}

// A Dated number says when.
type Dated struct {
	Year int `json:"year"`
	Number
}

// A Scenario is what a chart says of one scenario. A chart of changes fills the first part, one over years the second.
type Scenario struct {
	Baseline       *Named  `json:"baseline,omitempty"`
	TotalReduction *Number `json:"total_reduction,omitempty"` // keeps its sign: a reduction is negative
	NetEnd         *Number `json:"net_end,omitempty"`
	StatedEnd      *Named  `json:"stated_end,omitempty"` // where the table says itself what the net is at the end
	Pct            *Number `json:"pct,omitempty"`        // of the baseline
	TopReductions  []Named `json:"top_reductions,omitempty"`
	TopRanks       []Named `json:"top_ranks,omitempty"` // their places, 1 for the deepest
	Notable        []Named `json:"notable,omitempty"`   // every increase
	Shares         []Named `json:"shares,omitempty"`    // of all reductions together

	Total       *Trend       `json:"total,omitempty"`
	Series      []Trend      `json:"series,omitempty"`
	AtStart     []Named      `json:"composition_start,omitempty"`
	AtEnd       []Named      `json:"composition_end,omitempty"`
	Biggest     *Named       `json:"biggest_contributor,omitempty"`
	BiggestRank *Number      `json:"biggest_contributor_rank,omitempty"`
	RanksStart  []Named      `json:"ranks_start,omitempty"`
	RanksEnd    []Named      `json:"ranks_end,omitempty"`
	RankChanges []RankChange `json:"rank_changes,omitempty"`
}

// A Trend is how one thing moves over the years.
type Trend struct {
	Name       string     `json:"name"`
	Start      *Dated     `json:"start,omitempty"`
	End        *Dated     `json:"end,omitempty"`
	Change     *Number    `json:"abs_change,omitempty"`
	Pct        *Number    `json:"pct_change,omitempty"`
	CAGR       *Number    `json:"cagr,omitempty"` // over the real distance between the years
	Min        *Dated     `json:"min,omitempty"`
	Max        *Dated     `json:"max,omitempty"`
	Milestones []Dated    `json:"milestones,omitempty"`
	Crossings  []Crossing `json:"crossings,omitempty"`
	Skipped    []Skip     `json:"skipped,omitempty"` // of a total: what had no value
}

// A Crossing is the first year in which a value is on the other side of zero or of a target.
type Crossing struct {
	Of     string `json:"of"` // "zero", or the target
	Before Dated  `json:"before"`
	At     Dated  `json:"at"`
}

// A Skip is what a total leaves out, because the table has no value for it.
type Skip struct {
	Year  int      `json:"year"`
	Names []string `json:"names"`
}

// A RankChange is a place that is another one at the end.
type RankChange struct {
	Name  string `json:"name"`
	Start Number `json:"start"`
	End   Number `json:"end"`
}

// A Target is a point drawn into a chart, and how far the total of each scenario is from it in its year.
type Target struct {
	Name string  `json:"name"`
	At   Dated   `json:"at"`
	Gaps []Named `json:"gaps,omitempty"` // by scenario: total less target
}

// Summarise computes everything a chart says and enters it into the book. The same chart into the same book again changes
// nothing. A chart without a table has nothing to say.
func Summarise(book *fact.Book, ch *catalogue.Chart) (*Summary, error) {
	if !ch.Citable() {
		return nil, fault.New(fault.Invalid, "chart %s has no table: its numbers cannot be cited", ch.Key)
	}
	t := ch.Table
	b := Body{Dimensions: t.Dimensions, Measure: "val", Scenarios: t.Scenarios, Units: t.Units, ByScenario: map[string]*Scenario{}}
	w := &work{book: book, chart: ch, t: t, decimals: ch.Decimals(), body: &b, many: t.ManyUnits(), dims: DimensionIDs(t.Dimensions)}
	w.base = w.baseYear()
	w.observe()
	if len(t.Years) == 0 {
		w.waterfalls()
	} else {
		if t.Form == table.Wide || t.Form == table.IAMCWide {
			b.Measure = "year"
		}
		w.trends()
	}
	w.insights()
	if w.err != nil {
		return nil, w.err
	}
	return &Summary{Chart: ch.Key, Schema: Schema{t.Columns}, RowCount: t.Records, Body: b}, nil
}

// number is a fact as a summary shows it.
func number(f fact.Fact) Number {
	return Number{Value: json.Number(f.Value), Unit: f.Unit, Fact: f.ID}
}

func ptr(n Number) *Number { return &n }

func named(name string, f fact.Fact) Named { return Named{Name: name, Number: number(f)} }

func dated(year int, f fact.Fact) Dated { return Dated{Year: year, Number: number(f)} }

func yearText(y int) string { return strconv.Itoa(y) }
