package paper

import (
	"math"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/fact"
)

// most lines in one drawing; what has more is in the table behind it.
const mostLines = 12

// figure draws a chart from its table, once in a page, with the table behind it. Drawn values are floats; nothing is computed
// from them.
func (p *page) figure(key string) {
	ch, err := p.cat.Find(key)
	if err != nil || !ch.Citable() || p.drawn[key] {
		return
	}
	p.drawn[key] = true
	p.charts++
	p.put(`<figure id="figure-`, strconv.Itoa(p.charts), `">`)
	for i, scenario := range ch.Table.Scenarios {
		look := chart.Look{ID: "c" + strconv.Itoa(p.charts) + "-" + strconv.Itoa(i)}
		title := ch.Title + ", " + scenario
		p.put(`<p class="about">`, text(scenario), `</p>`)
		if len(ch.Table.Years) == 0 {
			p.put(string(chart.Steps(look, title, "", steps(ch.Table, scenario))))
		} else {
			p.put(string(chart.Years(look, title, "", strings.Join(ch.Units, ", "), ch.Table.Years, lines(ch.Table, scenario))))
		}
	}
	p.put(`<figcaption>`, text(ch.Title), `. Drawn from `, text(ch.CSV), `.</figcaption>`)
	if p.annex == nil {
		p.table(ch)
	}
	p.put(`</figure>`)
}

// lines are the series of a scenario over years.
func lines(t *table.Table, scenario string) []chart.YearLine {
	var out []chart.YearLine
	for _, s := range t.Series {
		if s.Scenario != scenario || len(out) == mostLines {
			continue
		}
		l := chart.YearLine{Name: s.Label()}
		for _, y := range t.Years {
			l.Values = append(l.Values, drawn(s.At(y)))
		}
		out = append(out, l)
	}
	return out
}

// steps are the bars of a scenario in a chart of changes.
func steps(t *table.Table, scenario string) []chart.Step {
	var out []chart.Step
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

// table writes the numbers behind a drawing, as the file has them.
func (p *page) table(ch *catalogue.Chart) {
	t := ch.Table
	p.put(`<details><summary>The numbers of this chart</summary><div class="wide"><table><thead><tr><th>Scenario</th><th>Series</th><th>Unit</th>`)
	for _, y := range t.Years {
		p.put(`<th>`, strconv.Itoa(y), `</th>`)
	}
	if len(t.Years) == 0 {
		p.put(`<th>Value</th>`)
	}
	p.put(`</tr></thead><tbody>`)
	for _, s := range t.Series {
		p.put(`<tr><td>`, text(s.Scenario), `</td><td>`, text(s.Label()), `</td><td>`, text(s.Unit.String()), `</td>`)
		for _, y := range t.Years {
			p.put(`<td>`, text(s.At(y).Text), `</td>`)
		}
		if len(t.Years) == 0 {
			p.put(`<td>`, text(s.Cells[0].Text), `</td>`)
		}
		p.put(`</tr>`)
	}
	p.put(`</tbody></table></div></details>`)
}
