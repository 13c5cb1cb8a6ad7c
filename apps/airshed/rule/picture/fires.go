package picture

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/chart"
)

// A shape is what the fires of a satellite look like.
type shape uint8

// The shapes. The order is that of the legend.
const (
	ball shape = iota
	tent
	square
	diamond
	bowl
	half // satellites without a shape of their own
)

func shapeOf(s fire.Satellite) shape {
	switch s {
	case "NOAA-20":
		return ball
	case "NOAA-21":
		return tent
	case "Suomi-NPP":
		return square
	case "Terra":
		return diamond
	case "Aqua":
		return bowl
	}
	return half
}

// mark draws one fire. The shapes have about the same area for one radius.
func mark(c *chart.Canvas, s shape, x, y, r float64, attrs ...string) {
	if s == ball {
		c.Void("circle", append(attrs, "cx", chart.Tenths(x), "cy", chart.Tenths(y), "r", chart.Tenths(r))...)
		return
	}
	var d string
	switch s {
	case tent:
		r *= 1.2
		d = "M" + chart.Tenths(x) + " " + chart.Tenths(y-r) + "l" + chart.Tenths(r) + " " + chart.Tenths(1.75*r) + "h" +
			chart.Tenths(-2*r) + "Z"
	case bowl:
		r *= 1.2
		d = "M" + chart.Tenths(x) + " " + chart.Tenths(y+r) + "l" + chart.Tenths(r) + " " + chart.Tenths(-1.75*r) + "h" +
			chart.Tenths(-2*r) + "Z"
	case square:
		r *= 0.9
		d = "M" + chart.Tenths(x-r) + " " + chart.Tenths(y-r) + "h" + chart.Tenths(2*r) + "v" + chart.Tenths(2*r) + "h" +
			chart.Tenths(-2*r) + "Z"
	case diamond:
		r *= 1.25
		d = "M" + chart.Tenths(x) + " " + chart.Tenths(y-r) + "l" + chart.Tenths(r) + " " + chart.Tenths(r) + "l" + chart.Tenths(-r) + " " +
			chart.Tenths(r) + "l" + chart.Tenths(-r) + " " + chart.Tenths(-r) + "Z"
	default:
		r *= 1.4
		d = "M" + chart.Tenths(x-r) + " " + chart.Tenths(y+r/2) + "a" + chart.Tenths(r) + " " + chart.Tenths(r) + " 0 0 1 " +
			chart.Tenths(2*r) + " 0Z"
	}
	c.Void("path", append(attrs, "d", d)...)
}

// radius is the size of a fire: its area grows with its power, within bounds.
func radius(frp float64) float64 {
	if math.IsNaN(frp) || frp < 0 {
		frp = 0
	}
	return min(1.8+0.45*math.Sqrt(frp), 8)
}

// ageOf is the class of a fire by the hour it was seen in: less than a day before
// the hour 0 or after it, less than two days, more.
func ageOf(hour int) int {
	switch {
	case hour >= -24:
		return 0
	case hour >= -48:
		return 1
	}
	return 2
}

var ageClasses = [3]string{"fire new", "fire aged", "fire old"}

// pickFires takes the fires that can be drawn: the strongest, in order of time.
func (s *sheet) pickFires(p analysis.Picture) []analysis.Sighting {
	out := make([]analysis.Sighting, 0, len(p.Fires))
	for _, f := range p.Fires {
		if f.At.Valid() {
			out = append(out, f)
		}
	}
	if len(out) > MaxFires {
		slices.SortStableFunc(out, func(a, b analysis.Sighting) int { return cmp.Compare(b.FRP, a.FRP) })
		out = out[:MaxFires]
	}
	slices.SortStableFunc(out, func(a, b analysis.Sighting) int { return a.Time.Compare(b.Time) })
	s.left.fires = max(p.NotDrawn, 0) + len(p.Fires) - len(out)
	return out
}

// drawFires draws the fires, those of one hour together.
func (s *sheet) drawFires() {
	s.Start("g", "class", "fires")
	for i := 0; i < len(s.fires); {
		h := chart.HourOf(s.fires[i].Time, s.o.Zero)
		n := i
		for n < len(s.fires) && chart.HourOf(s.fires[n].Time, s.o.Zero) == h {
			n++
		}
		s.Start("g", "class", ageClasses[ageOf(h)], "data-hour", strconv.Itoa(h))
		s.Words("title", chart.Fill(s.o.Labels.Hour, "time", s.o.Moment(s.fires[i].Time), "n", chart.Count(n-i)))
		for _, f := range s.fires[i:n] {
			x, y := s.f.At(f.At.Lat, f.At.Lon)
			mark(s.Canvas, shapeOf(f.Satellite), x, y, radius(f.FRP))
		}
		s.End()
		i = n
	}
	s.End()
}

// fireTable is all fires that are drawn.
func (s *sheet) fireTable() chart.Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	t := chart.Table{Name: "fires", Title: l.Tables.Fires,
		Columns: []chart.Column{{Title: chart.Fill(col.Time, "zone", s.o.ZoneName(s.o.Zero))}, {Title: col.Satellite},
			{Title: col.Power, Num: true},
			{Title: col.Latitude, Num: true}, {Title: col.Longitude, Num: true}, {Title: col.State}, {Title: col.District}}}
	for _, f := range s.fires {
		t.Rows = append(t.Rows, chart.Row{Hour: s.o.HourName(f.Time), Cells: []string{s.o.Moment(f.Time), chart.Plain(string(f.Satellite)),
			chart.Figure(f.FRP, 1),
			chart.Figure(f.At.Lat, 3), chart.Figure(f.At.Lon, 3), chart.Plain(place(f.State, l.Abroad, l.Unknown)),
			chart.Plain(f.District)}})
	}
	return t
}
