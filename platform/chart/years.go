package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A YearLine is one thing over years: a value for each, not a number where there is none.
type YearLine struct {
	Name   string
	Values []float64
}

// The room around lines over years.
const (
	yearsHigh = 240.0
	yearsHead = 30.0
	yearsFoot = 206.0
	yearsLeft = 52.0
)

// Years draws lines over years, which need not be evenly apart, above and below zero. Each line is named at its end. unit
// stands above the axis.
func Years(look Look, title, desc, unit string, years []int, lines []YearLine) SVG {
	c := look.Begin("years", yearsHigh, title, desc)
	p := &Plot{Canvas: c, Look: look, Left: yearsLeft, Right: look.Breadth() - 150}
	if look.Narrow() {
		p.Right = look.Breadth() - 80
	}
	if len(years) == 0 {
		return c.Done()
	}
	s := scaleOf(lines)
	s.draw(p, unit)
	x := func(year int) float64 {
		span := max(years[len(years)-1]-years[0], 1)
		return p.Left + float64(year-years[0])/float64(span)*(p.Right-p.Left)
	}
	last := math.Inf(-1)
	for _, y := range years {
		if x(y)-last >= 34 { // as close as there is room for four figures
			p.Line("axis", "M"+Tenths(x(y))+" "+Tenths(yearsFoot)+"v4")
			p.Text("", x(y), yearsFoot+18, AtMiddle, strconv.Itoa(y))
			last = x(y)
		}
	}
	looks := []string{First, Second, Third}
	var ends []Ending
	for i, l := range lines {
		if end := p.overYears(looks[i%len(looks)], l.Values[:min(len(l.Values), len(years))], func(k int, v float64) (float64, float64) {
			return x(years[k]), s.y(v)
		}); !math.IsNaN(end) {
			ends = append(ends, Ending{Text: l.Name, Y: end})
		}
	}
	p.Names(p.lifted(ends)...)
	return c.Done()
}

// lifted has room for every name between the head and the foot of the drawing: lines that end together would push the last ones out.
func (p *Plot) lifted(ends []Ending) []Ending {
	const apart, head = 13, 26
	slices.SortStableFunc(ends, func(a, b Ending) int { return cmp.Compare(a.Y, b.Y) })
	high := func(e Ending) float64 { return float64(apart * max(len(lines(e.Text, p.Room())), 1)) } // a long name has several lines
	lowest := yearsFoot + apart
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].Y = min(ends[i].Y, lowest-high(ends[i]))
		lowest = ends[i].Y
	}
	highest := float64(head)
	for i := range ends {
		ends[i].Y = max(ends[i].Y, highest)
		highest = ends[i].Y + high(ends[i])
	}
	return ends
}

// overYears draws one line and says at which height it ends. A value between two gaps is a dot.
func (p *Plot) overYears(class string, values []float64, at func(int, float64) (x, y float64)) float64 {
	known := func(k int) bool { return k >= 0 && k < len(values) && Finite(values[k]) }
	var d strings.Builder
	var dots [][2]float64
	end := math.NaN()
	for k, v := range values {
		if !known(k) {
			continue
		}
		x, y := at(k, v)
		pen := "L"
		if !known(k - 1) {
			pen = "M"
			if !known(k + 1) {
				dots = append(dots, [2]float64{x, y})
			}
		}
		d.WriteString(pen + Tenths(x) + " " + Tenths(y))
		end = y
	}
	if d.Len() > 0 {
		p.Line(class, d.String())
	}
	for _, dot := range dots {
		p.Void("circle", "class", "lone "+class, "cx", Tenths(dot[0]), "cy", Tenths(dot[1]), "r", "2")
	}
	return end
}

// A yearScale lays values on the height of a drawing.
type yearScale struct{ low, high, step float64 }

// scaleOf has room for all values and for zero, in steps of one, two or five.
func scaleOf(lines []YearLine) yearScale {
	s := yearScale{}
	for _, l := range lines {
		for _, v := range l.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				s.low, s.high = min(s.low, v), max(s.high, v)
			}
		}
	}
	if s.high == s.low {
		s.high = s.low + 1
	}
	s.step = math.Pow(10, math.Floor(math.Log10((s.high-s.low)/4)))
	for _, by := range []float64{2, 2.5, 2} { // 2, 5, 10
		if (s.high-s.low)/s.step > 6 {
			s.step *= by
		}
	}
	s.low, s.high = math.Floor(s.low/s.step)*s.step, math.Ceil(s.high/s.step)*s.step
	return s
}

func (s yearScale) y(v float64) float64 {
	return yearsFoot - (v-s.low)/(s.high-s.low)*(yearsFoot-yearsHead)
}

// draw writes the grid and the figures of the axis.
func (s yearScale) draw(p *Plot, unit string) {
	decimals := max(0, -int(math.Floor(math.Log10(s.step))))
	for i := range int(math.Round((s.high-s.low)/s.step)) + 1 {
		v := s.low + float64(i)*s.step
		class := "grid"
		if math.Abs(v) < s.step/2 {
			class = "axis"
		}
		p.Line(class, "M"+Tenths(p.Left)+" "+Tenths(s.y(v))+"H"+Tenths(p.Right))
		p.Text("", p.Left-6, s.y(v)+4, AtEnd, Figure(v, decimals))
	}
	p.Text("lbl", p.Left, yearsHead-12, "", unit)
}

// A Step is one change of a chart of changes.
type Step struct {
	Name, Words string // how it is called, and its value in words
	Value       float64
}

// Steps draws changes side by side: a bar to the left of the middle for what falls, to the right for what rises.
func Steps(look Look, title, desc string, steps []Step) SVG {
	const row, top = 22.0, 12.0
	c := look.Begin("steps", top*2+row*float64(max(len(steps), 1)), title, desc)
	most := 0.0
	for _, s := range steps {
		if Finite(s.Value) {
			most = max(most, math.Abs(s.Value))
		}
	}
	names := 0.3 * look.Breadth()
	middle, half := names+(look.Breadth()-names-100)/2, (look.Breadth()-names-100)/2
	c.Line("axis", "M"+Tenths(middle)+" "+Tenths(top)+"V"+Tenths(top+row*float64(len(steps))))
	for i, s := range steps {
		y := top + row*float64(i)
		c.Text("", names-8, y+15, AtEnd, Short(s.Name, int(names/6.6)))
		c.Text("lbl", look.Breadth()-96, y+15, "", s.Words)
		if most == 0 || !Finite(s.Value) {
			continue
		}
		wide := math.Abs(s.Value) / most * half
		from := middle
		if s.Value < 0 {
			from -= wide
		}
		c.Rect("share-tick", from, y+4, max(wide, 1), row-8)
	}
	return c.Done()
}
