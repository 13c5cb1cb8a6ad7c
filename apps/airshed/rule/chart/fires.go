package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
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
func (c *canvas) mark(s shape, x, y, r float64, attrs ...string) {
	if s == ball {
		c.void("circle", append(attrs, "cx", tenths(x), "cy", tenths(y), "r", tenths(r))...)
		return
	}
	var d string
	switch s {
	case tent:
		r *= 1.2
		d = "M" + tenths(x) + " " + tenths(y-r) + "l" + tenths(r) + " " + tenths(1.75*r) + "h" + tenths(-2*r) + "Z"
	case bowl:
		r *= 1.2
		d = "M" + tenths(x) + " " + tenths(y+r) + "l" + tenths(r) + " " + tenths(-1.75*r) + "h" + tenths(-2*r) + "Z"
	case square:
		r *= 0.9
		d = "M" + tenths(x-r) + " " + tenths(y-r) + "h" + tenths(2*r) + "v" + tenths(2*r) + "h" + tenths(-2*r) + "Z"
	case diamond:
		r *= 1.25
		d = "M" + tenths(x) + " " + tenths(y-r) + "l" + tenths(r) + " " + tenths(r) + "l" + tenths(-r) + " " + tenths(r) + "l" + tenths(-r) + " " + tenths(-r) + "Z"
	default:
		r *= 1.4
		d = "M" + tenths(x-r) + " " + tenths(y+r/2) + "a" + tenths(r) + " " + tenths(r) + " 0 0 1 " + tenths(2*r) + " 0Z"
	}
	c.void("path", append(attrs, "d", d)...)
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
	s.start("g", "class", "fires")
	for i := 0; i < len(s.fires); {
		h := hourOf(s.fires[i].Time, s.zero)
		n := i
		for n < len(s.fires) && hourOf(s.fires[n].Time, s.zero) == h {
			n++
		}
		s.start("g", "class", ageClasses[ageOf(h)], "data-hour", strconv.Itoa(h))
		s.words("title", fill(s.o.Labels.Hour, "time", s.o.moment(s.fires[i].Time), "n", count(n-i)))
		for _, f := range s.fires[i:n] {
			x, y := s.f.at(f.At.Lat, f.At.Lon)
			s.mark(shapeOf(f.Satellite), x, y, radius(f.FRP))
		}
		s.end()
		i = n
	}
	s.end()
}

// fireTable is all fires that are drawn.
func (s *sheet) fireTable() Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	t := Table{Name: "fires", Title: l.Tables.Fires, Columns: []Column{{fill(col.Time, "zone", s.o.zoneName(s.zero)), false}, {col.Satellite, false}, {col.Power, true},
		{col.Latitude, true}, {col.Longitude, true}, {col.State, false}, {col.District, false}}}
	for _, f := range s.fires {
		t.Rows = append(t.Rows, Row{strconv.Itoa(hourOf(f.Time, s.zero)), []string{s.o.moment(f.Time), plain(string(f.Satellite)), figure(f.FRP, 1),
			figure(f.At.Lat, 3), figure(f.At.Lon, 3), plain(place(f.State, l.Abroad, l.Unknown)), plain(f.District)}})
	}
	return t
}
