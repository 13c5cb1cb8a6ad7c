package plume

import (
	"iter"
	"math"
	"sort"

	"github.com/gavelhq/gavel/apps/airshed/earth"
)

// A list is entries by row and column of their cells.
type list struct {
	south   int     // the first row
	starts  []int32 // where each row begins; one more than there are rows
	columns []uint16
	entries []entry
}

// newList is a list of crumbs, which must be sorted.
func newList(crumbs []crumb) list {
	if len(crumbs) == 0 {
		return list{}
	}
	l := list{
		south:   crumbs[0].row(),
		columns: make([]uint16, len(crumbs)),
		entries: make([]entry, len(crumbs)),
	}
	l.starts = make([]int32, 0, crumbs[len(crumbs)-1].row()-l.south+2)
	for i, c := range crumbs {
		for len(l.starts) <= c.row()-l.south {
			l.starts = append(l.starts, int32(i))
		}
		l.columns[i] = uint16(c.column())
		l.entries[i] = entry{c.middle(), float32(c.frp), c.place(), c.mask()}
	}
	l.starts = append(l.starts, int32(len(crumbs)))
	return l
}

// near gives the entries that may lie in a box, row by row.
func (l *list) near(b box) iter.Seq[[]entry] {
	return func(yield func([]entry) bool) {
		for r := max(b.south, l.south); r <= b.north && r-l.south < len(l.starts)-1; r++ {
			from, to := int(l.starts[r-l.south]), int(l.starts[r-l.south+1])
			columns := l.columns[from:to]
			west := sort.Search(len(columns), func(i int) bool { return int(columns[i]) >= b.west })
			east := west + sort.Search(len(columns)-west, func(i int) bool { return int(columns[west+i]) > b.east })
			if east > west && !yield(l.entries[from+west:from+east]) {
				return
			}
		}
	}
}

// A box is rows and columns of cells, all included.
type box struct{ south, north, west, east int }

// around is the cells that touch a circle. A middle of power is never outside its
// cell by more than the curve of the ground, for which one cell more is plenty.
func around(at Point, km float64, size int) box {
	dlat := km / kmPerDegree
	dlon := 360.0
	if angle := km / earth.RadiusKM; angle < math.Pi/2 && math.Sin(angle) < math.Cos(at.Lat*radians) {
		dlon = math.Asin(math.Sin(angle)/math.Cos(at.Lat*radians)) / radians
	}
	more := sizes[size]
	return box{
		south: int(row(max(at.Lat-dlat-more, -90), size)), north: int(row(min(at.Lat+dlat+more, 90), size)),
		west: int(column(max(at.Lon-dlon-more, -180), size)), east: int(column(min(at.Lon+dlon+more, 180), size)),
	}
}
