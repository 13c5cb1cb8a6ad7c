package picture

import (
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/chart"
)

// SharesOptions are what the bars are told besides the shares. Zone, Zero and Months
// of the look are not used.
type SharesOptions struct {
	chart.Look
	Labels SharesLabels
	Each   [][]float64 // of every share, what single calculations say; nil: only their range is known
}

// Shares draws the shares of states, or of districts: a band from the least to the
// most that 9 of 10 members say, a tick at the median, and the figures beside it.
// A share whose figures are none is listed and not drawn.
func Shares(in []analysis.Share, o SharesOptions) chart.Drawing {
	l := o.Labels
	left := max(len(in)-MaxShares, 0)
	in = in[:len(in)-left]
	first, value := l.Unknown, l.Unknown
	if len(in) > 0 {
		first, value = o.Labels.called(in[0]), o.Labels.value(in[0])
	}
	c := o.Begin("sharessvg", chart.RangesHigh(len(in)), l.Title, chart.Fill(l.Desc, "first", first, "value", value))
	ranges := make([]chart.Range, 0, len(in))
	for i, s := range in {
		one := chart.Range{Name: l.called(s), Value: l.value(s), Low: s.Low, Median: s.Median, High: s.High}
		if i < len(o.Each) {
			one.Each = o.Each[i]
		}
		ranges = append(ranges, one)
	}
	c.Ranges(o.Look, ranges, l.None)
	legend := chart.RangeLegend(l.Range, l.Tick)
	if len(o.Each) > 0 {
		legend = append(legend, chart.EachLegend(l.Each))
	}
	return chart.Drawing{SVG: c.Done(), Legend: legend, Notes: o.notes(left), Tables: []chart.Table{o.table(in)}}
}

// called is the name of a share.
func (l SharesLabels) called(s analysis.Share) string {
	state := place(s.State, l.Abroad, l.Unknown)
	if s.District == "" {
		return chart.Plain(state)
	}
	return chart.Plain(s.District + ", " + state)
}

// value is a share in words.
func (l SharesLabels) value(s analysis.Share) string {
	return chart.Fill(l.Value, "median", l.percent(s.Median), "low", l.percent(s.Low), "high", l.percent(s.High))
}

func (l SharesLabels) percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return l.Unknown
	}
	return chart.Figure(v, 1)
}

func (o SharesOptions) notes(left int) []string {
	out := []string{o.Labels.Means}
	if left > 0 {
		out = append(out, chart.Fill(o.Labels.Left, "n", chart.Count(left)))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// table is the shares in figures. How often it is first is known of states only.
func (o SharesOptions) table(in []analysis.Share) chart.Table {
	l, col := o.Labels, o.Labels.Columns
	t := chart.Table{Name: "shares", Title: l.Table, Columns: []chart.Column{{Title: col.Place}, {Title: col.Median, Num: true},
		{Title: col.Low, Num: true}, {Title: col.High, Num: true}}}
	states := !slices.ContainsFunc(in, func(s analysis.Share) bool { return s.District != "" })
	if states {
		t.Columns = append(t.Columns, chart.Column{Title: col.First, Num: true})
	}
	for _, s := range in {
		cells := []string{l.called(s), l.percent(s.Median), l.percent(s.Low), l.percent(s.High)}
		if states {
			cells = append(cells, strconv.Itoa(s.First))
		}
		t.Rows = append(t.Rows, chart.Row{Cells: cells})
	}
	return t
}
