package madeup

import (
	"fmt"
	"math"

	"github.com/gavelhq/gavel/apps/airshed/aqi"
	"github.com/gavelhq/gavel/apps/airshed/earth"
	"github.com/gavelhq/gavel/apps/airshed/surge"
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
	weight  float64 // of the land's fires, before the harvest comes and goes
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
	return [...]string{"Ashmoor", "Brackenfell", "Coldwater", "Dunmere", "Eastlow", "Fernholt", "Greywold", "Hartsea", "Ironvale", "Juniper",
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
	}
	return out
}

// farm lays out the fields of a state. A few states burn most of what is burnt, as in
// the world.
func (s *State) farm(d *dice) {
	s.weight = math.Exp(1.2 * d.normal())
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

// cities puts three cities on the side of the land to which its air mostly goes: two
// where four states meet, and one on the border of two.
func cities(land []State) []City {
	joint, side, other := land[2*cols+3].Outline[0], land[cols+2].Outline[3], land[cols+4].Outline[0]
	var out []City
	for i, at := range []Corner{joint, side, other} {
		out = append(out, city([]string{"Fourways", "Brightford", "Crossmarket"}[i], at))
	}
	return out
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
