package picture

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
)

// MapOptions are what a map is told besides the picture.
type MapOptions struct {
	chart.Look
	Stations   []Station
	Satellites []fire.Satellite // that were looked at: one that saw nothing is listed with none
	Around     float64          // km around the station that are shown; 0: the whole way of the air
	Labels     MapLabels
}

// A Station is a station on the map.
type Station struct {
	surge.Station

	PM25   *float64 // µg/m³ of the hour the map speaks of; nil where not known
	Silent bool     // its last reading is too old to count
}

// A sheet is a map being drawn.
type sheet struct {
	*chart.Canvas
	o        MapOptions
	f        chart.Frame
	main     Station
	taken    *chart.Places
	stations []Station           // to be drawn
	paths    []analysis.Passage  // to be drawn
	fires    []analysis.Sighting // to be drawn, in order of time
	left     struct {            // not drawn
		fires, firesOff, stationsOff, paths int
	}
}

// Map draws where the fires were, where the stations are, and which way the air
// came.
//
// The band is where the air of the window can have been: the way of each hour's air,
// as wide as the place is uncertain, in stretches of an hour; those of one moment
// have the same data-hour. Stretches that nearly cover each other are drawn once. The
// dashed line is the way of the hour that weighs most. The
// map shows the band and the station; what lies outside of it is counted and said.
func Map(p analysis.Picture, o MapOptions) chart.Drawing {
	o.Look = lookAt(o.Look, p)
	s := newSheet(p, o)
	l := o.Labels
	s.Canvas = o.Begin(chart.MapKind, s.f.High,
		chart.Fill(l.Title, "station", s.main.Name),
		chart.Fill(l.Desc, "station", s.main.Name, "fires", chart.Count(len(s.fires)), "paths", chart.Count(len(s.paths)),
			"stations", chart.Count(len(s.stations)), "zone", o.ZoneName(s.o.Zero)))
	words := chart.Compass{North: l.North, South: l.South, East: l.East, West: l.West, Kilometres: l.Kilometres}
	s.Start("defs")
	s.Hatch(o.PartID("h"))
	s.End()
	s.f.Ground(s.Canvas)
	s.band()
	s.f.Numbers(s.Canvas, words, s.taken)
	s.f.Scale(s.Canvas, words, s.taken)
	way := s.heaviest()
	s.drawLine(way)
	s.drawFires()
	s.drawStations()
	s.drawCuts()
	s.nameHours(way)
	s.nameStates()
	s.nameStations()
	return chart.Drawing{SVG: s.Done(), Legend: s.legend(way), Notes: s.notes(p), Tables: []chart.Table{s.stationTable(), s.pathTable(),
		s.wayTable(way), s.fireTable()}}
}

// newSheet picks what will be drawn and where.
func newSheet(p analysis.Picture, o MapOptions) *sheet {
	s := &sheet{o: o}
	site, _, _ := surge.ParseKey(string(p.Key)) // a key that is none names no station
	s.find(site)
	s.pickPaths(p.Corridor)
	fires := s.pickFires(p)
	w := o.Breadth()
	h := math.Round(w * 0.69)
	if o.Narrow() {
		h = math.Round(w * 1.15)
	}
	s.f = chart.Fit(s.box(fires), w, h)
	s.taken = chart.NewPlaces(s.f)
	s.fires, s.left.firesOff = inside(s.f, fires, func(x analysis.Sighting) (float64, float64) { return x.At.Lat, x.At.Lon })
	var off int
	s.stations, off = inside(s.f, s.stations, func(x Station) (float64, float64) { return x.Lat, x.Lon })
	s.left.stationsOff += off
	return s
}

// nameStates writes the name of each state amid its fires, those with most fires first. No
// boundary is drawn: where a state begins is not what the map says.
func (s *sheet) nameStates() {
	type group struct {
		name string
		n    int
		x, y float64
	}
	var all []group
	for _, f := range s.fires {
		name := strings.TrimSpace(f.State)
		if name == "" || name == analysis.Abroad {
			continue
		}
		i := slices.IndexFunc(all, func(g group) bool { return g.name == name })
		if i < 0 {
			i, all = len(all), append(all, group{name: name})
		}
		x, y := s.f.At(f.At.Lat, f.At.Lon)
		all[i].n, all[i].x, all[i].y = all[i].n+1, all[i].x+x, all[i].y+y
	}
	slices.SortStableFunc(all, func(a, b group) int { return cmp.Compare(b.n, a.n) })
	for _, g := range all {
		s.taken.Name(s.Canvas, "state-n", g.x/float64(g.n), g.y/float64(g.n), 4, 12, chart.Short(g.name, 24))
	}
}

