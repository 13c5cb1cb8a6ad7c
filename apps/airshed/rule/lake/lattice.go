package lake

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// How many nodes a lattice may have for each row, and how many in any case: two rows
// far apart must not make millions.
const (
	sparse = 8
	spare  = 64
)

// layOut puts rows on the lattice they lie on. Nodes without a row are missing.
func layOut(rows []windRow) (*Wind, error) {
	lats, err1 := findAxis(rows, "lat", func(w windRow) int64 { return w.lat })
	lons, err2 := findAxis(rows, "lon", func(w windRow) int64 { return w.lon })
	times, err3 := findAxis(rows, "time", func(w windRow) int64 { return w.unix })
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	if nodes := float64(lats.n) * float64(lons.n) * float64(times.n); nodes > spare+sparse*float64(len(rows)) {
		return nil, fault.New(fault.Invalid, "wind_data has %d rows for a lattice of %.0f nodes: it is not regular, or nearly empty",
			len(rows), nodes).
			WithNext("give the wind on a lattice with equal steps")
	}
	w, err := NewWind(wind.Shape{
		South: float64(lats.first) / perDegree, West: float64(lons.first) / perDegree,
		DLat: float64(lats.step) / perDegree, DLon: float64(lons.step) / perDegree, Rows: lats.n, Cols: lons.n,
		Start: time.Unix(times.first, 0), Every: time.Duration(min(times.step, 1_000_000)) * time.Second, Times: times.n,
	})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if err := w.put(r, times.index(r.unix), lats.index(r.lat), lons.index(r.lon)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// put fills what one row says. The same twice is once; two rows that disagree
// refuse the file, for nobody can say which is right.
func (w *Wind) put(r windRow, time, row, col int) error {
	i, err := w.node(time, row, col)
	if err != nil {
		return err
	}
	twice := fault.New(fault.Invalid, "wind_data gives node %d, %d at time %d of level %.20s twice, and not the same", row, col, time,
		r.level)
	if !math.IsNaN(r.u) && !math.IsNaN(r.v) {
		var was layer
		if of := w.levels[r.level]; of != nil {
			was = layer{[]int16{of.u[i]}, []int16{of.v[i]}}
		}
		if err := w.Set(r.level, time, row, col, r.u, r.v); err != nil {
			return err
		}
		if is := w.levels[r.level]; was.u != nil && was.u[0] != missing && (was.u[0] != is.u[i] || was.v[0] != is.v[i]) {
			return twice
		}
	}
	if math.IsNaN(r.mixing) {
		return nil
	}
	was := int16(missing)
	if w.mixing != nil {
		was = w.mixing[i]
	}
	if err := w.SetMixing(time, row, col, r.mixing); err != nil {
		return err
	}
	if was != missing && was != w.mixing[i] {
		return twice
	}
	return nil
}

// An axis is regular marks along one direction of the lattice.
type axis struct {
	first, step int64
	n           int
}

func (a axis) index(v int64) int { return int((v - a.first) / a.step) }

// findAxis is the marks that the rows lie on. The smallest distance between two is
// the step; all others must be whole multiples of it.
func findAxis(rows []windRow, name string, of func(windRow) int64) (axis, error) {
	marks := make([]int64, len(rows))
	for i, w := range rows {
		marks[i] = of(w)
	}
	slices.Sort(marks)
	marks = slices.Compact(marks)
	if len(marks) < 2 {
		return axis{}, fault.New(fault.Invalid, "wind_data has one value of %s: at least 2 are needed", name)
	}
	a := axis{first: marks[0], step: math.MaxInt64}
	for i := range marks[1:] {
		a.step = min(a.step, marks[i+1]-marks[i])
	}
	for _, v := range marks {
		if (v-a.first)%a.step != 0 {
			return axis{}, fault.New(fault.Invalid, "wind_data is not regular in %s", name).
				WithNext("give the wind on a lattice with equal steps")
		}
	}
	n := (marks[len(marks)-1]-a.first)/a.step + 1
	if n > wind.MaxNodes {
		return axis{}, fault.New(fault.TooLarge, "wind_data has %d steps of %s: at most %d", n, name, wind.MaxNodes)
	}
	a.n = int(n)
	return a, nil
}
