package wind

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// fill puts rows on the lattice they lie on.
func fill(rows []row) (*Grid, error) {
	lats, err1 := findAxis(rows, "latitude", func(w row) int64 { return int64(w.lat) })
	lons, err2 := findAxis(rows, "longitude", func(w row) int64 { return int64(w.lon) })
	times, err3 := findAxis(rows, "time", func(w row) int64 { return w.unix })
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	g, err := New(Shape{
		South: float64(lats.first) / perDegree, West: float64(lons.first) / perDegree,
		DLat: float64(lats.step) / perDegree, DLon: float64(lons.step) / perDegree,
		Rows: lats.n, Cols: lons.n,
		Start: time.Unix(times.first, 0).UTC(), Every: time.Duration(min(times.step, 1_000_000)) * time.Second, Times: times.n,
	})
	if err != nil {
		return nil, err
	}
	for _, w := range rows {
		if err := g.put(w, times.index(w.unix), lats.index(int64(w.lat)), lons.index(int64(w.lon))); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *Grid) put(w row, time, row, col int) error {
	l, i := Levels()[w.level], (time*g.shape.Rows+row)*g.shape.Cols+col
	if !isMissing(w.u) && !isMissing(w.v) {
		if g.Has(l) && !isMissing(g.layers[l].u[i]) {
			return fault.New(fault.Invalid, "the wind grid gives node %d, %d at time %d of level %s twice", row, col, time, l)
		}
		if err := g.Set(l, time, row, col, float64(w.u), float64(w.v)); err != nil {
			return err
		}
	}
	if isMissing(w.blh) {
		return nil
	}
	if g.mixing != nil && !isMissing(g.mixing[i]) && g.mixing[i] != w.blh { // every level repeats it
		return fault.New(fault.Invalid, "the wind grid gives node %d, %d at time %d two mixing heights, %g and %g m", row, col, time,
			g.mixing[i], w.blh)
	}
	return g.SetMixing(time, row, col, float64(w.blh))
}

func isMissing(v float32) bool { return math.IsNaN(float64(v)) }

// An axis is regular marks along one direction of the lattice.
type axis struct {
	first, step int64
	n           int
}

func (a axis) index(v int64) int { return int((v - a.first) / a.step) }

// findAxis is the marks that the rows lie on. The smallest distance between two is
// the step; all others must be whole multiples of it.
func findAxis(rows []row, name string, of func(row) int64) (axis, error) {
	seen := map[int64]struct{}{}
	for _, w := range rows {
		seen[of(w)] = struct{}{}
	}
	marks := make([]int64, 0, len(seen))
	for v := range seen {
		marks = append(marks, v)
	}
	slices.Sort(marks)
	if len(marks) < 2 {
		return axis{}, fault.New(fault.Invalid, "the wind grid has %d values of %s: at least 2 are needed", len(marks), name)
	}
	a := axis{first: marks[0], step: marks[1] - marks[0]}
	for i := range marks[1:] {
		a.step = min(a.step, marks[i+1]-marks[i])
	}
	for _, v := range marks {
		if (v-a.first)%a.step != 0 {
			return axis{}, fault.New(fault.Invalid, "the wind grid is not regular in %s", name)
		}
	}
	n := (marks[len(marks)-1]-a.first)/a.step + 1
	if n > MaxNodes {
		return axis{}, fault.New(fault.TooLarge, "the wind grid has %d steps of %s: at most %d", n, name, MaxNodes)
	}
	a.n = int(n)
	return a, nil
}