// find tells the stations apart from the one in question, which is drawn last.
func (s *sheet) find(site aqi.Site) {
	for _, st := range s.o.Stations {
		switch {
		case !(fire.Point{Lat: st.Lat, Lon: st.Lon}).Valid():
			s.left.stationsOff++
		case st.Site == site && site != "":
			if s.main.Site != "" {
				s.left.stationsOff++ // a station stands at one place
				continue
			}
			s.main = st
		case len(s.stations) < MaxStations-1:
			s.stations = append(s.stations, st)
		default:
			s.left.stationsOff++
		}
	}
	if s.main.Site != "" {
		s.stations = append(s.stations, s.main)
	}
}

// pickPaths takes the paths that can be drawn, each as far as it goes.
func (s *sheet) pickPaths(in []analysis.Passage) {
	for i, p := range in {
		if i >= MaxPaths {
			s.left.paths++
			continue
		}
		points := p.Points[:min(len(p.Points), MaxPoints)]
		for k, at := range points {
			if !(fire.Point{Lat: at.Lat, Lon: at.Lon}).Valid() || !chart.Finite(at.Width) {
				points = points[:k]
				break
			}
		}
		if p.Points = points; len(points) == 0 {
			s.left.paths++
			continue
		}
		s.paths = append(s.paths, p)
	}
}

// widest bounds the width of a path, in km.
const widest = 2000

// cityKM is how much of the surroundings of the station is always shown, in km: the
// stations it is set against lie within that.
const cityKM = 45

// box is the part of the globe to be shown.
func (s *sheet) box(fires []analysis.Sighting) chart.Box {
	var b chart.Box
	if s.main.Site != "" {
		around := min(max(s.o.Around, 0), widest)
		if around > 0 {
			b.Add(s.main.Lat, s.main.Lon, around)
			return b
		}
		b.Add(s.main.Lat, s.main.Lon, cityKM)
	}
	for _, p := range s.paths {
		for _, at := range p.Points {
			b.Add(at.Lat, at.Lon, min(max(at.Width, 0), widest))
		}
	}
	if len(s.paths) > 0 {
		return b
	}
	for _, f := range fires {
		b.Add(f.At.Lat, f.At.Lon, 0)
	}
	if len(fires) > 0 {
		return b
	}
	for _, st := range s.stations {
		b.Add(st.Lat, st.Lon, 0)
	}
	if len(s.stations) == 0 { // there is nothing to be shown; the sheet is where the stations are
		b.Add(28, 76.5, 0)
		b.Add(29, 77.5, 0)
	}
	return b
}

// inside is what lies on the map, and how many do not.
func inside[T any](f chart.Frame, in []T, at func(T) (lat, lon float64)) (out []T, off int) {
	for _, v := range in {
		if x, y := f.At(at(v)); f.Shows(x, y, 0) {
			out = append(out, v)
		} else {
			off++
		}
	}
	return out, off
}

// notes are what must be said beside the map.
func (s *sheet) notes(p analysis.Picture) []string {
	l := s.o.Labels
	var out []string
	say := func(text string, n int) {
		if text != "" && n > 0 {
			out = append(out, chart.Fill(text, "n", chart.Count(n)))
		}
	}
	if len(p.Corridor) == 0 {
		say(l.NoWind, 1)
	}
	say(l.FiresLeft, s.left.fires)
	say(l.FiresOff, s.left.firesOff)
	say(l.StationsOff, s.left.stationsOff)
	say(l.PathsLeft, s.left.paths)
	say(l.Pixel, len(s.fires))
	return out
}

// place is how a state is called here.
func place(state, abroad, unknown string) string {
	switch strings.TrimSpace(state) {
	case analysis.Abroad:
		return abroad
	case "":
		return unknown
	}
	return state
}
