package chart

import (
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
)

// SharesOptions are what the bars are told besides the shares. Zone, Zero and Months
// of the look are not used.
type SharesOptions struct {
	Look
	Labels SharesLabels
}

// shareRow is how much room one share has.
const shareRow = 38.0

// Shares draws the shares of states, or of districts: a band from the least to the
// most that 9 of 10 members say, a tick at the median, and the figures beside it.
// A share whose figures are none is listed and not drawn.
func Shares(in []analysis.Share, o SharesOptions) Drawing {
	l := o.Labels
	left := max(len(in)-MaxShares, 0)
	in = in[:len(in)-left]
	first, value := l.Unknown, l.Unknown
	if len(in) > 0 {
		first, value = o.Labels.called(in[0]), o.Labels.value(in[0])
	}
	high := max(float64(len(in)), 1)*shareRow + 28
	c := o.svg("sharessvg", high, l.Title, fill(l.Desc, "first", first, "value", value))
	a := across{left: 10, right: o.width() - 10, most: furthest(in)}
	for i, s := range in {
		o.bar(c, a, s, float64(i)*shareRow)
	}
	if len(in) == 0 {
		c.text("", a.left, 24, "", l.None)
	} else {
		a.draw(c, high-22)
	}
	return Drawing{SVG: c.done(), Legend: o.legend(), Notes: o.notes(left), Tables: []Table{o.table(in)}}
}

// An across lays percent on the breadth of the drawing.
type across struct{ left, right, most float64 }

func (a across) x(v float64) float64 {
	return a.left + min(max(v, 0), a.most)/a.most*(a.right-a.left)
}

// draw writes the axis, from nothing on.
func (a across) draw(c *canvas, y float64) {
	step := a.most / 5
	c.line("axis", "M"+tenths(a.left)+" "+tenths(y)+"H"+tenths(a.right))
	for i := range 6 {
		v := float64(i) * step
		anchor := atMiddle
		switch i {
		case 0:
			anchor = ""
		case 5:
			anchor = atEnd
		}
		c.line("axis", "M"+tenths(a.x(v))+" "+tenths(y)+"v4")
		c.text("", a.x(v), y+16, anchor, whole(v)+" %")
	}
}

// furthest is the end of the axis: 25, 50 or 100 percent.
func furthest(in []analysis.Share) float64 {
	most := 0.0
	for _, s := range in {
		if drawable(s) {
			most = max(most, s.High, s.Median)
		}
	}
	for _, end := range []float64{25, 50} {
		if most <= end {
			return end
		}
	}
	return 100
}

// drawable reports whether a share is one.
func drawable(s analysis.Share) bool {
	return finite(s.Low, s.Median, s.High) && s.Low <= s.Median && s.Median <= s.High
}

// bar draws one share.
func (o SharesOptions) bar(c *canvas, a across, s analysis.Share, y float64) {
	value := o.Labels.value(s)
	room := int((a.right - a.left - wide(value, 11) - 12) / 6.6)
	c.start("g", "class", "share")
	c.text("t-ink", a.left, y+14, "", short(o.Labels.called(s), max(room, 6)))
	c.text("", a.right, y+14, atEnd, value)
	c.line("grid", "M"+tenths(a.left)+" "+tenths(y+25)+"H"+tenths(a.right))
	if drawable(s) {
		c.rect("share-band", a.x(s.Low), y+20, max(a.x(s.High)-a.x(s.Low), 1), 10, "rx", "2")
		c.rect("share-tick", min(max(a.x(s.Median)-1.5, a.left), a.right-3), y+18, 3, 14, "rx", "1")
	}
	c.end()
}

// called is the name of a share.
func (l SharesLabels) called(s analysis.Share) string {
	state := place(s.State, l.Abroad, l.Unknown)
	if s.District == "" {
		return plain(state)
	}
	return plain(s.District + ", " + state)
}

// value is a share in words.
func (l SharesLabels) value(s analysis.Share) string {
	return fill(l.Value, "median", l.percent(s.Median), "low", l.percent(s.Low), "high", l.percent(s.High))
}

func (l SharesLabels) percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return l.Unknown
	}
	return figure(v, 1)
}

func (o SharesOptions) legend() []Entry {
	return []Entry{
		{swatch(func(c *canvas) { c.rect("share-band", 0, 3, 16, 10) }), plain(o.Labels.Range)},
		{swatch(func(c *canvas) { c.rect("share-tick", 6.5, 1, 3, 14) }), plain(o.Labels.Tick)},
	}
}

func (o SharesOptions) notes(left int) []string {
	out := []string{o.Labels.Means}
	if left > 0 {
		out = append(out, fill(o.Labels.Left, "n", count(left)))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// table is the shares in figures. How often it is first is known of states only.
func (o SharesOptions) table(in []analysis.Share) Table {
	l, col := o.Labels, o.Labels.Columns
	t := Table{Name: "shares", Title: l.Table, Columns: []Column{{col.Place, false}, {col.Median, true}, {col.Low, true}, {col.High, true}}}
	states := !slices.ContainsFunc(in, func(s analysis.Share) bool { return s.District != "" })
	if states {
		t.Columns = append(t.Columns, Column{col.First, true})
	}
	for _, s := range in {
		cells := []string{l.called(s), l.percent(s.Median), l.percent(s.Low), l.percent(s.High)}
		if states {
			cells = append(cells, strconv.Itoa(s.First))
		}
		t.Rows = append(t.Rows, Row{"", cells})
	}
	return t
}
