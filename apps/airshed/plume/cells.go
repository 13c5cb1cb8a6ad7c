package plume

import (
	"cmp"
	"math"
	"slices"
)

// A slot is the fires that burn in one hour, in cells of each size.
type slot [len(sizes)]list

// An entry is the fires of one place in one cell that burn in the same steps of an
// hour.
type entry struct {
	middle

	frp   float32
	place uint16
	mask  uint16 // bit 4·window+quarter: they burn in this step
}

// A middle is where the power of some fires is: a direction, to within a metre, and
// how far they lie apart, the mean square in one direction in squared earth radii.
type middle struct{ x, y, z, spread float32 }

// A crumb is an entry in the making: its position is still a sum.
type crumb struct {
	sort    uint64 // row, column, place and mask
	x, y, z float64
	frp     float64
}

// The bits of a crumb's sort, from the lowest: the mask, the place, the column and
// the row.
const (
	placeAt    = 12
	columnAt   = placeAt + 14 // MaxPlaces
	rowAt      = columnAt + columnBits
	columnBits = 15 // 28,800 columns of the finest cells
)

// leastFRP is the power below which a fire weighs nothing, MW: detections are given
// in hundredths.
const leastFRP = 1e-3

func newCrumb(f Fire, place, mask uint16) crumb {
	v := f.At.vector()
	key := row(f.At.Lat, 0)<<rowAt | column(f.At.Lon, 0)<<columnAt | uint64(place)<<placeAt | uint64(mask)
	return crumb{key, v.x * f.FRP, v.y * f.FRP, v.z * f.FRP, f.FRP}
}

func row(lat float64, size int) uint64    { return uint64((lat + 90) / sizes[size]) }
func column(lon float64, size int) uint64 { return min(uint64((lon+180)/sizes[size]), 1<<columnBits-1) }

func (c crumb) row() int      { return int(c.sort >> rowAt) }
func (c crumb) column() int   { return int(c.sort >> columnAt & (1<<columnBits - 1)) }
func (c crumb) place() uint16 { return uint16(c.sort >> placeAt & (1<<(columnAt-placeAt) - 1)) }
func (c crumb) mask() uint16  { return uint16(c.sort & (1<<placeAt - 1)) }

// coarsen puts crumbs in cells twice as wide.
func coarsen(crumbs []crumb) {
	for i := range crumbs {
		c := &crumbs[i]
		c.sort = uint64(c.row()/2)<<rowAt | uint64(c.column()/2)<<columnAt | c.sort&(1<<columnAt-1)
	}
}

// merge sorts crumbs and joins those that have all in common. They come in an order
// that depends on the fires alone, and a stable sort keeps it so.
func merge(crumbs []crumb) []crumb {
	slices.SortStableFunc(crumbs, func(a, b crumb) int { return cmp.Compare(a.sort, b.sort) })
	out := crumbs[:0]
	for _, c := range crumbs {
		if n := len(out); n > 0 && out[n-1].sort == c.sort {
			o := &out[n-1]
			o.x, o.y, o.z, o.frp = o.x+c.x, o.y+c.y, o.z+c.z, o.frp+c.frp
			continue
		}
		out = append(out, c)
	}
	return out
}

// middle is where a crumb's power is. The mean of points on a sphere lies below it,
// by as much as they lie apart.
func (c crumb) middle() middle {
	n := math.Sqrt(c.x*c.x + c.y*c.y + c.z*c.z)
	below := n / c.frp
	return middle{float32(c.x / n), float32(c.y / n), float32(c.z / n), float32(max(0, 1-below*below) / 2)}
}
