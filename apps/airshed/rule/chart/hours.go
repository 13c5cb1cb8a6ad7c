package chart

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
)

// clocks writes times of day below the curves, as close as they have room, and the
// day where one begins.
func (c *plot) clocks() {
	step := 24
	for _, s := range []int{1, 2, 3, 6, 12} {
		if float64(s)*c.per >= 40 {
			step = s
			break
		}
	}
	skip := max(int(math.Ceil(44/(24*c.per))), 1) // days, where even those have no room
	days := 0
	for _, h := range c.hours {
		at := h.From.In(c.o.zone())
		if at.Hour()%step != 0 {
			continue
		}
		x := c.x(h.From)
		midnight := at.Hour() == 0
		if midnight {
			days++
		}
		if step == 24 && (days-1)%skip != 0 {
			continue
		}
		c.line("axis", "M"+tenths(x)+" "+tenths(indexFoot)+"v4")
		c.text("", x, clockRow, atMiddle, c.o.clock(h.From))
		if midnight {
			c.text("t-ink", x, dayRow, atMiddle, c.o.day(h.From))
		}
	}
	c.text("lbl", c.right+6, clockRow, "", c.o.zoneName(c.from))
}

// columns draws one column for each hour that says what was known then, and below
// the curves a mark where it was a surge hour.
func (c *plot) columns() {
	c.start("g", "class", "hours")
	surging := false
	for _, h := range c.hours {
		c.start("g", "data-hour", c.hourName(h))
		cells := c.cells(h)
		c.words("title", fill(c.o.Labels.Hour, "time", cells[0], "pm25", cells[1], "interior", cells[2], "index", cells[3]))
		c.rect("hit", c.x(h.From), airTop, c.per, indexFoot-airTop)
		if h.Surging {
			surging = true
			c.rect("surging", c.x(h.From), stripTop, c.per, stripFoot-stripTop)
		}
		c.end()
	}
	c.end()
	if surging {
		c.text("lbl", c.right+6, stripFoot, "", short(c.o.Labels.Surging, c.room()))
	}
}

// cells are one hour in figures.
func (c *plot) cells(h analysis.Hourly) []string {
	l := c.o.Labels
	word := func(v float64, n int) string {
		if math.IsNaN(v) {
			return l.Unknown
		}
		return figure(v, n)
	}
	surging := l.No
	if h.Surging {
		surging = l.Yes
	}
	return []string{c.o.moment(h.From), word(pm25(h), 1), word(interior(h), 1), word(indexOf(h), 0), surging}
}

func (c *plot) table() Table {
	col := c.o.Labels.Columns
	t := Table{Name: "hours", Title: c.o.Labels.Table, Columns: []Column{{fill(col.Time, "zone", c.o.zoneName(c.zero)), false}, {col.PM25, true}, {col.Interior, true},
		{col.Index, true}, {col.Surging, false}}}
	for _, h := range c.hours {
		t.Rows = append(t.Rows, Row{c.hourName(h), c.cells(h)})
	}
	return t
}

// desc is the curves in a sentence.
func (c *plot) desc() string {
	peak, from, to := c.o.Labels.Unknown, c.o.Labels.Unknown, c.o.Labels.Unknown
	if v := c.top(pm25); v > 0 {
		peak = figure(v, 1)
	}
	if n := len(c.hours); n > 0 {
		from, to = c.o.moment(c.from), c.o.moment(c.hours[n-1].From.Add(time.Hour))
	}
	surging := 0
	for _, h := range c.hours {
		if h.Surging {
			surging++
		}
	}
	return fill(c.o.Labels.Desc, "station", c.o.Station, "from", from, "to", to, "zone", c.o.zoneName(c.zero), "peak", peak, "hours", count(surging))
}

// legend names the lines in full: at their ends there is little room.
func (c *plot) legend() []Entry {
	l := c.o.Labels
	line := func(class string) SVG { return swatch(func(c *canvas) { c.line(class, "M0 8H16") }) }
	out := []Entry{{line("series s1"), plain(fill(l.Station, "station", c.o.Station))}, {line("series s2 dash"), plain(l.Interior)}, {line("series s4"), plain(l.Index)}}
	surging := swatch(func(c *canvas) { c.rect("surging", 0, 5, 16, 6) })
	return append(out, Entry{surging, plain(l.Surging)})
}

// notes say what the curves do not show.
func (c *plot) notes() (out []string) {
	gaps := 0
	for _, h := range c.hours {
		if math.IsNaN(pm25(h)) {
			gaps++
		}
	}
	if gaps > 0 && c.o.Labels.Gaps != "" {
		out = append(out, fill(c.o.Labels.Gaps, "n", count(gaps)))
	}
	if c.lost > 0 && c.o.Labels.Left != "" {
		out = append(out, fill(c.o.Labels.Left, "n", count(c.lost)))
	}
	return out
}
