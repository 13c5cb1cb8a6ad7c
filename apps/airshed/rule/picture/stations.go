package picture

import (
	"math"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
)

// near is from how many parts of the view box for a kilometre on each station has
// room for its figure.
const near = 4.0

// Sizes of stations: the one in question with its figure in it and without, another
// with its figure, any other.
const (
	mainSize  = 15.0
	mainSmall = 6.0
	roomySize = 11.0
	smallSize = 4.0
	haloGap   = 4.0 // between the two rings of the one in question
)

// roomy reports whether the map is large enough for figures in the marks.
func (s *sheet) roomy() bool { return s.f.KM(1) >= near }

// sizes are how large each station is drawn. Only where no other station is near
// there is room for a figure.
func (s *sheet) sizes() []float64 {
	out := make([]float64, len(s.stations))
	for i, st := range s.stations {
		switch main, roomy := s.isMain(st), s.roomy(); {
		case main && roomy:
			out[i] = mainSize
		case main:
			out[i] = mainSmall
		case roomy && !s.crowded(i):
			out[i] = roomySize
		default:
			out[i] = smallSize
		}
	}
	return out
}

// crowded reports whether another station would lie on a large mark of this one.
func (s *sheet) crowded(i int) bool {
	x, y := s.f.At(s.stations[i].Lat, s.stations[i].Lon)
	for k, st := range s.stations {
		reach := roomySize + smallSize
		if s.isMain(st) {
			reach = roomySize + mainSize + haloGap
		}
		if ox, oy := s.f.At(st.Lat, st.Lon); k != i && math.Abs(ox-x) < reach && math.Abs(oy-y) < reach {
			return true
		}
	}
	return false
}

// isMain reports whether a station is the one in question.
func (s *sheet) isMain(st Station) bool { return s.main.Site != "" && st.Site == s.main.Site }

// drawStations draws the stations: squares at the border, rings inside the city,
// and the one in question, last, as a double ring. Figures stand where there is
// room.
func (s *sheet) drawStations() {
	s.Start("g", "class", "stations")
	sizes := s.sizes()
	for i, st := range s.stations {
		x, y := s.f.At(st.Lat, st.Lon)
		r := sizes[i]
		if s.isMain(st) {
			target(s.Canvas, st, x, y, r, s.o.PartID("h"))
		} else {
			ring(s.Canvas, st, x, y, r, s.o.PartID("h"))
		}
		if r >= roomySize {
			s.Text("st-v", x, y+4, chart.AtMiddle, reading(st, "?"))
		}
		s.taken.Take(chart.Spot{Left: x - r, Top: y - r, Right: x + r, Bottom: y + r})
	}
	s.End()
}

// look is the class and the ground of a station: silent ones are hatched.
func (st Station) look(hatch string) (class, ground string) {
	if st.Silent {
		return "st-stale", "url(#" + hatch + ")"
	}
	return "st-ring", ""
}

// ring draws the mark of a station.
func ring(c *chart.Canvas, st Station, x, y, r float64, hatch string) {
	class, ground := st.look(hatch)
	if st.Role == surge.Border {
		c.Rect(class, x-r, y-r, 2*r, 2*r, "fill", ground)
		return
	}
	c.Void("circle", "class", class, "fill", ground, "cx", chart.Tenths(x), "cy", chart.Tenths(y), "r", chart.Tenths(r))
}

// target draws the mark of the station in question.
func target(c *chart.Canvas, st Station, x, y, r float64, hatch string) {
	class, ground := st.look(hatch)
	c.Void("circle", "class", class+" main", "fill", ground, "cx", chart.Tenths(x), "cy", chart.Tenths(y), "r", chart.Tenths(r))
	c.Void("circle", "class", "st-halo", "cx", chart.Tenths(x), "cy", chart.Tenths(y), "r", chart.Tenths(r+haloGap))
}

// reading is the figure of a station.
func reading(st Station, unknown string) string {
	if st.PM25 == nil || st.Silent || !chart.Finite(*st.PM25) {
		return unknown
	}
	return chart.Figure(*st.PM25, 0)
}

// nameStations writes names where there is room: that of the one in question first,
// with its figure where the mark has no room for it, then the others.
func (s *sheet) nameStations() {
	sizes := s.sizes()
	for i := len(s.stations) - 1; i >= 0; i-- {
		st, r := s.stations[i], sizes[i]
		x, y := s.f.At(st.Lat, st.Lon)
		name := chart.Short(called(st), 24)
		switch {
		case r == mainSmall:
			s.taken.Name(s.Canvas, "st-n b", x, y, r+haloGap+3, 11, chart.Fill(s.o.Labels.Named, "station", name,
				"value", reading(st, s.o.Labels.Unknown)))
		case r == mainSize:
			s.taken.Name(s.Canvas, "st-n b", x, y, r+haloGap+3, 11, name)
		default:
			s.taken.Name(s.Canvas, "st-n", x, y, r+3, 11, name)
		}
	}
}

// called is the name of a station without its city.
func called(st Station) string {
	name, _, _ := strings.Cut(st.Name, ",")
	return strings.TrimSpace(name)
}

// roleOf is the word for what a station is looked at for.
func (l MapLabels) roleOf(r surge.Role) string {
	if r == surge.Border {
		return l.Border
	}
	return l.Interior
}

// stationTable is the stations that are drawn, the one in question first.
func (s *sheet) stationTable() chart.Table {
	l, col := s.o.Labels, s.o.Labels.Columns
	t := chart.Table{Name: "stations", Title: l.Tables.Stations, Columns: []chart.Column{{Title: col.Name}, {Title: col.Role},
		{Title: col.PM25, Num: true}, {Title: col.Silent},
		{Title: col.Latitude, Num: true}, {Title: col.Longitude, Num: true}}}
	for i := range s.stations {
		st := s.stations[(i+len(s.stations)-1)%len(s.stations)]
		silent := l.No
		if st.Silent {
			silent = l.Yes
		}
		t.Rows = append(t.Rows, chart.Row{Cells: []string{chart.Plain(st.Name), l.roleOf(st.Role), reading(st, l.Unknown), silent,
			chart.Figure(st.Lat, 4), chart.Figure(st.Lon, 4)}})
	}
	return t
}
