// Package near finds the fires around a station when there are very many of both,
// as in a day of the whole world.
package near

import (
	"cmp"
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxPoints bounds one index: two weeks of the world.
const MaxPoints = 3_000_000

// An Index holds places by bands of latitude, and in each by longitude. It is not
// changed once made, and may be shared. A place takes 32 bytes.
type Index struct {
	bands [bands][]spot
}

// A spot is a place as a vector of length 1 from the middle of the earth: whether
// it is near another takes three multiplications, and no angle.
type spot struct {
	x, y, z float64
	lon     float32
	id      int32
}

// perBand is how many degrees of latitude a band has.
const (
	perBand = 0.5
	bands   = int(180/perBand) + 1
)

// New makes an index of places, which are known by their place in the list from
// then on.
func New(points []fire.Point) (*Index, error) {
	if len(points) > MaxPoints {
		return nil, fault.New(fault.TooLarge, "more than %d places", MaxPoints)
	}
	x := &Index{}
	var sizes [bands]int
	for i, p := range points {
		if !p.Valid() {
			return nil, fault.New(fault.Invalid, "place %d, at %v, %v, is not on the globe", i, p.Lat, p.Lon)
		}
		sizes[band(p.Lat)]++
	}
	for b, n := range sizes {
		x.bands[b] = make([]spot, 0, n)
	}
	for i, p := range points {
		b := band(p.Lat)
		x.bands[b] = append(x.bands[b], spotOf(p, i))
	}
	for _, b := range x.bands {
		slices.SortFunc(b, func(a, b spot) int { return cmp.Or(cmp.Compare(a.lon, b.lon), cmp.Compare(a.id, b.id)) })
	}
	return x, nil
}

func band(lat float64) int { return min(max(int((lat+90)/perBand), 0), bands-1) }

func spotOf(p fire.Point, id int) spot {
	sinLat, cosLat := math.Sincos(p.Lat * earth.Radians)
	sinLon, cosLon := math.Sincos(p.Lon * earth.Radians)
	return spot{cosLat * cosLon, cosLat * sinLon, sinLat, float32(p.Lon), int32(id)}
}

// Within visits every place that lies no farther from a point than so many
// kilometres over the ground, with the distance; the order has no meaning. A place
// within a millimetre of the rim may count or not.
func (x *Index) Within(p fire.Point, km float64, visit func(id int, km float64)) {
	if !(km >= 0) || !p.Valid() {
		return
	}
	angle := min(km/earth.RadiusKM, math.Pi)
	chord := 4 * math.Sin(angle/2) * math.Sin(angle/2) // squared
	at := spotOf(p, 0)
	wide := width(p.Lat, angle)
	for b := band(p.Lat - angle/earth.Radians); b <= band(p.Lat+angle/earth.Radians); b++ {
		for _, span := range spans(p.Lon, wide) {
			x.look(b, span, at, chord, visit)
		}
	}
}

// look visits the places of a band between two meridians that are near enough.
func (x *Index) look(b int, span [2]float64, at spot, chord float64, visit func(id int, km float64)) {
	row := x.bands[b]
	from, _ := slices.BinarySearchFunc(row, float32(span[0]), func(s spot, lon float32) int { return cmp.Compare(s.lon, lon) })
	for _, s := range row[from:] {
		if float64(s.lon) > span[1] {
			return
		}
		dx, dy, dz := s.x-at.x, s.y-at.y, s.z-at.z
		if d := dx*dx + dy*dy + dz*dz; d <= chord {
			visit(int(s.id), 2*earth.RadiusKM*math.Asin(min(1, math.Sqrt(d)/2)))
		}
	}
}

// width is how many degrees of longitude to each side a circle reaches; all of them
// where it holds a pole.
func width(lat, angle float64) float64 {
	const slack = 1e-4 // for the rounding of longitudes
	sin, cos := math.Sin(angle), math.Cos(lat*earth.Radians)
	if angle >= math.Pi/2 || sin >= cos {
		return 180
	}
	return math.Asin(sin/cos)/earth.Radians + slack
}

// spans are the meridians between which a circle lies: two pieces where it lies
// across the 180th.
func spans(lon, wide float64) [][2]float64 {
	from, to := lon-wide, lon+wide
	switch {
	case wide >= 180:
		return [][2]float64{{-180, 180}}
	case from < -180:
		return [][2]float64{{-180, to}, {from + 360, 180}}
	case to > 180:
		return [][2]float64{{from, 180}, {-180, to - 360}}
	}
	return [][2]float64{{from, to}}
}
