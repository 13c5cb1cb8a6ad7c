package oracle

import (
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Line is the straight distance over the ground in miles, found as the angle
// between two directions from the middle of the earth.
func Line(a, b fleet.Point) float64 {
	p, q := direction(a), direction(b)
	cross := [3]float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
	sin := math.Sqrt(cross[0]*cross[0] + cross[1]*cross[1] + cross[2]*cross[2])
	cos := p[0]*q[0] + p[1]*q[1] + p[2]*q[2]
	return 3958.7613 * math.Atan2(sin, cos)
}

func direction(p fleet.Point) [3]float64 {
	lat, lng := p.Lat*math.Pi/180, p.Lng*math.Pi/180
	return [3]float64{math.Cos(lat) * math.Cos(lng), math.Cos(lat) * math.Sin(lng), math.Sin(lat)}
}
