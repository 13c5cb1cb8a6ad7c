package region

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// Districts are the districts of a file somebody imported, or its states. They belong to the date
// and the licence they came with: districts are split and renamed every year.
type Districts struct {
	source   Source
	gives    Gives
	places   []Place // each district once, by state and name
	polygons []polygon
	rows     rows // of all polygons; an edge's tag is its polygon's number
	stations []surge.Station
}

// A polygon is one piece of a district's land, with its holes.
type polygon struct {
	district                 int // in places
	west, south, east, north int32
	corners                  []corner // some, to see where it lies
}

// Source says where the districts are from.
func (d *Districts) Source() Source { return d.source }

// Gives is what the file is taken for.
func (d *Districts) Gives() Gives { return d.gives }

// Len is how many districts there are, or states where the file gives those.
func (d *Districts) Len() int { return len(d.places) }

// at finds the district of a place. Where careless outlines overlap it is the first
// by state and name, so that there is one answer.
func (d *Districts) at(x, y int32) (Place, bool) {
	var odd []int // polygons entered and not left
	row := d.rows.at(y)
	for i := range row {
		e := &row[i]
		p := &d.polygons[e.tag]
		if x < p.west || x > p.east || y < p.south || y > p.north || !e.westOf(x, y) {
			continue
		}
		if at := slices.Index(odd, int(e.tag)); at >= 0 {
			odd = slices.Delete(odd, at, at+1)
		} else {
			odd = append(odd, int(e.tag))
		}
	}
	if len(odd) == 0 {
		return Place{}, false
	}
	return d.places[d.polygons[slices.Min(odd)].district], true
}

// With is the map with districts in it, in place of any it had. The districts'
// states must be states of the map, whose spelling they take on; and they must lie
// there, by and large: a file with east and north exchanged, or of another country,
// is refused.
func (m *Map) With(d *Districts) (*Map, error) {
	named := *d
	named.places = slices.Clone(d.places)
	states := m.States()
	for i, p := range d.places {
		at := slices.IndexFunc(states, func(s string) bool { return plain(s) == plain(p.State) })
		if at < 0 {
			return nil, fault.New(fault.Invalid, "district %s is said to lie in %q, which is no state of India", p.District, p.State).
				WithNext("Say which property of the file holds the state's name.")
		}
		named.places[i].State = states[at]
	}
	if bad := m.astray(&named); len(bad)*5 > len(named.places) {
		return nil, fault.New(fault.Invalid, "%d of %d districts, such as %s, do not lie in the state they are said to lie in", len(bad),
			len(named.places), bad[0]).
			WithNext("Look whether the file gives longitude before latitude, in degrees.")
	}
	with := *m
	with.districts = &named
	with.sources = append(slices.Clone(m.sources[:1]), d.source)
	return &with, nil
}

// strayKM is how far a district's corner may lie from its state by the embedded
// lines before it counts as lying elsewhere.
const strayKM = 25.0

// astray names the districts most of whose corners lie far from their state. Some
// may: not all files follow the lines of control.
func (m *Map) astray(d *Districts) []string {
	far, all := make([]int, len(d.places)), make([]int, len(d.places))
	for _, p := range d.polygons {
		state := Place{Country: india, State: d.places[p.district].State}
		for _, c := range p.corners {
			all[p.district]++
			if m.places[m.unit(c.x, c.y)] != state && !m.within(strayKM, degrees(c.y), degrees(c.x), state) {
				far[p.district]++
			}
		}
	}
	var bad []string
	for i, p := range d.places {
		if 2*far[i] > all[i] {
			bad = append(bad, p.District)
		}
	}
	return bad
}

func degrees(v int32) float64 { return float64(v) / perDegree }

// also are other names of states in use, as plain has them.
var also = map[string]string{
	"nctofdelhi": "delhi", "delhinct": "delhi", "newdelhi": "delhi", "nationalcapitalterritoryofdelhi": "delhi",
	"orissa": "odisha", "uttaranchal": "uttarakhand", "pondicherry": "puducherry",
	"andamanandnicobar": "andamanandnicobarislands", "andamannicobarislands": "andamanandnicobarislands",
	"andamannicobar": "andamanandnicobarislands", "chattisgarh": "chhattisgarh", "telengana": "telangana", "tamilnad": "tamilnadu",
	"jammukashmir": "jammuandkashmir", "dadraandnagarhaveli": "dadraandnagarhavelianddamananddiu",
	"damananddiu": "dadraandnagarhavelianddamananddiu",
}

// plain is a name without what files spell differently: case, spaces, signs.
func plain(name string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ReplaceAll(strings.ToLower(name), "&", "and"))
	return cmp.Or(also[s], s)
}
