package fire

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// A cell is a cube of space through which the earth's surface runs, during some
// time. Cubes have no poles and no date line.
type cell struct{ x, y, z, t int32 }

// A grid finds what is near a place and a moment. Its cells are four times as
// wide as what counts as near, so that mostly one or two are looked into.
type grid struct {
	size  float64       // of a cell, km
	span  time.Duration // 0: time does not matter
	long  time.Duration // of a cell
	holds map[cell][]int32
}

func newGrid(km float64, span time.Duration) *grid {
	const wider, least = 4, 0.1 // km, so that a nearness of nothing still has cells
	return &grid{span: span, size: wider * math.Max(km, least), long: wider * max(span, time.Minute), holds: map[cell][]int32{}}
}

// vector is a place in km from the middle of the earth.
func vector(p Point) (x, y, z float64) {
	const rad = math.Pi / 180
	sinLat, cosLat := math.Sincos(p.Lat * rad)
	sinLon, cosLon := math.Sincos(p.Lon * rad)
	return earth.RadiusKM * cosLat * cosLon, earth.RadiusKM * cosLat * sinLon, earth.RadiusKM * sinLat
}

func (g *grid) index(v float64) int32 { return int32(math.Floor(v / g.size)) }

func (g *grid) moment(t time.Time) int32 {
	if g.span == 0 {
		return 0
	}
	return int32(math.Floor(float64(t.Unix()) / g.long.Seconds()))
}

func (g *grid) add(p Point, t time.Time, id int32) {
	x, y, z := vector(p)
	c := cell{g.index(x), g.index(y), g.index(z), g.moment(t)}
	g.holds[c] = append(g.holds[c], id)
}

// some reports whether something near a place and a moment is what is looked for.
// It offers everything within km and the grid's time, and more.
func (g *grid) some(p Point, km float64, t time.Time, is func(id int32) bool) bool {
	const slack = 1e-6 // km, for rounding
	x, y, z := vector(p)
	r := km + slack
	for cx := g.index(x - r); cx <= g.index(x+r); cx++ {
		for cy := g.index(y - r); cy <= g.index(y+r); cy++ {
			for cz := g.index(z - r); cz <= g.index(z+r); cz++ {
				for ct := g.moment(t.Add(-g.span)); ct <= g.moment(t.Add(g.span)); ct++ {
					for _, id := range g.holds[cell{cx, cy, cz, ct}] {
						if is(id) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// micro is a place's degrees as a whole number of its five decimals.
func micro(degrees float64) int32 { return int32(math.Round(degrees * 1e5)) }
