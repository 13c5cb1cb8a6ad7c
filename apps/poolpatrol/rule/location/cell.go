package location

import "github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"

// A Cell is a patch of ground of some 150 metres: seven letters of a geohash.
// Whoever lives in one has the same way to a pickup, as far as this check cares.
type Cell struct {
	Name   string
	Middle fleet.Point
}

// CellOf finds the cell a point lies in. The point must be on the globe.
func CellOf(p fleet.Point) Cell {
	const letters, length = "0123456789bcdefghjkmnpqrstuvwxyz", 7
	south, north, west, east := -90.0, 90.0, -180.0, 180.0
	name := make([]byte, length)
	for i := range length * 5 { // five bits a letter, the longitude's first
		var bit byte
		if i%2 == 0 {
			west, east, bit = half(west, east, p.Lng)
		} else {
			south, north, bit = half(south, north, p.Lat)
		}
		name[i/5] = name[i/5]<<1 | bit
	}
	for i, n := range name {
		name[i] = letters[n]
	}
	return Cell{Name: string(name), Middle: fleet.Point{Lat: (south + north) / 2, Lng: (west + east) / 2}}
}

// half is the half of a range in which a number lies: 1 is the upper.
func half(low, high, at float64) (l, h float64, bit byte) {
	middle := (low + high) / 2
	if at >= middle {
		return middle, high, 1
	}
	return low, middle, 0
}

// Plausible reports whether a measured road can be a way between two points. One
// that cannot is not used, and is not worth keeping.
func (p Pair) Plausible(r Road) bool {
	return Policy{}.plausible(Haversine(p.Home, p.Pickup), r.Miles)
}
