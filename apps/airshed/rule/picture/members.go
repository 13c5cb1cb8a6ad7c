package picture

import (
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/platform/chart"
)

// MembersColumns are the heads of the table of members.
type MembersColumns struct{ Member, Turn, Speed, Before, After string }

// Members is every calculation in figures: how its wind was turned and sped up, how long
// its fires burnt, and what share each state has of it, in the order of the states' names.
func Members(in []likelihood.Member, states []string, title string, col MembersColumns) chart.Table {
	t := chart.Table{Name: "members", Title: title, Columns: []chart.Column{{Title: col.Member}, {Title: col.Turn, Num: true},
		{Title: col.Speed, Num: true}, {Title: col.Before, Num: true}, {Title: col.After, Num: true}}}
	for _, s := range states {
		t.Columns = append(t.Columns, chart.Column{Title: chart.Plain(s), Num: true})
	}
	for i, m := range in {
		cells := []string{strconv.Itoa(i + 1), chart.Figure(m.Turn, 1), chart.Figure(m.Speed, 2), chart.Figure(m.Burn.Before.Hours(), 0),
			chart.Figure(m.Burn.After.Hours(), 0)}
		for j := range states {
			cell := ""
			if j < len(m.Shares) {
				cell = chart.Figure(m.Shares[j], 1)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, chart.Row{Cells: cells})
	}
	return t
}
