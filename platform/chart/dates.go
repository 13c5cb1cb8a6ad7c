package chart

import (
	"math"
	"slices"
	"time"
)

// A DateLine is one thing over time: a value for each time, in order; one that is no number is a gap.
type DateLine struct {
	Name   string
	Times  []time.Time
	Values []float64
	Dots   bool // each value is a dot, and nothing is drawn between them
}

// A DateMark is a moment at which something else changed.
type DateMark struct {
	At   time.Time
	Name string
}

// The room around lines over time.
const (
	datesHigh = 210.0
	datesHead = 26.0
	datesFoot = 172.0
)

// Dates draws lines over times, which need not be evenly apart, from nothing to a most. Across stand the values at which something
// begins, up and down the moments at which something changed.
func Dates(look Look, title, desc string, most float64, across []float64, lines []DateLine, marks []DateMark) SVG {
	c := look.Begin("dates", datesHigh, title, desc)
	p := &Plot{Canvas: c, Look: look, Left: 36, Right: look.Breadth() - 112}
	if look.Narrow() {
		p.Right = look.Breadth() - 70
	}
	var times []time.Time
	for _, l := range lines {
		times = append(times, l.Times...)
	}
	if len(times) == 0 {
		return c.Done()
	}
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	span := max(last.Sub(first), time.Hour)
	x := func(t time.Time) float64 { return p.Left + float64(t.Sub(first))/float64(span)*(p.Right-p.Left) }
	a := Axis{datesHead, datesFoot, max(most, 1)}
	for _, v := range slices.Concat([]float64{0}, across, []float64{a.most}) {
		p.Line("grid", "M"+Tenths(p.Left)+" "+Tenths(a.Y(v))+"H"+Tenths(p.Right))
		p.Text("", p.Left-6, a.Y(v)+4, AtEnd, Whole(v))
	}
	p.days(first, last, x)
	for _, m := range marks {
		if m.At.Before(first) || m.At.After(last) {
			continue
		}
		p.Line("ref", "M"+Tenths(x(m.At))+" "+Tenths(datesHead)+"V"+Tenths(datesFoot))
		p.Text("lbl", x(m.At)-4, datesHead-6, AtEnd, Short(m.Name, max(int((x(m.At)-8)/6), 2)))
	}
	var ends []Ending
	for i, l := range lines {
		ends = append(ends, Ending{Text: l.Name, Y: p.overDates([]string{First, Second, Third}[i%3], a, l, x)})
	}
	p.Names(p.lifted(ends)...)
	return c.Done()
}

// days names the first day, the last, and one between where there is room.
func (p *Plot) days(first, last time.Time, x func(time.Time) float64) {
	all := []time.Time{first, first.Add(last.Sub(first) / 2), last}
	if last.Sub(first) < 48*time.Hour {
		all = all[:1]
	}
	for i, t := range all {
		anchor := []string{"", AtMiddle, AtEnd}[i]
		p.Line("axis", "M"+Tenths(x(t))+" "+Tenths(datesFoot)+"v4")
		p.Text("", x(t), datesFoot+18, anchor, p.Look.Day(t))
	}
}

// overDates draws one line and says at which height it ends.
func (p *Plot) overDates(class string, a Axis, l DateLine, x func(time.Time) float64) float64 {
	n := min(len(l.Values), len(l.Times))
	if !l.Dots {
		return p.overYears(class, l.Values[:n], func(k int, v float64) (float64, float64) { return x(l.Times[k]), a.Y(v) })
	}
	end := math.NaN()
	for k, v := range l.Values[:n] {
		if Finite(v) {
			end = a.Y(v)
			p.Void("circle", "class", "lone "+class, "cx", Tenths(x(l.Times[k])), "cy", Tenths(end), "r", "3")
		}
	}
	return end
}
