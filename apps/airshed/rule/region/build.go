package region

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// sampled is about how many corners of a polygon are kept to see where it lies;
// a district has at most ten times as many, whatever islands it has.
const sampled = 32

// A builder makes districts of features.
type builder struct {
	of     *Districts
	pieces []piece
	count  int // of corners
}

// A piece is a polygon of a named district.
type piece struct {
	place Place
	rings [][]corner
}

// feature takes in one feature's polygons, or the station it is.
func (b *builder) feature(f feature, t Terms) error {
	if t.Gives == GivesStates && f.Geometry != nil && f.Geometry.Type == "Point" {
		return b.station(f)
	}
	place, err := placeOf(f, t)
	if err != nil {
		return err
	}
	if f.Type != "Feature" || f.Geometry == nil {
		return fault.New(fault.Invalid, "%s has no geometry", place.short())
	}
	var polygons [][][][]float64
	switch f.Geometry.Type {
	case "Polygon":
		polygons = make([][][][]float64, 1)
		err = json.Unmarshal(f.Geometry.Coordinates, &polygons[0])
	case "MultiPolygon":
		err = json.Unmarshal(f.Geometry.Coordinates, &polygons)
	default:
		return fault.New(fault.Invalid, "%s is a %q, neither Polygon nor MultiPolygon", place.short(), short(f.Geometry.Type))
	}
	if err != nil {
		return fault.New(fault.Invalid, "%s has coordinates that are not those of a %s", place.short(), f.Geometry.Type)
	}
	for _, rings := range polygons {
		if err := b.polygon(place, rings); err != nil {
			return err
		}
	}
	return nil
}

// placeOf is what a feature's polygons are land of.
func placeOf(f feature, t Terms) (p Place, err error) {
	if t.Gives == GivesStates {
		p.State, err = name(f, t.State)
		return p, err
	}
	if p.District, err = name(f, t.District); err != nil {
		return p, err
	}
	p.Country = india
	p.State, err = name(f, t.State)
	return p, err
}

// short is what a place of a file is called in an error.
func (p Place) short() string { return cmp.Or(p.District, p.State) }

// polygon takes in a polygon: its outer ring and its holes. Which way a ring runs
// makes no difference.
func (b *builder) polygon(place Place, rings [][][]float64) error {
	if len(rings) == 0 {
		return fault.New(fault.Invalid, "%s has a polygon without a ring", place.short())
	}
	p := piece{place: place}
	for _, ring := range rings {
		if len(ring) < 4 || !slices.Equal(ring[0], ring[len(ring)-1]) {
			return fault.New(fault.Invalid, "%s has a ring that is not closed, or of fewer than four positions", place.short())
		}
		if b.count += len(ring); b.count > MaxCorners {
			return manyCorners()
		}
		corners := make([]corner, 0, len(ring))
		for _, at := range ring {
			if len(at) < 2 || len(at) > 4 || !onEarth(at[1], at[0]) {
				return fault.New(fault.Invalid, "%s has a position that is not a longitude and a latitude in degrees", place.short())
			}
			x, y, _ := onGrid(at[1], at[0])
			corners = append(corners, corner{x, y})
		}
		p.rings = append(p.rings, corners)
	}
	if b.pieces = append(b.pieces, p); len(b.pieces) > MaxPolygons {
		return fault.New(fault.TooLarge, "the file has more than %d polygons", MaxPolygons)
	}
	return nil
}

// done puts districts and their polygons in order of state and name.
func (b *builder) done() (*Districts, error) {
	d := b.of
	slices.SortStableFunc(b.pieces, func(p, q piece) int {
		return cmp.Or(cmp.Compare(p.place.State, q.place.State), cmp.Compare(p.place.District, q.place.District))
	})
	edges := make([]edge, 0, b.count)
	first := 0 // polygon of the district
	for i, p := range b.pieces {
		if i == 0 || d.places[len(d.places)-1] != p.place {
			d.places, first = append(d.places, p.place), i
		}
		g := polygon{district: len(d.places) - 1, west: math.MaxInt32, south: math.MaxInt32, east: math.MinInt32, north: math.MinInt32}
		for _, ring := range p.rings {
			for j, c := range ring {
				g.west, g.east = min(g.west, c.x), max(g.east, c.x)
				g.south, g.north = min(g.south, c.y), max(g.north, c.y)
				if j > 0 {
					edges = append(edges, newEdge(ring[j-1], c, uint64(i)))
				}
			}
		}
		if outer := p.rings[0]; i-first < 10 {
			for j := 0; j < len(outer); j += (len(outer) + sampled - 1) / sampled {
				g.corners = append(g.corners, outer[j])
			}
		}
		d.polygons = append(d.polygons, g)
	}
	if len(d.places) > MaxDistricts {
		return nil, fault.New(fault.TooLarge, "there are %d %s in the file; at most %d are read", len(d.places), d.gives, MaxDistricts)
	}
	if len(d.places) == 0 {
		return nil, fault.New(fault.Invalid, "no %s in the file has any land", strings.TrimSuffix(string(d.gives), "s"))
	}
	d.rows = newRows(edges)
	return d, d.checkStations()
}
