package picture

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
)

// legend says what the marks are and how many there are of each.
func (s *sheet) legend(way *analysis.Passage) []chart.Entry {
	out := s.stationLegend()
	out = append(out, s.fireLegend()...)
	l := s.o.Labels
	if len(s.paths) > 0 {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { c.Rect("corr", 0, 3, 16, 10) }),
			Text: chart.Counted(l.Corridor, len(s.paths))})
	}
	if way != nil {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { c.Line("backpath", "M0 8H16") }),
			Text: chart.Fill(l.Path, "time", s.o.Moment(way.Arrives), "zone", s.o.ZoneName(way.Arrives))})
	}
	if n := s.cuts(); n > 0 {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { c.Line("cut", cross(8, 8)) }),
			Text: chart.Counted(l.Cut, n)})
	}
	return out
}

// stationLegend is the kinds of stations.
func (s *sheet) stationLegend() (out []chart.Entry) {
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
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { ring(c, st, 8, 8, 6, s.o.PartID("h")) }), Text: text})
	}
	if s.main.Site != "" {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { target(c, Station{}, 8, 8, 3, "") }),
			Text: chart.Fill(l.Station, "station", chart.Plain(called(s.main)))})
	}
	if border > 0 {
		add(Station{Station: surge.Station{Role: surge.Border}}, chart.Counted(l.Border, border))
	}
	if interior > 0 {
		add(Station{Station: surge.Station{Role: surge.Interior}}, chart.Counted(l.Interior, interior))
	}
	if silent > 0 {
		add(Station{Silent: true}, chart.Counted(l.Silent, silent))
	}
	return out
}

// fireLegend is the satellites by shape, the ages by line, and two sizes. A
// satellite that was looked at and saw nothing is there: none is a finding, and one
// that did not look is not none.
func (s *sheet) fireLegend() (out []chart.Entry) {
	l := s.o.Labels
	names, by := s.satellites()
	for k := ball; k <= half; k++ {
		for _, name := range names {
			if shapeOf(name) != k || k == half {
				continue
			}
			out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { mark(c, k, 8, 8, 5, "class", ageClasses[0]) }),
				Text: chart.Counted(chart.Fill(l.Fire, "satellite", string(name)), by[name])})
		}
	}
	others, ages := 0, [3]int{}
	for _, f := range s.fires {
		if shapeOf(f.Satellite) == half {
			others++
		}
		ages[ageOf(chart.HourOf(f.Time, s.o.Zero))]++
	}
	if others > 0 || slices.ContainsFunc(names, func(n fire.Satellite) bool { return shapeOf(n) == half }) {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { mark(c, half, 8, 8, 5, "class", ageClasses[0]) }),
			Text: chart.Counted(l.Others, others)})
	}
	if len(s.fires) == 0 {
		return out
	}
	for k, n := range ages {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { mark(c, ball, 8, 8, 5, "class", ageClasses[k]) }),
			Text: chart.Counted(l.Ages[k], n)})
	}
	for _, mw := range []float64{10, 100} {
		out = append(out, chart.Entry{Mark: chart.Swatch(func(c *chart.Canvas) { mark(c, ball, 8, 8, radius(mw), "class", ageClasses[0]) }),
			Text: chart.Fill(l.Power, "n", chart.Whole(mw))})
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
