package picture

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/chart"
)

// SeriesOptions are what the curves are told besides the picture.
type SeriesOptions struct {
	chart.Look
	Station     string  // its name
	HourlyAbove float64 // µg/m³, from which an hour can be a surge hour; 0: not drawn
	IndexAbove  int     // which the index must exceed; 0: not drawn
	Episode     chart.Span
	Window      chart.Span // the hours whose air was followed
	Labels      SeriesLabels
}

// A plot is curves being drawn.
type plot struct {
	*chart.Plot
	o     SeriesOptions
	hours []analysis.Hourly
	lost  int // earlier hours that are not drawn

	pm25, interior, index []float64 // of each hour; not a number where it is not known
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
func Series(p analysis.Picture, o SeriesOptions) chart.Drawing {
	o.Look = lookAt(o.Look, p)
	hourly, above := limit(o.HourlyAbove), math.Trunc(limit(float64(o.IndexAbove)))
	c := newPlot(p.Series, o)
	l := o.Labels
	c.Canvas = o.Begin("seriessvg", seriesHigh, chart.Fill(l.Title, "station", o.Station), c.desc())
	air := c.Axis(airTop, airFoot, max(most(c.pm25), most(c.interior), hourly), l.PM25)
	index := c.Axis(indexTop, indexFoot, max(most(c.index), above), l.Index)
	if len(c.hours) > 0 {
		c.Clocks(indexFoot, clockRow, dayRow)
		c.Threshold(air, hourly)
		c.Threshold(index, above)
		c.Span("span-episode", episodeRow, o.Episode, l.Episode)
		c.Span("span-window", windowRow, o.Window, l.Window)
		c.Curve(chart.Second, air, c.interior)
		c.Curve(chart.First, air, c.pm25)
		c.Curve(chart.Third, index, c.index)
		c.Names(chart.Ending{Class: "t-ink", Text: chart.Fill(l.Station, "station", o.Station), Y: air.Last(c.pm25)},
			chart.Ending{Text: l.Interior, Y: air.Last(c.interior)}, c.rule(air, hourly))
		c.Names(c.rule(index, above))
		c.columns()
	}
	return chart.Drawing{SVG: c.Done(), Legend: c.legend(), Notes: c.notes(), Tables: []chart.Table{c.table()}}
}

func newPlot(hours []analysis.Hourly, o SeriesOptions) *plot {
	c := &plot{o: o, hours: hours}
	if n := len(c.hours) - MaxHours; n > 0 {
		c.hours, c.lost = c.hours[n:], n
	}
	var begin []time.Time
	for _, h := range c.hours {
		begin = append(begin, h.From)
		c.pm25 = append(c.pm25, known(h.PM25))
		c.interior = append(c.interior, known(h.Interior))
		c.index = append(c.index, indexOf(h))
	}
	c.Plot = chart.NewPlot(o.Look, begin)
	return c
}

func indexOf(h analysis.Hourly) float64 {
	if h.Index == nil || *h.Index < 0 || *h.Index > chart.Farthest {
		return math.NaN()
	}
	return float64(*h.Index)
}

// known is a value, or not a number for what cannot be one of air.
func known(v *float64) float64 {
	if v == nil || !chart.Finite(*v) || *v < 0 || *v > chart.Farthest {
		return math.NaN()
	}
	return *v
}

// limit is a threshold, or 0 for what cannot be one.
func limit(v float64) float64 {
	if v > 0 && v <= chart.Farthest {
		return v
	}
	return 0
}

// most is the largest value of a curve.
func most(values []float64) (top float64) {
	for _, v := range values {
		if v > top {
			top = v
		}
	}
	return top
}

// rule is the ending of a threshold.
func (c *plot) rule(a chart.Axis, v float64) chart.Ending {
	if v == 0 {
		return chart.Ending{Y: math.NaN()}
	}
	return chart.Ending{Class: "lbl", Text: chart.Fill(c.o.Labels.Above, "n", chart.Whole(v)), Y: a.Y(v)}
}
