// Package earth is the globe that stations, fires and air are measured on: a sphere
// of the earth's mean radius, on which distances are right to about half a percent.
package earth

import "math"

// RadiusKM is the mean radius.
const RadiusKM = 6371.0088

// Radians is how many of them a degree has.
const Radians = math.Pi / 180

// Distance is the length of the shortest way over the ground between two places, in
// kilometres; places are in degrees.
func Distance(lat1, lon1, lat2, lon2 float64) float64 {
	lat, lon := math.Sin((lat2-lat1)*Radians/2), math.Sin((lon2-lon1)*Radians/2)
	h := lat*lat + math.Cos(lat1*Radians)*math.Cos(lat2*Radians)*lon*lon
	return 2 * RadiusKM * math.Asin(math.Min(1, math.Sqrt(h)))
}
