package madeup

import (
	"fmt"
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// The edges of the made-up land, in degrees. The wind is known a degree beyond
// them, and air that leaves that is not followed.
const (
	south, north = 23.0, 35.0
	west, east   = 70.0, 84.0
	margin       = 1.0
)

// A Corner is one corner of a state's outline, in degrees.
type Corner struct{ Lat, Lon float64 }

// A State is one of the made-up states. None exists, and no line of theirs lies
// where a border of this world does but by chance.
type State struct {
	Name    string
	Outline []Corner // not closed: the last corner joins the first
	fields  []field
	weight  float64 // of its row's fires, before the harvest comes and goes
}

// A field is a piece of farmed land in which fires are lit.
type field struct{ lat, lon, spread float64 } // km

// holds reports whether a point lies within the outline, by the crossings of a line
// drawn to the east.
func (s State) holds(lat, lon float64) bool {
	in := false
	for i, a := range s.Outline {
		b := s.Outline[(i+1)%len(s.Outline)]
		if (a.Lat > lat) != (b.Lat > lat) && lon < a.Lon+(b.Lon-a.Lon)*(lat-a.Lat)/(b.Lat-a.Lat) {
			in = !in
		}
	}
	return in
}

// How many states there are, from south to north and from west to east.
const (
	rows = 4
	cols = 5
)

func names() [rows * cols]string {
	return [...]string{"Ashmoor", "Brackenfell", "Coldwater", "Dunmere", "Eastlow", "Fernholt", "Greywold", "Hartsea", "Ironvale",
		"Juniper",
		"Kestrel", "Larkmarch", "Millbeck", "Northam", "Oakshade", "Pinewater", "Quarrel", "Rushmere", "Saltmarsh", "Thornby"}
}

// states draws the land: a lattice whose joints are pulled out of line, and on every
// side a bend, so that no border is straight.
func states(seed uint64) []State {
	d := cast(seed, 1)
	var joints [rows + 1][cols + 1]Corner
	for r := range joints {
		for c := range joints[r] {
			lat, lon := south+(north-south)*float64(r)/rows, west+(east-west)*float64(c)/cols
			if r > 0 && r < rows {
				lat += d.within(-0.5, 0.5)
			}
			if c > 0 && c < cols {
				lon += d.within(-0.5, 0.5)
			}
			joints[r][c] = Corner{lat, lon}
		}
	}
	bend := func(a, b Corner, key uint64) Corner { // the same seen from both sides
		e := cast(seed, 2, key)
		return Corner{(a.Lat+b.Lat)/2 + e.within(-0.3, 0.3), (a.Lon+b.Lon)/2 + e.within(-0.3, 0.3)}
	}
	var out []State
	for r := range rows {
		for c := range cols {
			sw, se, ne, nw := joints[r][c], joints[r][c+1], joints[r+1][c+1], joints[r+1][c]
			level, upright := uint64(r*10+c), uint64(1000+r*10+c)
			s := State{Name: names()[r*cols+c], Outline: []Corner{sw, bend(sw, se, level), se, bend(se, ne, upright+1),
				ne, bend(nw, ne, level+10), nw, bend(sw, nw, upright)}}
			s.farm(&d)
			out = append(out, s)
		}
		for c, of := range dealt(&d) {
			out[r*cols+c].weight = of
		}
	}
	return out
}

// dealt is the parts of a row's fires that its states burn, in an order of chance: one
// burns most, as in the world. They are those of Punjab, Haryana, Madhya Pradesh, Uttar
// Pradesh and Rajasthan in the published counts of 15 September to 2 November 2022.
func dealt(d *dice) [cols]float64 {
	out := [cols]float64{0.82, 0.086, 0.046, 0.031, 0.016}
	for i := cols - 1; i > 0; i-- {
		j := int(d.share() * float64(i+1))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// farm lays out the fields of a state.
func (s *State) farm(d *dice) {
	for len(s.fields) < 4 {
		var f field
		f.lat, f.lon, f.spread = d.within(south, north), d.within(west, east), d.within(25, 70)
		if s.holds(f.lat, f.lon) {
			s.fields = append(s.fields, f)
		}
	}
}

// cityKm is how far around a city nothing is farmed.
const cityKm = 60

// spot is a place in one of the fields of a state, outside of every city.
func (s *Season) spot(st State, f field, d *dice) Corner {
	for {
		p := moved(f.lat, f.lon, f.spread*d.normal(), f.spread*d.normal())
		farmed := st.holds(p.Lat, p.Lon)
		for _, c := range s.Cities {
			farmed = farmed && earth.Distance(p.Lat, p.Lon, c.Lat, c.Lon) > cityKm
		}
		if farmed {
			return p
		}
	}
}

// moved is a place some kilometres east and north of another.
func moved(lat, lon, kmEast, kmNorth float64) Corner {
	const perDegree = earth.RadiusKM * earth.Radians
	return Corner{lat + kmNorth/perDegree, lon + kmEast/(perDegree*math.Cos(lat*earth.Radians))}
}

// A City is a made-up city with stations around it and within it.
type City struct {
	Name     string
	Lat, Lon float64
	Stations []surge.Station
}

// Where the stations of a city are, in kilometres from its middle.
const (
	borderKm, interiorKm  = 17, 5
	borderSites, interior = 6, 3
)

// apartKm is how far from each other cities are at least, so that they have different
// weather more often than not.
const apartKm = 300

// cities puts cities on the border of two states, side by side or one above the other,
// and well inside one. None stands where four meet, nor at the edge from which the
// land's air mostly comes: there is nothing beyond it.
func cities(land []State) (out []City) {
	for _, c := range []struct {
		name string
		at   func(State) Corner
	}{
		{"Brightford", State.side}, {"Crossmarket", State.foot}, {"Heartwell", State.middle},
		{"Sideburgh", State.side}, {"Footbridge", State.foot}, {"Innermead", State.middle}, {"Marchgate", State.side},
	} {
		out = append(out, city(c.name, free(land, c.at, out)))
	}
	return out
}

// free is the first place of a kind that is far enough from the cities there are.
func free(land []State, of func(State) Corner, taken []City) (at Corner) {
	for _, r := range [rows - 1]int{1, 2, 3} { // the first has no neighbour in the south
		for _, c := range [cols - 1]int{3, 2, 4, 1} { // and the first none in the west
			at = of(land[r*cols+c])
			if !slices.ContainsFunc(taken, func(t City) bool { return earth.Distance(at.Lat, at.Lon, t.Lat, t.Lon) <= apartKm }) {
				return at
			}
		}
	}
	return at
}

// side is a place on the border with the state in the west, halfway between its ends.
func (s State) side() Corner { return s.Outline[7] }

// foot is one on the border with the state in the south.
func (s State) foot() Corner { return s.Outline[1] }

// middle is the mean of a state's corners.
func (s State) middle() (m Corner) {
	for _, c := range s.Outline {
		m.Lat += c.Lat / float64(len(s.Outline))
		m.Lon += c.Lon / float64(len(s.Outline))
	}
	return m
}

func city(name string, at Corner) City {
	c := City{Name: name, Lat: at.Lat, Lon: at.Lon}
	put := func(n, of int, km float64, role surge.Role) {
		angle := 2 * math.Pi * float64(n) / float64(of)
		p := moved(at.Lat, at.Lon, km*math.Sin(angle), km*math.Cos(angle))
		id := fmt.Sprintf("%s_%s_%d", lower(name), role, n+1)
		c.Stations = append(c.Stations, surge.Station{Site: aqi.Site(id), Name: fmt.Sprintf("%s %s %d (made up)", name, role, n+1),
			Agency: "nobody", Lat: p.Lat, Lon: p.Lon, Role: role})
	}
	for n := range borderSites {
		put(n, borderSites, borderKm, surge.Border)
	}
	for n := range interior {
		put(n, interior, interiorKm, surge.Interior)
	}
	return c
}

func lower(name string) string {
	b := []byte(name)
	b[0] |= 0x20
	return string(b)
}
