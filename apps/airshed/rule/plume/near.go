package plume

import (
	"iter"
	"math"
	"sort"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// A list is entries by row and column of their cells.
type list[E any] struct {
	south   int     // the first row
	starts  []int32 // where each row begins; one more than there are rows
	columns []uint16
	entries []E
}

// newList is a list of crumbs, which must be sorted.
func newList[E any](crumbs []crumb, entry func(crumb) E) list[E] {
	if len(crumbs) == 0 {
		return list[E]{}
	}
	l := list[E]{
		south:   crumbs[0].row(),
		columns: make([]uint16, len(crumbs)),
		entries: make([]E, len(crumbs)),
	}
	l.starts = make([]int32, 0, crumbs[len(crumbs)-1].row()-l.south+2)
	for i, c := range crumbs {
		for len(l.starts) <= c.row()-l.south {
			l.starts = append(l.starts, int32(i))
		}
		l.columns[i] = uint16(c.column())
		l.entries[i] = entry(c)
	}
	l.starts = append(l.starts, int32(len(crumbs)))
	return l
}

// in gives the entries of the cells of a box that are not in a hole of it, row by row.
func (l *list[E]) in(b, hole box) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		for r := max(b.south, l.south); r <= b.north && r-l.south < len(l.starts)-1; r++ {
			if r < hole.south || r > hole.north {
				if part := l.part(r, b.west, b.east); len(part) > 0 && !yield(part) {
					return
				}
				continue
			}
			if part := l.part(r, b.west, hole.west-1); len(part) > 0 && !yield(part) {
				return
			}
			if part := l.part(r, hole.east+1, b.east); len(part) > 0 && !yield(part) {
				return
			}
		}
	}
}

// part is the entries of a row from one column to another, both included.
func (l *list[E]) part(row, west, east int) []E {
	from, to := int(l.starts[row-l.south]), int(l.starts[row-l.south+1])
	columns := l.columns[from:to]
	first := sort.Search(len(columns), func(i int) bool { return int(columns[i]) >= west })
	n := sort.Search(len(columns)-first, func(i int) bool { return int(columns[first+i]) > east })
	return l.entries[from+first : from+first+n]
}

// A reach is how far from a point fires count, in kilometres: up to near in small
// cells, and beyond in wider ones.
type reach struct {
	at        Point
	near, far float64
}

// within gives the entries in reach. The lists are of cells of one size after the
// other, beginning with the first; size is that of the cells that are near.
func within[E any](lists []list[E], first, size int, r reach) iter.Seq[[]E] {
	wide := min(size+1, first+len(lists)-1)
	// A middle of power is never outside its cell by more than the curve of the ground,
	// for which one cell more is plenty.
	far := around(r.at, r.far, wide, sizes[wide])
	near := around(r.at, r.near, wide, 0)
	return func(yield func([]E) bool) {
		for part := range lists[wide-first].in(far, near) {
			if !yield(part) {
				return
			}
		}
		for part := range lists[size-first].in(near.split(wide-size), box{south: 1}) {
			if !yield(part) {
				return
			}
		}
	}
}

// A box is rows and columns of cells, all included.
type box struct{ south, north, west, east int }

// split is a box in cells of so many sizes less.
func (b box) split(times int) box {
	return box{south: b.south << times, north: (b.north+1)<<times - 1, west: b.west << times, east: (b.east+1)<<times - 1}
}

// around is the cells that touch a circle, and some degrees more.
func around(at Point, km float64, size int, more float64) box {
	dlat := km / kmPerDegree
	dlon := 360.0
	if angle := km / earth.RadiusKM; angle < math.Pi/2 && math.Sin(angle) < math.Cos(at.Lat*radians) {
		dlon = math.Asin(math.Sin(angle)/math.Cos(at.Lat*radians)) / radians
	}
	return box{
		south: int(row(max(at.Lat-dlat-more, -90), size)), north: int(row(min(at.Lat+dlat+more, 90), size)),
		west: int(column(max(at.Lon-dlon-more, -180), size)), east: int(column(min(at.Lon+dlon+more, 180), size)),
	}
}
