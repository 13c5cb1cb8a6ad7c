package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Plot lays hours on a drawing, from left to right, and draws curves over them.
type Plot struct {
	*Canvas
	Look        Look
	Hours       []time.Time // when each begins, in order
	Left, Right float64     // where the curves begin and end
	Per         float64     // parts of the view box for an hour
}

// The looks of curves, apart by colour and by line.
const (
	First  = "series s1"
	Second = "series s2 dash"
	Third  = "series s4"
)

// NewPlot lays hours on a drawing that has yet to begin. There is room for the figures of
// an axis on its left, and for the names of lines on its right.
func NewPlot(look Look, hours []time.Time) *Plot {
	p := &Plot{Look: look, Hours: hours, Left: 36, Right: look.Breadth() - 112}
	if look.Narrow() {
		p.Right = look.Breadth() - 62
	}
	if n := len(hours); n > 0 {
		p.Per = (p.Right - p.Left) / max(hours[n-1].Sub(hours[0]).Hours()+1, 1)
	}
	return p
}

// X is where a moment lies, within the drawing.
func (p *Plot) X(t time.Time) float64 {
	return min(max(p.Left+t.Sub(p.Hours[0]).Hours()*p.Per, p.Left), p.Right)
}

// Room is how many letters have room to the right of the curves.
func (p *Plot) Room() int { return p.roomFrom(p.Right) }

func (p *Plot) roomFrom(x float64) int { return int((p.Look.Breadth() - x - 8) / 6.4) }

// An Axis lays values from nothing to its top on a part of the drawing.
type Axis struct{ head, foot, most float64 }

// Y is where a value lies.
func (a Axis) Y(v float64) float64 { return a.foot - min(v/a.most, 1)*(a.foot-a.head) }

// Axis draws the grid and the figures of an axis: a line for each hundred, or for
// more where there would be more than six.
func (p *Plot) Axis(head, foot, most float64, title string) Axis {
	step := 100.0
	for most/step > 5 {
		step *= 2
	}
	a := Axis{head, foot, max(math.Ceil(most/step), 1) * step}
	for i := range int(a.most/step) + 1 {
		v := float64(i) * step
		p.Line("grid", "M"+Tenths(p.Left)+" "+Tenths(a.Y(v))+"H"+Tenths(p.Right))
		p.Text("", p.Left-6, a.Y(v)+4, AtEnd, Whole(v))
	}
	p.Text("lbl", p.Left, head-8, "", title)
	return a
}

// Clocks writes times of day in a row below a line at foot, at full hours of the zone, as
// close as they have room, and in another the day where one begins.
func (p *Plot) Clocks(foot, clockRow, dayRow float64) {
	step := 24
	for _, s := range []int{1, 2, 3, 6, 12} {
		if float64(s)*p.Per >= 40 {
			step = s
			break
		}
	}
	skip := max(int(math.Ceil(44/(24*p.Per))), 1) // days, where even those have no room
	days := 0
	for _, h := range p.fullHours() {
		at := h.In(p.Look.zone())
		if at.Hour()%step != 0 {
			continue
		}
		midnight := at.Hour() == 0
		if midnight {
			days++
		}
		if step == 24 && (days-1)%skip != 0 {
			continue
		}
		x := p.X(h)
		p.Line("axis", "M"+Tenths(x)+" "+Tenths(foot)+"v4")
		p.Text("", x, clockRow, AtMiddle, p.Look.Clock(h))
		if midnight {
			p.Text("t-ink", x, dayRow, AtMiddle, p.Look.Day(h))
		}
	}
	p.Text("lbl", p.Right+6, clockRow, "", p.Look.ZoneName(p.Hours[0]))
}

// fullHours are the hours of the zone that begin within the plot: those of the data may
// begin at half past, where the zone lies half an hour off.
func (p *Plot) fullHours() (out []time.Time) {
	first := p.Hours[0].In(p.Look.zone())
	into := time.Duration(first.Minute())*time.Minute + time.Duration(first.Second())*time.Second + time.Duration(first.Nanosecond())
	at := first.Add(-into)
	for end := p.Hours[len(p.Hours)-1].Add(time.Hour); at.Before(end) && len(out) <= maxTicks; at = at.Add(time.Hour) {
		if !at.Before(first) {
			out = append(out, at)
		}
	}
	return out
}

// maxTicks bounds the hours that are looked at for a tick: hours that lie years apart have
// none after that.
const maxTicks = 10_000

