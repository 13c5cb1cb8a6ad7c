package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/sams96/rgeo"
)

// perDegree is how finely places are kept: 1e-5 degrees, about a metre.
const perDegree = 100_000

// leastIsland is the area, in square degrees, below which an island of another
// country is left out: about 20 km². India's are all kept.
const leastIsland = 0.002

// neighbours are the countries that air on its way to Delhi may have crossed in
// three days, in the order of the file.
var neighbours = []string{
	"Pakistan", "Nepal", "Bangladesh", "China", "Bhutan", "Myanmar", "Sri Lanka",
	"Afghanistan", "Tajikistan", "Kyrgyzstan", "Uzbekistan", "Iran", disputed,
}

// disputed is land the source gives to no country.
const disputed = "Siachen Glacier"

// spelled has the states whose common English name is not the source's.
var spelled = map[string]string{"Andaman and Nicobar": "Andaman and Nicobar Islands"}

type (
	// A point is a place in units of 1/perDegree.
	point struct{ x, y int32 }

	// A ring is closed without repeating its first point; the land of its shape is
	// on its left.
	ring []point

	// A shape is the land of one state of India or of one other country.
	shape struct {
		Country, State string
		rings          []ring
	}
)

func provinces() []byte { return rgeo.Provinces10() }

// A feature is as much of a GeoJSON feature as is needed here. The source holds
// states and countries in one collection; their properties differ.
type feature struct {
	Properties struct {
		Admin   string `json:"admin"`
		Name    string `json:"name"`
		Country string `json:"ADMIN"`
	} `json:"properties"`
	Geometry struct {
		Type        string          `json:"type"`
		Coordinates json.RawMessage `json:"coordinates"`
	} `json:"geometry"`
}

// UnmarshalJSON tells "admin" from "ADMIN", which encoding/json would not.
func (f *feature) UnmarshalJSON(b []byte) error {
	var raw struct {
		Properties map[string]any `json:"properties"`
		Geometry   json.RawMessage
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	f.Properties.Admin, _ = raw.Properties["admin"].(string)
	f.Properties.Name, _ = raw.Properties["name"].(string)
	f.Properties.Country, _ = raw.Properties["ADMIN"].(string)
	return json.Unmarshal(raw.Geometry, &f.Geometry)
}

// read takes the states of India and the neighbours out of the source.
func read(zipped []byte) ([]shape, error) {
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("unpack the source: %w", err)
	}
	var all struct{ Features []feature }
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		return nil, fmt.Errorf("read the source: %w", err)
	}
	var india, abroad []shape
	for _, f := range all.Features {
		p := f.Properties
		s := shape{Country: p.Country}
		switch {
		case p.Admin == "India":
			s = shape{Country: "India", State: p.Name}
			if name, ok := spelled[p.Name]; ok {
				s.State = name
			}
		case !slices.Contains(neighbours, p.Country):
			continue
		}
		if s.rings, err = rings(f, s.State == ""); err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.Country, s.State, err)
		}
		if s.State != "" {
			india = append(india, s)
		} else {
			abroad = append(abroad, s)
		}
	}
	slices.SortFunc(india, func(a, b shape) int { return bytes.Compare([]byte(a.State), []byte(b.State)) })
	slices.SortFunc(abroad, func(a, b shape) int {
		return slices.Index(neighbours, a.Country) - slices.Index(neighbours, b.Country)
	})
	if len(india) != 36 || len(abroad) != len(neighbours) {
		return nil, fmt.Errorf("%d states and %d countries were found; 36 and %d were expected", len(india), len(abroad), len(neighbours))
	}
	return append(india, abroad...), nil
}

// rings reads a feature's polygons: shells run anticlockwise, holes clockwise.
func rings(f feature, dropSmall bool) ([]ring, error) {
	var polygons [][][][2]float64
	switch f.Geometry.Type {
	case "Polygon":
		polygons = make([][][][2]float64, 1)
		if err := json.Unmarshal(f.Geometry.Coordinates, &polygons[0]); err != nil {
			return nil, err
		}
	case "MultiPolygon":
		if err := json.Unmarshal(f.Geometry.Coordinates, &polygons); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("a %s is no land", f.Geometry.Type)
	}
	var all []ring
	for _, polygon := range polygons {
		for i, coords := range polygon {
			r := quantise(coords)
			a := area(r)
			if len(r) < 3 || dropSmall && math.Abs(a) < leastIsland {
				continue
			}
			if (i == 0) != (a > 0) {
				slices.Reverse(r)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func quantise(coords [][2]float64) ring {
	var r ring
	for _, c := range coords {
		p := point{int32(math.Round(c[0] * perDegree)), int32(math.Round(c[1] * perDegree))}
		if len(r) == 0 || r[len(r)-1] != p {
			r = append(r, p)
		}
	}
	for len(r) > 1 && r[0] == r[len(r)-1] {
		r = r[:len(r)-1]
	}
	return r
}

// area is positive for a ring that runs anticlockwise; in square degrees.
func area(r ring) float64 {
	var sum float64
	for i, p := range r {
		q := r[(i+1)%len(r)]
		sum += float64(p.x)*float64(q.y) - float64(q.x)*float64(p.y)
	}
	return sum / 2 / perDegree / perDegree
}
