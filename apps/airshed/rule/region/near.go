package region

import (
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// ReachKM is how far Near looks for a line.
const ReachKM = 150.0

// Nearby is a place with the line it is nearest to. Distances are to the embedded
// lines also where districts were imported.
type Nearby struct {
	Place  Place   `json:"place"`
	Other  Place   `json:"other"` // what lies beyond the line; where imported and embedded lines disagree, what the embedded say
	KM     float64 `json:"km"`
	Unsure bool    `json:"unsure"` // the place may in truth lie in Other
}

// Near says how far a place is from the nearest line beyond which another state or
// country lies, and which. Shores are no such lines, except to a place outside all
// outlines, for which the nearest land is told. It is false, and only the place is
// told, where there is none within ReachKM.
func (m *Map) Near(lat, lon float64) (Nearby, bool) {
	x, y, ok := onGrid(lat, lon)
	if !ok {
		return Nearby{}, false
	}
	own := m.unit(x, y)
	n := Nearby{Place: m.At(lat, lon)}
	km, other := m.nearest(lat, lon, own, ReachKM)
	if km > ReachKM {
		return n, false
	}
	n.KM, n.Other, n.Unsure = km, m.places[other], km <= ErrorKM
	if drawn := m.places[own]; n.Place.State != drawn.State {
		n.Other, n.Unsure = drawn, true // an imported district lies across an embedded line
	}
	return n, true
}

// Unsure reports whether a place may in truth lie in another state or country than
// At says, as Near does, and is quicker.
func (m *Map) Unsure(at fire.Point) bool {
	x, y, ok := onGrid(at.Lat, at.Lon)
	if !ok {
		return false
	}
	if m.alone {
		return m.nearOther(at)
	}
	own := m.unit(x, y)
	km, _ := m.nearest(at.Lat, at.Lon, own, ErrorKM)
	return km <= ErrorKM || m.At(at.Lat, at.Lon).State != m.places[own].State
}

// nearest is the distance to the nearest border of an outline, seen from within it,
// and what lies beyond. A border farther than reach may not be found.
func (m *Map) nearest(lat, lon float64, own int, reach float64) (km float64, other int) {
	h := here{lat, lon, math.Cos(lat * earth.Radians)}
	best, nearest := math.Inf(1), int32(-1)
	m.squares.around(h, reach, func(i int32) float64 {
		if to, border := m.across(int(i), own); border {
			if d := h.flat(&m.edges[i]); d < best {
				best, nearest, other = d, i, to
			}
		}
		return best
	})
	if nearest < 0 {
		return best, 0
	}
	return h.km(&m.edges[nearest]), other
}

// across is what lies beyond an edge of an outline, seen from inside it.
func (m *Map) across(edge, own int) (other int, border bool) {
	switch left, right := int(m.sides[edge][0]), int(m.sides[edge][1]); own {
	case left:
		other = right
	case right:
		other = left
	default:
		return 0, false
	}
	return other, own == 0 || other != 0
}

// Distance is how far the nearest land of a state or country is, by the embedded
// lines: none to a place within it. It is false for a place the outlines do not
// have; districts are not looked at.
func (m *Map) Distance(lat, lon float64, to Place) (km float64, ok bool) {
	x, y, ok := onGrid(lat, lon)
	to.District = ""
	number := slices.Index(m.places, to)
	if !ok || number < 1 {
		return 0, false
	}
	if m.unit(x, y) == number {
		return 0, true
	}
	h := here{lat, lon, math.Cos(lat * earth.Radians)}
	best, nearest := math.Inf(1), 0
	for i := range m.edges {
		if m.edges[i].tag>>number&1 == 1 {
			if d := h.flat(&m.edges[i]); d < best {
				best, nearest = d, i
			}
		}
	}
	return h.km(&m.edges[nearest]), true
}

// within reports whether an outline is no farther from a place than some
// kilometres; of places inside it only those near its edge count.
func (m *Map) within(km, lat, lon float64, of Place) bool {
	h := here{lat, lon, math.Cos(lat * earth.Radians)}
	best, number := math.Inf(1), slices.Index(m.places, of)
	m.squares.around(h, km, func(i int32) float64 {
		if number > 0 && m.edges[i].tag>>number&1 == 1 {
			best = min(best, h.flat(&m.edges[i]))
		}
		return best
	})
	return best <= km
}

// here is a place to measure from; shrink is by how much its degrees of longitude
// are shorter than those of latitude.
type here struct{ lat, lon, shrink float64 }

// to is the point of an edge that is nearest on a flat map around the place, in
// degrees north and east of it.
func (h *here) to(e *edge) (north, east float64) {
	ax, ay := degrees(e.ax)-h.lon, degrees(e.ay)-h.lat
	dx, dy := float64(int64(e.bx)-int64(e.ax))/perDegree, float64(int64(e.by)-int64(e.ay))/perDegree
	k := h.shrink * h.shrink
	t := 0.0
	if l := dx*dx*k + dy*dy; l > 0 {
		t = max(0, min(1, -(ax*dx*k+ay*dy)/l))
	}
	return ay + t*dy, ax + t*dx
}

// flat is about how far an edge is, in km, and quick.
func (h *here) flat(e *edge) float64 {
	north, east := h.to(e)
	east *= h.shrink
	return earth.RadiusKM * earth.Radians * math.Sqrt(north*north+east*east)
}

// km is how far it is: the point is the flat map's and the distance the globe's,
// which together are right to a percent for some hundred kilometres.
func (h *here) km(e *edge) float64 {
	north, east := h.to(e)
	return earth.Distance(h.lat, h.lon, h.lat+north, h.lon+east)
}

// sideDegrees is the side of a square in which edges are looked for.
const sideDegrees = 0.25

// northernmost is a latitude from which all outlines are out of reach, so that
// squares need not be taken for narrower than they are there.
const northernmost = 60.0

// squares are the numbers of edges by the squares their boxes touch.
type squares map[[2]int32][]int32

func newSquares(edges []edge) squares {
	s := squares{}
	for i, e := range edges {
		for x := square(min(e.ax, e.bx)); x <= square(max(e.ax, e.bx)); x++ {
			for y := square(e.ay); y <= square(e.by); y++ {
				s[[2]int32{x, y}] = append(s[[2]int32{x, y}], int32(i))
			}
		}
	}
	return s
}

func square(v int32) int32 { return int32(math.Floor(float64(v) / perDegree / sideDegrees)) }

// around looks at edges in rings of squares around a place, the nearest first, and
// stops when no edge farther out can be nearer than the best there is.
func (s squares) around(h here, reach float64, look func(i int32) (best float64)) {
	cx, cy := int32(math.Floor(h.lon/sideDegrees)), int32(math.Floor(h.lat/sideDegrees))
	best := math.Inf(1)
	for ring := int32(0); ; ring++ {
		high := math.Min(northernmost, math.Abs(h.lat)+float64(ring)*sideDegrees)
		width := earth.RadiusKM * earth.Radians * sideDegrees * math.Cos(high*earth.Radians)
		if least := float64(ring-1) * width; least > reach || least > best {
			return
		}
		for x := cx - ring; x <= cx+ring; x++ {
			step := int32(1)
			if x != cx-ring && x != cx+ring {
				step = max(2*ring, 1) // of the columns in between only the ends are new
			}
			for y := cy - ring; y <= cy+ring; y += step {
				for _, i := range s[[2]int32{x, y}] {
					best = look(i)
				}
			}
		}
	}
}
