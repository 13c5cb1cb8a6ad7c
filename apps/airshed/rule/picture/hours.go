package picture

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/platform/chart"
)

// columns draws one column for each hour that says what was known then, and below
// the curves a mark where it was a surge hour.
func (c *plot) columns() {
	c.Start("g", "class", "hours")
	surging := false
	for i, h := range c.hours {
		cells := c.cells(i)
		c.Column(h.From, airTop, indexFoot, chart.Fill(c.o.Labels.Hour, "time", cells[0], "pm25", cells[1], "interior", cells[2],
			"index", cells[3]))
		if h.Surging {
			surging = true
			c.Rect("surging", c.X(h.From), stripTop, c.Per, stripFoot-stripTop)
		}
		c.End()
	}
	c.End()
	if surging {
		if chart.Short(c.o.Labels.Surging, c.Room()) == chart.Plain(c.o.Labels.Surging) { // else the legend says it
			c.Text("lbl", c.Right+6, stripFoot, "", c.o.Labels.Surging)
		}
	}
}

// cells are one hour in figures.
func (c *plot) cells(i int) []string {
	h, l := c.hours[i], c.o.Labels
	word := func(v float64, n int) string {
		if math.IsNaN(v) {
			return l.Unknown
		}
		return chart.Figure(v, n)
	}
	surging := l.No
	if h.Surging {
		surging = l.Yes
	}
	return []string{c.o.Moment(h.From), word(c.pm25[i], 1), word(c.interior[i], 1), word(c.index[i], 0), surging}
}

func (c *plot) table() chart.Table {
	col := c.o.Labels.Columns
	t := chart.Table{Name: "hours", Title: c.o.Labels.Table,
		Columns: []chart.Column{{Title: chart.Fill(col.Time, "zone", c.o.ZoneName(c.o.Zero))}, {Title: col.PM25, Num: true},
			{Title: col.Interior, Num: true},
			{Title: col.Index, Num: true}, {Title: col.Surging}}}
	for i, h := range c.hours {
		t.Rows = append(t.Rows, chart.Row{Hour: c.o.HourName(h.From), Cells: c.cells(i)})
	}
	return t
}

// desc is the curves in a sentence.
func (c *plot) desc() string {
	peak, from, to := c.o.Labels.Unknown, c.o.Labels.Unknown, c.o.Labels.Unknown
	if v := most(c.pm25); v > 0 {
		peak = chart.Figure(v, 1)
	}
	if n := len(c.hours); n > 0 {
		from, to = c.o.Moment(c.hours[0].From), c.o.Moment(c.hours[n-1].From.Add(time.Hour))
	}
	surging := 0
	for _, h := range c.hours {
		if h.Surging {
			surging++
		}
	}
	return chart.Fill(c.o.Labels.Desc, "station", c.o.Station, "from", from, "to", to, "zone", c.o.ZoneName(c.o.Zero), "peak", peak,
		"hours", chart.Count(surging))
}

// legend names the lines in full: at their ends there is little room.
func (c *plot) legend() []chart.Entry {
	l := c.o.Labels
	line := func(class string) chart.SVG { return chart.Swatch(func(c *chart.Canvas) { c.Line(class, "M0 8H16") }) }
	out := []chart.Entry{{Mark: line(chart.First), Text: chart.Plain(chart.Fill(l.Station, "station", c.o.Station))},
		{Mark: line(chart.Second), Text: chart.Plain(l.Interior)}, {Mark: line(chart.Third), Text: chart.Plain(l.Index)}}
	surging := chart.Swatch(func(c *chart.Canvas) { c.Rect("surging", 0, 5, 16, 6) })
	return append(out, chart.Entry{Mark: surging, Text: chart.Plain(l.Surging)})
}

// notes say what the curves do not show.
func (c *plot) notes() (out []string) {
	gaps := 0
	for _, v := range c.pm25 {
		if math.IsNaN(v) {
			gaps++
		}
	}
	if gaps > 0 && c.o.Labels.Gaps != "" {
		out = append(out, chart.Fill(c.o.Labels.Gaps, "n", chart.Count(gaps)))
	}
	if c.lost > 0 && c.o.Labels.Left != "" {
		out = append(out, chart.Fill(c.o.Labels.Left, "n", chart.Count(c.lost)))
	}
	return out
}
