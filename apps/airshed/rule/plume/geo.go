package plume

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

const radians = earth.Radians

// A Point is a place on the earth, in degrees.
type Point struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

// Valid reports whether a point is on the globe and not at a pole, where east has
// no meaning.
func (p Point) Valid() bool {
	return math.Abs(p.Lat) <= 89 && math.Abs(p.Lon) <= 180
}

// Distance is the length of the shortest line over the ground, in kilometres.
func Distance(a, b Point) float64 {
	return earth.Distance(a.Lat, a.Lon, b.Lat, b.Lon)
}

// Moved is where something comes to that is carried so many metres a second to the
// east and north for some hours, fewer than none for back. A degree of longitude
// is as long as it is half way.
func (p Point) Moved(u, v, hours float64) Point {
	const kmPerHour = 3.6 // of a metre a second
	dlat := v * kmPerHour * hours / earth.RadiusKM / radians
	middle := (p.Lat + dlat/2) * radians
	return Point{p.Lat + dlat, p.Lon + u*kmPerHour*hours/(earth.RadiusKM*math.Cos(middle))/radians}
}

// A vector is a point as a direction from the middle of the earth: between two of
// them a distance needs no trigonometry.
type vector struct{ x, y, z float64 }

func (p Point) vector() vector {
	slat, clat := math.Sincos(p.Lat * radians)
	slon, clon := math.Sincos(p.Lon * radians)
	return vector{clat * clon, clat * slon, slat}
}

// squared is the square of a distance over the ground, in earth radii, from the
// square of the straight line through it: the series of (2 asin(c/2))². Up to
// 1,000 km it is right to one part in 100,000, up to 2,000 km in 9,000.
func squared(c2 float32) float32 {
	return c2 * (1 + c2*(1.0/12))
}
