package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
)

// SeriesOptions are what the curves are told besides the picture.
type SeriesOptions struct {
	Look
	Station     string  // its name
	HourlyAbove float64 // µg/m³, from which an hour can be a surge hour; 0: not drawn
	IndexAbove  int     // which the index must exceed; 0: not drawn
	Episode     Span
	Window      Span // the hours whose air was followed
	Labels      SeriesLabels
}

// A Span is hours from a moment to another; one without a beginning is not drawn.
type Span struct{ From, To time.Time }

// A plot is curves being drawn.
type plot struct {
	*canvas
	o     SeriesOptions
	hours []analysis.Hourly
	zero  time.Time
	from  time.Time // when the first hour begins
	per   float64   // parts of the view box for an hour
	left  float64
	right float64 // where the curves end
	lost  int     // earlier hours that are not drawn
}

// The rows of the drawing, from the top.
const (
	episodeRow = 14.0
	windowRow  = 28.0
	airTop     = 58.0
	airFoot    = 168.0
	indexTop   = 196.0
	indexFoot  = 262.0
	stripTop   = 268.0
	stripFoot  = 274.0
	clockRow   = 288.0
	dayRow     = 301.0
	seriesHigh = 308.0
)

// Series draws the fine particles of the station hour by hour beside the median of
// the stations inside the city, and below them the index of 24 hours, with the
// thresholds of the rule. Both axes begin at nothing. An hour that is not known is a
// gap in the line.
func Series(p analysis.Picture, o SeriesOptions) Drawing {
	o.HourlyAbove, o.IndexAbove = limit(o.HourlyAbove), int(limit(float64(o.IndexAbove)))
	c := newPlot(p, o)
	l := o.Labels
	c.canvas = o.svg("seriessvg", seriesHigh, fill(l.Title, "station", o.Station), c.desc())
	air := c.axis(airTop, airFoot, max(c.top(pm25, interior), o.HourlyAbove), l.PM25)
	index := c.axis(indexTop, indexFoot, max(c.top(indexOf), float64(o.IndexAbove)), l.Index)
	if len(c.hours) > 0 {
		c.clocks()
		c.threshold(air, o.HourlyAbove)
		c.threshold(index, float64(o.IndexAbove))
		c.span("span-episode", episodeRow, o.Episode, l.Episode)
		c.span("span-window", windowRow, o.Window, l.Window)
		c.curve("series s2 dash", air, interior)
		c.curve("series s1", air, pm25)
		c.curve("series s4", index, indexOf)
		c.names([]ending{{"t-ink", fill(l.Station, "station", o.Station), c.last(air, pm25)}, {"", l.Interior, c.last(air, interior)}, c.rule(air, o.HourlyAbove)})
		c.names([]ending{c.rule(index, float64(o.IndexAbove))})
		c.columns()
	}
	return Drawing{SVG: c.done(), Legend: c.legend(), Notes: c.notes(), Tables: []Table{c.table()}}
}

func newPlot(p analysis.Picture, o SeriesOptions) *plot {
	c := &plot{o: o, hours: p.Series, zero: o.zero(p), left: 36}
	if n := len(c.hours) - MaxHours; n > 0 {
		c.hours, c.lost = c.hours[n:], n
	}
	c.right = o.width() - 112
	if o.narrow() {
		c.right = o.width() - 62
	}
	if n := len(c.hours); n > 0 {
		c.from = c.hours[0].From
		long := max(c.hours[n-1].From.Sub(c.from).Hours()+1, 1)
		c.per = (c.right - c.left) / long
	}
	return c
}

// x is where a moment lies, within the drawing.
func (c *plot) x(t time.Time) float64 {
	return min(max(c.left+t.Sub(c.from).Hours()*c.per, c.left), c.right)
}

// What is drawn of an hour; not a number where it is not known.
func pm25(h analysis.Hourly) float64     { return known(h.PM25) }
func interior(h analysis.Hourly) float64 { return known(h.Interior) }
func indexOf(h analysis.Hourly) float64 {
	if h.Index == nil || *h.Index < 0 || *h.Index > farthest {
		return math.NaN()
	}
	return float64(*h.Index)
}

// known is a value, or not a number for what cannot be one of air.
func known(v *float64) float64 {
	if v == nil || !finite(*v) || *v < 0 || *v > farthest {
		return math.NaN()
	}
	return *v
}

// limit is a threshold, or 0 for what cannot be one.
func limit(v float64) float64 {
	if v > 0 && v <= farthest {
		return v
	}
	return 0
}

// top is the largest value of some curves.
func (c *plot) top(of ...func(analysis.Hourly) float64) (most float64) {
	for _, h := range c.hours {
		for _, v := range of {
			if x := v(h); x > most {
				most = x
			}
		}
	}
	return most
}

