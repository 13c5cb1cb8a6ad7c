// Package region says in which state of India, or in which country around it, a
// fire burnt, and how near to a border: files of fires do not say.
//
// States come from outlines that travel with the program, or in their place from a
// file that an operator imports with its licence and date; districts only from such a
// file. Read Map.At first;
// Map.Near says when a place is too near to a line for the line to be believed.
//
// The outlines are for looking places up and are never drawn. They are Natural
// Earth's: lines of control on the ground, several kilometres coarse. Disputed are
// Jammu and Kashmir and Ladakh with what lies beyond the line of control, the
// Aksai Chin, Arunachal Pradesh, stretches of Himachal Pradesh and Uttarakhand along
// China, Kalapani on Nepal's border and Sir Creek; the Siachen Glacier is given to
// nobody. That a place is looked up in a country says who governs it, so that
// somebody can be asked about a fire, and nothing about whose it is.
package region

import (
	_ "embed"
	"math/bits"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// Version changes whenever an answer could, for the same outlines and districts.
const Version = "region/1"

// india is how the country is called in a Place.
const india = "India"

// ErrorKM is how far the embedded lines may be from the true ones. It is a measured
// figure: at the stations around Delhi the distance to a border differs by up to
// 2.9 km from a table whose own error is two.
const ErrorKM = 3.0

// A Place is where something lies. The zero Place is the sea, or a country that is
// not in the outlines. Country is as English speakers say it; a State is told for
// India only, so that the two Punjabs cannot be taken for each other; a District
// only where an imported file has it.
type Place struct {
	Country  string `json:"country,omitempty"`
	State    string `json:"state,omitempty"`
	District string `json:"district,omitempty"`
	Disputed bool   `json:"disputed,omitempty"` // the outlines give it to no country
}

// InIndia reports whether the place lies in India.
func (p Place) InIndia() bool { return p.Country == india }

// A Source is what a map was made of, for the record.
type Source struct {
	Name    string `json:"name"`
	Licence string `json:"licence"`
	AsOf    string `json:"as_of,omitempty"` // the date of an imported file, as 2026-01-31
	SHA256  string `json:"sha256"`          // of the whole file
}

// A Map is outlines made ready for looking up. It does not change once made, and
// any number of goroutines may ask it.
type Map struct {
	places    []Place // by the number a line gives to what lies beside it; 0 is no land
	edges     []edge  // all of them, for distances
	sides     [][2]uint8
	rows      rows // of the same edges; an edge's tag has a bit for each side
	squares   squares
	sources   []Source
	districts *Districts // nil: none were imported
	alone     bool       // those are states, and all there is
}

//go:embed outlines.bin
var outlines []byte

// India is the map that travels with the program: the states of India and the
// countries around it. Making it takes some milliseconds; make it once.
func India() (*Map, error) { return read(outlines) }

// Sources lists what the map was made of, the outlines first.
func (m *Map) Sources() []Source { return slices.Clone(m.sources) }

// States lists the states and union territories of India, or those of the file the map
// was made of, by name.
func (m *Map) States() []string {
	var all []string
	places := m.places
	if m.alone {
		places = m.districts.places
	}
	for _, p := range places {
		if p.State != "" {
			all = append(all, p.State)
		}
	}
	slices.Sort(all)
	return all
}

// At is where a place in degrees lies. Each place lies in exactly one: a place on a
// line belongs to the side east of it, or north where the line runs east and west.
// Where an imported district has the place, the district and its state are the
// answer, whatever the embedded lines say: the importer's are the better ones.
func (m *Map) At(lat, lon float64) Place {
	x, y, ok := onGrid(lat, lon)
	if !ok {
		return Place{}
	}
	if m.districts != nil {
		if p, found := m.districts.at(x, y); found {
			return p
		}
	}
	return m.places[m.unit(x, y)]
}

// Locate is At in the words of package fire, to be handed to fire.Locate. Abroad is
// said only of what is known to lie outside India: of disputed land, of the sea so near
// to India that its shore may be drawn wrongly, and of what lies outside states that
// were imported, nothing is said.
func (m *Map) Locate(at fire.Point) fire.Place {
	switch p := m.At(at.Lat, at.Lon); {
	case p.State != "":
		return fire.Place{State: p.State, District: p.District}
	case p.Disputed || m.alone || !onEarth(at.Lat, at.Lon):
		return fire.Place{}
	case p.Country != "":
		return fire.Place{State: p.Country, Abroad: true}
	}
	if km, shore := m.nearest(at.Lat, at.Lon, 0, ErrorKM); km <= ErrorKM && m.places[shore].InIndia() {
		return fire.Place{}
	}
	return fire.Place{Abroad: true}
}

// unit is the number of the outline a place lies in.
func (m *Map) unit(x, y int32) int { return bits.TrailingZeros64(m.inside(x, y)) }

// inside has a bit for each outline a place lies in. Every line west of the place,
// at its latitude, leads out of one outline and into another. What was entered and
// not left has its bit set, and exactly one has: neighbours share their line, and
// all of this is done in whole numbers.
func (m *Map) inside(x, y int32) uint64 {
	in := uint64(1) // far in the west there is no land
	row := m.rows.at(y)
	for i := range row {
		if row[i].westOf(x, y) {
			in ^= row[i].tag
		}
	}
	return in
}
