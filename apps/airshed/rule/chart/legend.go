package chart

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// swatch is a mark of a legend.
func swatch(draw func(c *canvas)) SVG {
	c := &canvas{}
	c.start("svg", "class", "swatch", "viewBox", "0 0 16 16", "aria-hidden", "true", "focusable", "false")
	draw(c)
	return c.done()
}

// legend says what the marks are and how many there are of each.
func (s *sheet) legend(way *analysis.Passage) []Entry {
	out := s.stationLegend()
	out = append(out, s.fireLegend()...)
	l := s.o.Labels
	if len(s.paths) > 0 {
		out = append(out, Entry{swatch(func(c *canvas) { c.rect("corr", 0, 3, 16, 10) }), counted(l.Corridor, len(s.paths))})
	}
	if way != nil {
		out = append(out, Entry{swatch(func(c *canvas) { c.line("backpath", "M0 8H16") }),
			fill(l.Path, "time", s.o.moment(way.Arrives), "zone", s.o.zoneName(way.Arrives))})
	}
	if n := s.cuts(); n > 0 {
		out = append(out, Entry{swatch(func(c *canvas) { c.line("cut", cross(8, 8)) }), counted(l.Cut, n)})
	}
	return out
}

func counted(label string, n int) string { return plain(label) + " (" + count(n) + ")" }

// stationLegend is the kinds of stations.
func (s *sheet) stationLegend() (out []Entry) {
	l := s.o.Labels
	var border, interior, silent int
	for _, st := range s.stations {
		switch {
		case s.isMain(st):
		case st.Role == surge.Border:
			border++
		default:
			interior++
		}
		if st.Silent {
			silent++
		}
	}
	add := func(st Station, text string) {
		out = append(out, Entry{swatch(func(c *canvas) { c.ring(st, 8, 8, 6, s.o.id("h")) }), text})
	}
	if s.main.Site != "" {
		out = append(out, Entry{swatch(func(c *canvas) { c.target(Station{}, 8, 8, 3, "") }), fill(l.Station, "station", plain(called(s.main)))})
	}
	if border > 0 {
		add(Station{Station: surge.Station{Role: surge.Border}}, counted(l.Border, border))
	}
	if interior > 0 {
		add(Station{Station: surge.Station{Role: surge.Interior}}, counted(l.Interior, interior))
	}
	if silent > 0 {
		add(Station{Silent: true}, counted(l.Silent, silent))
	}
	return out
}

// fireLegend is the satellites by shape, the ages by line, and two sizes. A
// satellite that was looked at and saw nothing is there: none is a finding, and one
// that did not look is not none.
func (s *sheet) fireLegend() (out []Entry) {
	l := s.o.Labels
	names, by := s.satellites()
	for k := ball; k <= half; k++ {
		for _, name := range names {
			if shapeOf(name) != k || k == half {
				continue
			}
			out = append(out, Entry{swatch(func(c *canvas) { c.mark(k, 8, 8, 5, "class", ageClasses[0]) }),
				counted(fill(l.Fire, "satellite", string(name)), by[name])})
		}
	}
	others, ages := 0, [3]int{}
	for _, f := range s.fires {
		if shapeOf(f.Satellite) == half {
			others++
		}
		ages[ageOf(hourOf(f.Time, s.zero))]++
	}
	if others > 0 || slices.ContainsFunc(names, func(n fire.Satellite) bool { return shapeOf(n) == half }) {
		out = append(out, Entry{swatch(func(c *canvas) { c.mark(half, 8, 8, 5, "class", ageClasses[0]) }), counted(l.Others, others)})
	}
	if len(s.fires) == 0 {
		return out
	}
	for k, n := range ages {
		out = append(out, Entry{swatch(func(c *canvas) { c.mark(ball, 8, 8, 5, "class", ageClasses[k]) }), counted(l.Ages[k], n)})
	}
	for _, mw := range []float64{10, 100} {
		out = append(out, Entry{swatch(func(c *canvas) { c.mark(ball, 8, 8, radius(mw), "class", ageClasses[0]) }), fill(l.Power, "n", whole(mw))})
	}
	return out
}

// satellites are those that were looked at and those that saw something, each once,
// and how many fires each saw.
func (s *sheet) satellites() (names []fire.Satellite, by map[fire.Satellite]int) {
	by = map[fire.Satellite]int{}
	add := func(name fire.Satellite) {
		if _, known := by[name]; !known && strings.TrimSpace(string(name)) != "" {
			by[name] = 0
			names = append(names, name)
		}
	}
	for _, name := range s.o.Satellites {
		add(name)
	}
	for _, f := range s.fires {
		add(f.Satellite)
		by[f.Satellite]++
	}
	return names, by
}