// An axis lays values from nothing to its top on a part of the drawing.
type axis struct{ head, foot, most float64 }

func (a axis) y(v float64) float64 { return a.foot - min(v/a.most, 1)*(a.foot-a.head) }

// axis draws the grid and the figures of an axis: a line for each hundred, or for
// more where there would be more than six.
func (c *plot) axis(head, foot, most float64, title string) axis {
	step := 100.0
	for most/step > 5 {
		step *= 2
	}
	a := axis{head, foot, max(math.Ceil(most/step), 1) * step}
	for i := range int(a.most/step) + 1 {
		v := float64(i) * step
		c.line("grid", "M"+tenths(c.left)+" "+tenths(a.y(v))+"H"+tenths(c.right))
		c.text("", c.left-6, a.y(v)+4, atEnd, whole(v))
	}
	c.text("lbl", c.left, head-8, "", title)
	return a
}

// curve draws one line with gaps where values are not known. A value alone between
// two gaps is a dot: a line of one point is not seen.
func (c *plot) curve(class string, a axis, of func(analysis.Hourly) float64) {
	var d strings.Builder
	var lone [][2]float64
	run := 0
	for i, h := range c.hours {
		v := of(h)
		if math.IsNaN(v) {
			run = 0
			continue
		}
		joined := run > 0 && h.From.Sub(c.hours[i-1].From) == time.Hour
		x, y := c.x(h.From)+c.per/2, a.y(v)
		if joined {
			d.WriteString("L" + tenths(x) + " " + tenths(y))
		} else {
			d.WriteString("M" + tenths(x) + " " + tenths(y))
			run = 0
		}
		run++
		ends := i+1 == len(c.hours) || math.IsNaN(of(c.hours[i+1])) || c.hours[i+1].From.Sub(h.From) != time.Hour
		if run == 1 && ends {
			lone = append(lone, [2]float64{x, y})
		}
	}
	if d.Len() == 0 {
		return
	}
	c.line(class, d.String())
	for _, at := range lone {
		c.void("circle", "class", "lone "+class, "cx", tenths(at[0]), "cy", tenths(at[1]), "r", "2")
	}
}

// threshold draws a line of the rule.
func (c *plot) threshold(a axis, v float64) {
	if v > 0 {
		c.line("ref", "M"+tenths(c.left)+" "+tenths(a.y(v))+"H"+tenths(c.right))
	}
}

// span draws a bracket over some hours, and their name.
func (c *plot) span(class string, y float64, s Span, name string) {
	end := c.hours[len(c.hours)-1].From.Add(time.Hour)
	if s.From.IsZero() || !s.To.After(s.From) || !s.To.After(c.from) || !s.From.Before(end) {
		return
	}
	from, to := c.x(s.From), c.x(s.To)
	c.line("span "+class, "M"+tenths(from)+" "+tenths(y+6)+"v-6H"+tenths(to)+"v6")
	if text := short(name, 40); from-c.left > wide(text, 10.5)+8 {
		c.text("lbl", from-5, y+4, atEnd, text)
	} else {
		c.text("lbl", to+5, y+4, "", short(name, int((c.o.width()-to-8)/6.4)))
	}
}

// An ending is what stands to the right of a line; y is where the line ends.
type ending struct {
	class, text string
	y           float64
}

// rule is the ending of a threshold.
func (c *plot) rule(a axis, v float64) ending {
	if v == 0 {
		return ending{y: math.NaN()}
	}
	return ending{"lbl", fill(c.o.Labels.Above, "n", whole(v)), a.y(v)}
}

// names writes what the lines are at their ends, from the top, not on each other.
func (c *plot) names(all []ending) {
	const apart = 13
	all = slices.DeleteFunc(all, func(e ending) bool { return math.IsNaN(e.y) })
	slices.SortStableFunc(all, func(a, b ending) int { return cmp.Compare(a.y, b.y) })
	for i := 1; i < len(all); i++ {
		all[i].y = max(all[i].y, all[i-1].y+apart)
	}
	for _, e := range all {
		c.text(e.class, c.right+6, e.y+4, "", short(e.text, c.room()))
	}
}

// room is how many letters have room to the right of the curves.
func (c *plot) room() int { return int((c.o.width() - c.right - 8) / 6.4) }

// last is where a curve ends; not a number where there is none.
func (c *plot) last(a axis, of func(analysis.Hourly) float64) float64 {
	for i := len(c.hours) - 1; i >= 0; i-- {
		if v := of(c.hours[i]); !math.IsNaN(v) {
			return a.y(v)
		}
	}
	return math.NaN()
}

// hourName is the value of data-hour of an hour.
func (c *plot) hourName(h analysis.Hourly) string { return strconv.Itoa(hourOf(h.From, c.zero)) }
