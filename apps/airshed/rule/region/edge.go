package region

import "math"

// perDegree is how finely places are told apart: 1e-7 degrees, a centimetre. With
// it products of two differences stay below 2⁶³, so that every comparison is exact.
const perDegree = 10_000_000

// onGrid is a place in whole units, and whether it is on earth.
func onGrid(lat, lon float64) (x, y int32, ok bool) {
	if !onEarth(lat, lon) {
		return 0, 0, false
	}
	return int32(math.Round(lon * perDegree)), int32(math.Round(lat * perDegree)), true
}

// onEarth is false also for what is not a number.
func onEarth(lat, lon float64) bool { return math.Abs(lat) <= 90 && math.Abs(lon) <= 180 }

// An edge is a straight piece of an outline, its southern end first.
type edge struct {
	ax, ay, bx, by int32
	tag            uint64
}

func newEdge(a, b corner, tag uint64) edge {
	if b.y < a.y {
		a, b = b, a
	}
	return edge{a.x, a.y, b.x, b.y, tag}
}

// A corner is a point of an outline, in whole units.
type corner struct{ x, y int32 }

// westOf reports whether the edge passes the latitude of a place west of it, or
// through it. The southern end belongs to the edge, the northern does not: of two
// edges that meet in a corner exactly one passes the corner's latitude.
func (e *edge) westOf(x, y int32) bool {
	if y < e.ay || y >= e.by || e.ax > x && e.bx > x {
		return false
	}
	if e.ax <= x && e.bx <= x {
		return true
	}
	return (int64(e.bx)-int64(e.ax))*(int64(y)-int64(e.ay)) <= (int64(x)-int64(e.ax))*(int64(e.by)-int64(e.ay))
}

// rows are edges by latitude: every edge is in each row it touches.
type rows struct {
	south, step int64
	in          [][]edge
}

// at is the edges that may pass a latitude.
func (r *rows) at(y int32) []edge {
	i := int64(y) - r.south
	if i < 0 || i/r.step >= int64(len(r.in)) {
		return nil
	}
	return r.in[i/r.step]
}

// finest is the least height of a row: a hundredth of a degree.
const finest = perDegree / 100

// newRows makes rows so low that few edges are in each, and so high that few edges
// are in many.
func newRows(edges []edge) rows {
	r := rows{south: math.MaxInt64, step: finest}
	north := int64(math.MinInt64)
	for _, e := range edges {
		r.south, north = min(r.south, int64(e.ay)), max(north, int64(e.by))
	}
	if len(edges) == 0 {
		return rows{step: 1}
	}
	for r.copies(edges) > 2*len(edges) && r.step < 180*perDegree {
		r.step *= 2
	}
	r.in = make([][]edge, (north-r.south)/r.step+1)
	for _, e := range edges {
		for i := (int64(e.ay) - r.south) / r.step; i <= (int64(e.by)-r.south)/r.step; i++ {
			r.in[i] = append(r.in[i], e)
		}
	}
	return r
}

// copies is how often the rows hold an edge.
func (r *rows) copies(edges []edge) int {
	n := 0
	for _, e := range edges {
		n += int((int64(e.by)-r.south)/r.step - (int64(e.ay)-r.south)/r.step + 1)
	}
	return n
}