// Curve draws one line, of a value for each hour, with gaps where that is not a number. A
// value alone between two gaps is a dot: a line of one point is not seen.
func (p *Plot) Curve(class string, a Axis, values []float64) {
	var d strings.Builder
	var lone [][2]float64
	run := 0
	for i, v := range values {
		if math.IsNaN(v) {
			run = 0
			continue
		}
		x, y := p.X(p.Hours[i])+p.Per/2, a.Y(v)
		if run > 0 && p.next(i-1) {
			d.WriteString("L" + Tenths(x) + " " + Tenths(y))
		} else {
			d.WriteString("M" + Tenths(x) + " " + Tenths(y))
			run = 0
		}
		run++
		if run == 1 && (i+1 == len(values) || math.IsNaN(values[i+1]) || !p.next(i)) {
			lone = append(lone, [2]float64{x, y})
		}
	}
	if d.Len() == 0 {
		return
	}
	p.Line(class, d.String())
	for _, at := range lone {
		p.Void("circle", "class", "lone "+class, "cx", Tenths(at[0]), "cy", Tenths(at[1]), "r", "2")
	}
}

// Column begins what belongs to one hour: its words, and the ground on which a pointer finds
// it. Whoever begins it ends it.
func (p *Plot) Column(h time.Time, head, foot float64, title string) {
	p.Start("g", "data-hour", p.Look.HourName(h))
	p.Words("title", title)
	p.Rect("hit", p.X(h), head, p.Per, foot-head)
}

// next reports whether the hour after one follows it at once.
func (p *Plot) next(i int) bool { return p.Hours[i+1].Sub(p.Hours[i]) == time.Hour }

// Threshold draws a line across; none for 0.
func (p *Plot) Threshold(a Axis, v float64) {
	if v > 0 {
		p.Line("ref", "M"+Tenths(p.Left)+" "+Tenths(a.Y(v))+"H"+Tenths(p.Right))
	}
}

// A Span is hours from a moment to another; one without a beginning is not drawn.
type Span struct{ From, To time.Time }

// Span draws a bracket over some hours, and their name.
func (p *Plot) Span(class string, y float64, s Span, name string) {
	end := p.Hours[len(p.Hours)-1].Add(time.Hour)
	if s.From.IsZero() || !s.To.After(s.From) || !s.To.After(p.Hours[0]) || !s.From.Before(end) {
		return
	}
	from, to := p.X(s.From), p.X(s.To)
	p.Line("span "+class, "M"+Tenths(from)+" "+Tenths(y+6)+"v-6H"+Tenths(to)+"v6")
	if text := Short(name, 40); from-p.Left > TextWidth(text, 10.5)+8 {
		p.Text("lbl", from-5, y+4, AtEnd, text)
	} else {
		p.Text("lbl", to+5, y+4, "", Short(name, p.roomFrom(to)))
	}
}

// An Ending is what stands to the right of a line; Y is where the line ends, and not a
// number where there is none.
type Ending struct {
	Class, Text string
	Y           float64
}

// Names writes what the lines are at their ends, from the top, not on each other.
func (p *Plot) Names(all ...Ending) {
	const apart = 13
	all = slices.DeleteFunc(all, func(e Ending) bool { return math.IsNaN(e.Y) })
	slices.SortStableFunc(all, func(a, b Ending) int { return cmp.Compare(a.Y, b.Y) })
	free := math.Inf(-1)
	for _, e := range all {
		y := max(e.Y, free)
		for _, line := range lines(e.Text, p.Room()) {
			p.Text(e.Class, p.Right+6, y+4, "", line)
			y += apart
		}
		free = y
	}
}

// maxLines is how many lines a name has at most.
const maxLines = 4

// lines breaks a name between its words, so that it is not cut off: each line has at most so
// many letters. A word that is longer, or what has no room in the lines, ends with a mark.
func lines(text string, most int) (out []string) {
	words := strings.Fields(Plain(text))
	for len(words) > 0 {
		n := 1
		for n < len(words) && utf8.RuneCountInString(strings.Join(words[:n+1], " ")) <= most {
			n++
		}
		if len(out) == maxLines-1 {
			n = len(words)
		}
		if line := Short(strings.Join(words[:n], " "), most); line != "" {
			out = append(out, line)
		}
		words = words[n:]
	}
	return out
}

// Last is where a curve ends; not a number where there is none.
func (a Axis) Last(values []float64) float64 {
	for _, v := range slices.Backward(values) {
		if !math.IsNaN(v) {
			return a.Y(v)
		}
	}
	return math.NaN()
}
