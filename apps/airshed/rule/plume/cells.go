package plume

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A slot is the fires that burn in one hour: in small cells step by step, for where
// the position of the air is well known, and in wide ones the hour together.
type slot struct {
	fine   [fineSizes]list[stepwise]
	coarse [len(sizes) - coarseFrom]list[hourly]
	total  [len(sizes) - coarseFrom]list[lump]
}

// A stepwise is the fires of one place in one cell that burn in the same steps of an
// hour.
type stepwise struct {
	middle

	frp   float32
	place uint16
	mask  uint16 // bit 4·window+quarter: they burn in this step
}

// An hourly is the fires of one place in one cell that burn in an hour in the same
// windows, with their power in each step of it.
type hourly struct {
	middle

	power power[float32]
	place uint16
}

// A lump is the fires of all places in one cell, with their power in each step of an
// hour in the default window: the null test asks for no more.
type lump struct {
	middle

	power [quarters]float32
}

// A power is what burns in each step of an hour, by window, in MW.
type power[F float32 | float64] [len(Burns{})][quarters]F

// A middle is where the power of some fires is: a direction, to within a metre, and
// how far they lie apart, the mean square in one direction in squared earth radii.
type middle struct{ x, y, z, spread float32 }

// A crumb is an entry in the making: its position is still a sum.
type crumb struct {
	sort    uint64 // row, column, place and mask, or windows
	x, y, z float64
	frp     float64
	power   power[float64]
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
	return crumb{sort: key, x: v.x * f.FRP, y: v.y * f.FRP, z: v.z * f.FRP, frp: f.FRP}
}

// add joins a crumb to another.
func (c *crumb) add(o *crumb) {
	c.x, c.y, c.z, c.frp = c.x+o.x, c.y+o.y, c.z+o.z, c.frp+o.frp
	for w := range c.power {
		for q := range c.power[w] {
			c.power[w][q] += o.power[w][q]
		}
	}
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

// pool makes of the steps that crumbs burn in their power in each, so that those with
// other steps can be joined to them if they burn in the same windows. Their middle
// goes by the power of all steps.
func pool(crumbs []crumb) {
	for i := range crumbs {
		c := &crumbs[i]
		windows, steps := uint64(0), bits.OnesCount16(c.mask())
		for w := range c.power {
			for q := range quarters {
				if c.mask()>>(w*quarters+q)&1 != 0 {
					c.power[w][q] = c.frp
					windows |= 1 << w
				}
			}
		}
		c.sort = c.sort>>placeAt<<placeAt | windows
		c.scale(float64(steps) / float64(quarters*len(c.power)))
	}
}

// scale changes how much a crumb counts for its middle.
func (c *crumb) scale(by float64) { c.x, c.y, c.z, c.frp = c.x*by, c.y*by, c.z*by, c.frp*by }

// lumped makes of crumbs that were pooled what the default window has of them, wherever
// they are. Those without any are left out.
func lumped(crumbs []crumb) []crumb {
	out := crumbs[:0]
	for _, c := range crumbs {
		all, own := 0.0, 0.0
		for w := range c.power {
			for _, p := range c.power[w] {
				all += p
				if w == len(c.power)-1 {
					own += p
				}
			}
		}
		if own > 0 {
			c.sort = c.sort >> columnAt << columnAt
			c.scale(own / all)
			out = append(out, c)
		}
	}
	return out
}

// merge sorts crumbs and joins those that have all in common. They come in an order
// that depends on the fires alone, and a stable sort keeps it so.
func merge(crumbs []crumb) []crumb {
	slices.SortStableFunc(crumbs, func(a, b crumb) int { return cmp.Compare(a.sort, b.sort) })
	out := crumbs[:0]
	for _, c := range crumbs {
		if n := len(out); n > 0 && out[n-1].sort == c.sort {
			out[n-1].add(&c)
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

func (c crumb) stepwise() stepwise {
	return stepwise{c.middle(), float32(c.frp), c.place(), c.mask()}
}

func (c crumb) hourly() (h hourly) {
	h.middle, h.place = c.middle(), c.place()
	for w, steps := range c.power {
		for q, p := range steps {
			h.power[w][q] = float32(p)
		}
	}
	return h
}

func (c crumb) lump() (l lump) {
	l.middle = c.middle()
	for q, p := range c.power[len(c.power)-1] {
		l.power[q] = float32(p)
	}
	return l
}
