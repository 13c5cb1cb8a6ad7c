package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/web"
)

// A figure is a chart that a section is about, drawn again from its table.
type figure struct {
	id        string
	chart     *catalogue.Chart
	drawings  []string // one for each scenario, wide and narrow
	scenarios []string
}

// Bounds on what is drawn; the table behind a drawing has all.
const (
	mostFigures = 6
	mostLines   = 8
)

// figuresOf are the charts of a section's paragraphs, each once.
func figuresOf(p *web.Page, cat *catalogue.Catalogue, e report.Entry) (out []figure) {
	seen := map[string]bool{}
	for _, one := range e.Paragraphs {
		ch, err := cat.Find(one.Chart)
		if err != nil || seen[one.Chart] || !ch.Citable() || len(out) == mostFigures {
			continue
		}
		seen[one.Chart] = true
		f := figure{id: "figure-" + strconv.Itoa(len(out)+1), chart: ch}
		for i, scenario := range ch.Table.Scenarios {
			f.scenarios = append(f.scenarios, scenario)
			f.drawings = append(f.drawings, draw(p, ch, scenario, f.id+"-"+strconv.Itoa(i)))
		}
		out = append(out, f)
	}
	return out
}

// draw is one scenario of a chart, for a desk and for a phone. Drawn values are floats; nothing is computed from them.
func draw(p *web.Page, ch *catalogue.Chart, scenario, id string) string {
	title, both := ch.Title+", "+scenario, ""
	for _, look := range []chart.Look{{ID: id, Width: chart.Wide, Class: "wide-only"},
		{ID: id + "-n", Width: chart.Phone, Class: "phone-only"}} {
		look.Zone = p.Org.Zone
		if len(ch.Table.Years) == 0 {
			both += string(chart.Steps(look, title, "", stepsOf(ch.Table, scenario)))
			continue
		}
		both += string(chart.Years(look, title, "", comma(ch.Units), ch.Table.Years, linesOf(ch.Table, scenario)))
	}
	return both
}

// linesOf are the series of a scenario over years, the largest first.
func linesOf(t *table.Table, scenario string) (out []chart.YearLine) {
	for _, s := range t.Series {
		if s.Scenario != scenario {
			continue
		}
		l := chart.YearLine{Name: s.Label()}
		for _, y := range t.Years {
			l.Values = append(l.Values, drawn(s.At(y)))
		}
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b chart.YearLine) int { return cmp.Compare(size(b), size(a)) })
	return out[:min(len(out), mostLines)]
}

// size is the largest value of a line, by its amount.
func size(l chart.YearLine) (most float64) {
	for _, v := range l.Values {
		if chart.Finite(v) {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// stepsOf are the bars of a scenario in a chart of changes.
func stepsOf(t *table.Table, scenario string) (out []chart.Step) {
	for _, s := range t.Series {
		if s.Scenario == scenario && len(s.Cells) == 1 {
			out = append(out, chart.Step{Name: s.Label(), Words: s.Cells[0].Text, Value: drawn(s.Cells[0])})
		}
	}
	return out
}

func drawn(c table.Cell) float64 {
	n, err := fact.ParseNumber(c.Text)
	if c.Empty() || err != nil {
		return math.NaN()
	}
	f, _ := n.Float64() // only drawn
	return f
}
