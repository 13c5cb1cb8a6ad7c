package likelihood

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A scene is a question made ready: states and days numbered, fires put together that
// weigh alike.
type scene struct {
	Policy

	q      *Question
	grid   *wind.Grid
	field  wind.Field // the mean wind
	windy  bool
	mixing plume.Mixing

	states []string  // by name
	days   []string  // local days that air was on its way, in order
	counts []count   // by state
	heaps  []heap    // of the days of the way
	before []heap    // of the days before, for the week
	apart  []heap    // of the days of the way, that passes did not see
	land   [][]patch // by state
	power  float64   // of all detections of the days of the way, the mean
}

// A count is the detections of one state, and what part of its fires satellites saw.
type count struct {
	all     int
	between int // that passes did not see
	came    int // members in which smoke came of it, watched fires apart
	byDay   []int
	seen    []float64 // by day: the part of its fires that passes saw
}

// A heap is the fires of one state and moment in one small square: what they weigh
// differs by their power alone.
type heap struct {
	state, day int
	x, y, z    float64
	power      float64 // their sum
	squares    float64 // the sum of their squares
	windows    [len(plume.Burns{})][2]int
}

// A patch is a place where a fire could have burnt unseen, on each of the days.
type patch struct{ x, y, z float64 }

// square is the side of what fires are put together in, in degrees: a quarter of how
// uncertain the air's position is where that is known best.
const square = 0.025

func (p Policy) newScene(q *Question, g *wind.Grid) *scene {
	s := &scene{Policy: p, q: q, grid: g}
	var levels []wind.Level
	for _, l := range []wind.Level{wind.M100, wind.P925} {
		if g.Has(l) {
			levels = append(levels, l)
		}
	}
	if len(levels) > 0 {
		s.field, s.windy = g.Field(levels...)
	}
	if g.HasMixing() {
		s.mixing = g.MixingAt
	}
	s.name()
	s.pile()
	for j := range s.states {
		for _, day := range s.days {
			s.counts[j].seen = append(s.counts[j].seen, s.seen(s.states[j], day))
		}
	}
	return s
}

// name numbers the states and the days.
func (s *scene) name() {
	for _, f := range s.q.Fires {
		s.states = append(s.states, f.State)
	}
	for _, l := range s.q.Land {
		s.states = append(s.states, l.State)
	}
	slices.Sort(s.states)
	s.states = slices.Compact(s.states)
	from := s.q.Hours[0].Time.Add(-time.Duration(s.Air.Hours) * time.Hour)
	for t := from; ; t = t.Add(24 * time.Hour) {
		s.days = append(s.days, s.day(t))
		if last := s.day(s.q.Hours[len(s.q.Hours)-1].Time); s.days[len(s.days)-1] >= last {
			break
		}
	}
	s.counts = make([]count, len(s.states))
	s.land = make([][]patch, len(s.states))
	for _, l := range s.q.Land {
		j, _ := slices.BinarySearch(s.states, l.State)
		for _, at := range l.Points {
			x, y, z := direction(at)
			s.land[j] = append(s.land[j], patch{x, y, z})
		}
	}
}

func (s *scene) day(t time.Time) string { return t.In(s.q.Zone).Format(time.DateOnly) }

// pile counts the fires and puts them together.
func (s *scene) pile() {
	fires := slices.Clone(s.q.Fires)
	slices.SortFunc(fires, func(a, b Fire) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.State, b.State), cmp.Compare(cell(a.At.Lat), cell(b.At.Lat)),
			cmp.Compare(cell(a.At.Lon), cell(b.At.Lon)), cmp.Compare(a.At.Lat, b.At.Lat), cmp.Compare(a.At.Lon, b.At.Lon),
			cmp.Compare(a.FRP, b.FRP), night(a)-night(b), between(a)-between(b))
	})
	for j := range s.counts {
		s.counts[j].byDay = make([]int, len(s.days))
	}
	n := 0
	for i := 0; i < len(fires); {
		to := i + 1
		for to < len(fires) && alike(fires[i], fires[to]) {
			to++
		}
		s.heapUp(fires[i:to], &n)
		i = to
	}
	if n > 0 {
		s.power /= float64(n)
	}
}

func cell(degrees float64) float64 { return math.Floor(degrees / square) }

func night(f Fire) int {
	if f.Night {
		return 1
	}
	return 0
}

func between(f Fire) int {
	if f.Between {
		return 1
	}
	return 0
}

func alike(a, b Fire) bool {
	return a.Between == b.Between && a.Time.Equal(b.Time) && a.State == b.State && a.Night == b.Night && cell(a.At.Lat) == cell(b.At.Lat) &&
		cell(a.At.Lon) == cell(b.At.Lon)
}

// heapUp makes a heap of fires that are alike, in the middle of their power.
func (s *scene) heapUp(fires []Fire, n *int) {
	h := heap{}
	h.state, _ = slices.BinarySearch(s.states, fires[0].State)
	var lat, lon float64
	for _, f := range fires {
		h.power += f.FRP
		h.squares += f.FRP * f.FRP
		lat += f.At.Lat * f.FRP
		lon += f.At.Lon * f.FRP
	}
	for w := range h.windows {
		first, last := s.Air.Burnt(fires[0].Fire, w)
		h.windows[w] = [2]int{first, last}
	}
	if h.power == 0 {
		return
	}
	h.x, h.y, h.z = direction(plume.Point{Lat: lat / h.power, Lon: lon / h.power})
	day, within := slices.BinarySearch(s.days, s.day(fires[0].Time))
	h.day = day
	switch {
	case fires[0].Between && within:
		s.apart = append(s.apart, h)
		s.counts[h.state].between += len(fires)
		return
	case fires[0].Between:
		return
	case !within:
		s.before = append(s.before, h)
		return
	}
	s.heaps = append(s.heaps, h)
	c := &s.counts[h.state]
	c.all += len(fires)
	c.byDay[day] += len(fires)
	s.power += h.power
	*n += len(fires)
}

// LandOf is every half degree of an area that lies in a state. state says which, and
// nothing where there is none.
func LandOf(in plume.Area, state func(plume.Point) string) []Land {
	const apart = 0.5
	found := map[string][]plume.Point{}
	for lat := math.Ceil(in.South/apart) * apart; lat <= in.North; lat += apart {
		for lon := math.Ceil(in.West/apart) * apart; lon <= in.East; lon += apart {
			at := plume.Point{Lat: lat, Lon: lon}
			if name := state(at); name != "" {
				found[name] = append(found[name], at)
			}
		}
	}
	out := make([]Land, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, Land{name, found[name]})
	}
	return out
}
