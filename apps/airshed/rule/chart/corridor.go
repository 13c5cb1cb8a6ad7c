package chart

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
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
			if v := s.stretch(p.Points[k], p.Points[min(k+1, len(p.Points)-1)]); s.f.shows(v.x, v.y, v.r) || s.f.shows(v.backX, v.backY, v.r) {
				h := hourOf(before(p, k), s.zero)
				byHour[h] = append(byHour[h], v)
			}
		}
	}
	if len(byHour) == 0 {
		return
	}
	s.start("g", "class", "corr")
	for _, h := range slices.Sorted(maps.Keys(byHour)) {
		s.start("g", "data-hour", strconv.Itoa(h))
		for _, v := range thin(byHour[h]) {
			s.void("path", "d", "M"+whole(v.x)+" "+whole(v.y)+"L"+whole(v.backX)+" "+whole(v.backY), "stroke-width", whole(2*v.r))
		}
		s.end()
	}
	s.end()
}

// stretch is the way between two points, as wide as they are on the mean.
func (s *sheet) stretch(from, back analysis.Waypoint) stretch {
	x, y := s.f.at(from.Lat, from.Lon)
	backX, backY := s.f.at(back.Lat, back.Lon)
	return stretch{x, y, backX, backY, max(s.f.km(min((from.Width+back.Width)/2, widest)), 1)}
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
			if reach := min(v.r, last.r) / 2; math.Hypot(v.x-last.x, v.y-last.y) < reach && math.Hypot(v.backX-last.backX, v.backY-last.backY) < reach {
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
		x, y := s.f.at(at.Lat, at.Lon)
		join := "L"
		if k == 0 {
			join = "M"
		}
		d.WriteString(join + tenths(x) + " " + tenths(y))
	}
	s.line("backpath", d.String())
}

// nameHours puts a dot and a word on that line every few hours.
func (s *sheet) nameHours(p *analysis.Passage) {
	if p == nil {
		return
	}
	every := labelEvery(len(p.Points) - 1)
	for k := every; k < len(p.Points); k += every {
		x, y := s.f.at(p.Points[k].Lat, p.Points[k].Lon)
		if !s.f.shows(x, y, 0) {
			continue
		}
		s.start("g", "data-hour", strconv.Itoa(hourOf(before(*p, k), s.zero)))
		s.void("circle", "class", "bp-dot", "cx", tenths(x), "cy", tenths(y), "r", "2.5")
		s.taken.name(s.canvas, "bp-t", x, y, 6, 10, fill(s.o.Labels.Before, "n", strconv.Itoa(k)))
		s.end()
	}
}

// drawCuts marks where paths end because the wind does.
func (s *sheet) drawCuts() {
	for _, p := range s.paths {
		last := len(p.Points) - 1
		if x, y := s.f.at(p.Points[last].Lat, p.Points[last].Lon); p.Cut && s.f.shows(x, y, 0) {
			s.start("g", "data-hour", strconv.Itoa(hourOf(before(p, last), s.zero)))
			s.line("cut", cross(x, y))
			s.end()
		}
	}
}

func cross(x, y float64) string { return "M" + tenths(x-3.5) + " " + tenths(y-3.5) + "l7 7m0-7-7 7" }

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
func (s *sheet) pathTable() Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	zone := s.o.zoneName(s.zero)
	t := Table{Name: "paths", Title: l.Tables.Paths, Columns: []Column{{fill(col.Arrives, "zone", zone), false}, {col.Weight, true}, {col.Followed, true},
		{col.Latitude, true}, {col.Longitude, true}, {col.Width, true}, {col.Cut, false}}}
	for _, p := range s.paths {
		end := p.Points[len(p.Points)-1]
		cut := l.No
		if p.Cut {
			cut = l.Yes
		}
		t.Rows = append(t.Rows, Row{strconv.Itoa(hourOf(p.Arrives, s.zero)), []string{s.o.moment(p.Arrives), figure(100*p.Weight, 1), strconv.Itoa(len(p.Points) - 1),
			figure(end.Lat, 3), figure(end.Lon, 3), figure(end.Width, 1), cut}})
	}
	return t
}

// wayTable is the path that is drawn as a line, hour by hour.
func (s *sheet) wayTable(p *analysis.Passage) Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	t := Table{Name: "way", Title: l.Tables.Way, Columns: []Column{{col.Before, true}, {fill(col.Time, "zone", s.o.zoneName(s.zero)), false},
		{col.Latitude, true}, {col.Longitude, true}, {col.Width, true}}}
	if p == nil {
		return t
	}
	for k, at := range p.Points {
		when := before(*p, k)
		t.Rows = append(t.Rows, Row{strconv.Itoa(hourOf(when, s.zero)), []string{strconv.Itoa(k), s.o.moment(when), figure(at.Lat, 3), figure(at.Lon, 3), figure(at.Width, 1)}})
	}
	return t
}
