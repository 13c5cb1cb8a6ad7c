package picture

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/chart"
)

// A stretch is where some air was during an hour, and how uncertain that is.
type stretch struct{ x, y, backX, backY, r float64 }

// band draws where the air of the window can have been. The group is see-through as
// a whole, so that it is no darker where stretches overlap: darkness would say
// something that is not known.
func (s *sheet) band() {
	byHour := map[int][]stretch{}
	for _, p := range s.paths {
		for k := range max(len(p.Points)-1, 1) {
			if v := s.stretch(p.Points[k], p.Points[min(k+1, len(p.Points)-1)]); s.f.Shows(v.x, v.y, v.r) ||
				s.f.Shows(v.backX, v.backY, v.r) {
				h := chart.HourOf(before(p, k), s.o.Zero)
				byHour[h] = append(byHour[h], v)
			}
		}
	}
	if len(byHour) == 0 {
		return
	}
	s.Start("g", "class", "corr")
	for _, h := range slices.Sorted(maps.Keys(byHour)) {
		s.Start("g", "data-hour", strconv.Itoa(h))
		for _, v := range thin(byHour[h]) {
			s.Void("path", "d", "M"+chart.Whole(v.x)+" "+chart.Whole(v.y)+"L"+chart.Whole(v.backX)+" "+chart.Whole(v.backY), "stroke-width",
				chart.Whole(2*v.r))
		}
		s.End()
	}
	s.End()
}

// stretch is the way between two points, as wide as they are on the mean.
func (s *sheet) stretch(from, back analysis.Waypoint) stretch {
	x, y := s.f.At(from.Lat, from.Lon)
	backX, backY := s.f.At(back.Lat, back.Lon)
	return stretch{x, y, backX, backY, max(s.f.KM(min((from.Width+back.Width)/2, widest)), 1)}
}

// before is when the air of a path was at one of its points.
func before(p analysis.Passage, point int) time.Time {
	return p.Arrives.Add(-time.Duration(point) * time.Hour)
}

// thin leaves out stretches that lie nearly on the one before: both ends less than
// half a radius apart. Between the two that stay on either side, the edge of the
// band is then off by at most r − √(r² − (r/2)²), an eighth of r, and commonly by
// far less. The last one always stays.
func thin(in []stretch) (out []stretch) {
	for i, v := range in {
		if n := len(out); n > 0 && i < len(in)-1 {
			last := out[n-1]
			if reach := min(v.r, last.r) / 2; math.Hypot(v.x-last.x, v.y-last.y) < reach && math.Hypot(v.backX-last.backX,
				v.backY-last.backY) < reach {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// heaviest is the path of the hour that weighs most, the last of equals; nil where
// there is none.
func (s *sheet) heaviest() *analysis.Passage {
	var best *analysis.Passage
	for i, p := range s.paths {
		if best == nil || p.Weight >= best.Weight {
			best = &s.paths[i]
		}
	}
	return best
}

// labelEvery is how many hours lie between two hours that are written at the path.
func labelEvery(hours int) int {
	switch {
	case hours <= 12:
		return 3
	case hours <= 36:
		return 6
	}
	return 12
}

// drawLine draws one path as a line.
func (s *sheet) drawLine(p *analysis.Passage) {
	if p == nil {
		return
	}
	var d strings.Builder
	for k, at := range p.Points {
		x, y := s.f.At(at.Lat, at.Lon)
		join := "L"
		if k == 0 {
			join = "M"
		}
		d.WriteString(join + chart.Tenths(x) + " " + chart.Tenths(y))
	}
	s.Line("backpath", d.String())
}

// nameHours puts a dot and a word on that line every few hours.
func (s *sheet) nameHours(p *analysis.Passage) {
	if p == nil {
		return
	}
	every := labelEvery(len(p.Points) - 1)
	for k := every; k < len(p.Points); k += every {
		x, y := s.f.At(p.Points[k].Lat, p.Points[k].Lon)
		if !s.f.Shows(x, y, 0) {
			continue
		}
		s.Start("g", "data-hour", s.o.HourName(before(*p, k)))
		s.Void("circle", "class", "bp-dot", "cx", chart.Tenths(x), "cy", chart.Tenths(y), "r", "2.5")
		s.taken.Name(s.Canvas, "bp-t", x, y, 6, 10, chart.Fill(s.o.Labels.Before, "n", strconv.Itoa(k)))
		s.End()
	}
}

// drawCuts marks where paths end because the wind does.
func (s *sheet) drawCuts() {
	for _, p := range s.paths {
		last := len(p.Points) - 1
		if x, y := s.f.At(p.Points[last].Lat, p.Points[last].Lon); p.Cut && s.f.Shows(x, y, 0) {
			s.Start("g", "data-hour", s.o.HourName(before(p, last)))
			s.Line("cut", cross(x, y))
			s.End()
		}
	}
}

func cross(x, y float64) string {
	return "M" + chart.Tenths(x-3.5) + " " + chart.Tenths(y-3.5) + "l7 7m0-7-7 7"
}

// cuts is how many paths end where the wind does.
func (s *sheet) cuts() (n int) {
	for _, p := range s.paths {
		if p.Cut {
			n++
		}
	}
	return n
}

// pathTable is all paths, one row for each hour of the window.
func (s *sheet) pathTable() chart.Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	zone := s.o.ZoneName(s.o.Zero)
	t := chart.Table{Name: "paths", Title: l.Tables.Paths, Columns: []chart.Column{{Title: chart.Fill(col.Arrives, "zone", zone)},
		{Title: col.Weight, Num: true}, {Title: col.Followed, Num: true},
		{Title: col.Latitude, Num: true}, {Title: col.Longitude, Num: true}, {Title: col.Width, Num: true}, {Title: col.Cut}}}
	for _, p := range s.paths {
		end := p.Points[len(p.Points)-1]
		cut := l.No
		if p.Cut {
			cut = l.Yes
		}
		t.Rows = append(t.Rows, chart.Row{Hour: s.o.HourName(p.Arrives), Cells: []string{s.o.Moment(p.Arrives),
			chart.Figure(100*p.Weight, 1), strconv.Itoa(len(p.Points) - 1),
			chart.Figure(end.Lat, 3), chart.Figure(end.Lon, 3), chart.Figure(end.Width, 1), cut}})
	}
	return t
}

// wayTable is the path that is drawn as a line, hour by hour.
func (s *sheet) wayTable(p *analysis.Passage) chart.Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	t := chart.Table{Name: "way", Title: l.Tables.Way, Columns: []chart.Column{{Title: col.Before, Num: true},
		{Title: chart.Fill(col.Time, "zone", s.o.ZoneName(s.o.Zero))},
		{Title: col.Latitude, Num: true}, {Title: col.Longitude, Num: true}, {Title: col.Width, Num: true}}}
	if p == nil {
		return t
	}
	for k, at := range p.Points {
		when := before(*p, k)
		t.Rows = append(t.Rows, chart.Row{Hour: s.o.HourName(when), Cells: []string{strconv.Itoa(k), s.o.Moment(when),
			chart.Figure(at.Lat, 3), chart.Figure(at.Lon, 3), chart.Figure(at.Width, 1)}})
	}
	return t
}
