package chart

import "strings"

// A Range is a part of a whole that is known from the least to the most, in percent.
type Range struct {
	Name, Value       string // how it is called, and what it is in words
	Low, Median, High float64
	Each              []float64 // the single figures that the range sums up; they may be left out
}

// drawable reports whether a range is one.
func (r Range) drawable() bool {
	return Finite(r.Low, r.Median, r.High) && r.Low <= r.Median && r.Median <= r.High
}

// rangeRow is how much room one range has.
const rangeRow = 38.0

// RangesHigh is how high a drawing of so many ranges is.
func RangesHigh(n int) float64 { return max(float64(n), 1)*rangeRow + 28 }

// Ranges draws ranges side by side: a band from the least to the most, a tick at the
// median, and the words beside it. One whose figures are none is named and not drawn;
// where there are none at all, the words for that stand there.
func (c *Canvas) Ranges(look Look, in []Range, none string) {
	a := across{left: 10, right: look.Breadth() - 10, most: furthest(in)}
	for i, r := range in {
		c.bar(a, r, float64(i)*rangeRow)
	}
	if len(in) == 0 {
		c.Text("", a.left, 24, "", none)
		return
	}
	a.draw(c, RangesHigh(len(in))-22)
}

// mostEach bounds how many single figures are drawn of a range.
const mostEach = 400

// each draws single figures, a thin line for each: where they lie close it grows dark.
func (c *Canvas) each(a across, figures []float64, y float64) {
	var d strings.Builder
	for _, v := range figures[:min(len(figures), mostEach)] {
		if Finite(v) {
			d.WriteString("M" + Tenths(a.x(v)) + " " + Tenths(y) + "v18")
		}
	}
	if d.Len() > 0 {
		c.Line("share-each", d.String())
	}
}

// EachLegend says what a thin line is.
func EachLegend(each string) Entry {
	return Entry{Swatch(func(c *Canvas) { c.Line("share-each", "M5 1v14M8 1v14M12 1v14") }), Plain(each)}
}

// RangeLegend says what the band and the tick are.
func RangeLegend(band, tick string) []Entry {
	return []Entry{
		{Swatch(func(c *Canvas) { c.Rect("share-band", 0, 3, 16, 10) }), Plain(band)},
		{Swatch(func(c *Canvas) { c.Rect("share-tick", 6.5, 1, 3, 14) }), Plain(tick)},
	}
}

// An across lays percent on the breadth of the drawing.
type across struct{ left, right, most float64 }

func (a across) x(v float64) float64 {
	return a.left + min(max(v, 0), a.most)/a.most*(a.right-a.left)
}

// draw writes the axis, from nothing on.
func (a across) draw(c *Canvas, y float64) {
	step := a.most / 5
	c.Line("axis", "M"+Tenths(a.left)+" "+Tenths(y)+"H"+Tenths(a.right))
	for i := range 6 {
		v := float64(i) * step
		anchor := AtMiddle
		switch i {
		case 0:
			anchor = ""
		case 5:
			anchor = AtEnd
		}
		c.Line("axis", "M"+Tenths(a.x(v))+" "+Tenths(y)+"v4")
		c.Text("", a.x(v), y+16, anchor, Whole(v)+" %")
	}
}

// furthest is the end of the axis: 25, 50 or 100 percent.
func furthest(in []Range) float64 {
	most := 0.0
	for _, r := range in {
		if r.drawable() {
			most = max(most, r.High, r.Median)
		}
	}
	for _, end := range []float64{25, 50} {
		if most <= end {
			return end
		}
	}
	return 100
}

// bar draws one range.
func (c *Canvas) bar(a across, r Range, y float64) {
	room := int((a.right - a.left - TextWidth(r.Value, 11) - 12) / 6.6)
	c.Start("g", "class", "share")
	c.Text("t-ink", a.left, y+14, "", Short(r.Name, max(room, 6)))
	c.Text("", a.right, y+14, AtEnd, r.Value)
	c.Line("grid", "M"+Tenths(a.left)+" "+Tenths(y+25)+"H"+Tenths(a.right))
	if r.drawable() {
		c.Rect("share-band", a.x(r.Low), y+20, max(a.x(r.High)-a.x(r.Low), 1), 10, "rx", "2")
		c.each(a, r.Each, y+16)
		c.Rect("share-tick", min(max(a.x(r.Median)-1.5, a.left), a.right-3), y+18, 3, 14, "rx", "1")
	}
	c.End()
}
