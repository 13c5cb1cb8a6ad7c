package lake

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Wind is the wind on a regular lattice, in columns: rows with a time and a
// place each would be ten times the bytes. It keeps hundredths of a metre a second
// and whole metres of mixing height, far less than forecasts are off by. Make it
// with NewWind.
type Wind struct {
	shape  wind.Shape
	levels map[wind.Level]*layer
	mixing []int16 // metres; nil: not known anywhere
}

// A layer is the wind of one level, by time, row and column, in cm/s.
type layer struct{ u, v []int16 }

// missing stands for a node that nothing is known of.
const missing = math.MinInt16

// perMetre is how many units of a layer a metre a second has.
const perMetre = 100

// NewWind makes a wind in which everything is missing.
func NewWind(s wind.Shape) (*Wind, error) {
	s.Start = s.Start.UTC()
	if _, err := wind.New(s); err != nil { // it checks the shape and takes no room yet
		return nil, err
	}
	if s.Every%time.Minute != 0 || s.Start.Nanosecond() != 0 || s.Start.Second() != 0 {
		return nil, fault.New(fault.Invalid, "a wind grid begins at a whole minute and goes on in whole minutes")
	}
	return &Wind{shape: s, levels: map[wind.Level]*layer{}}, nil
}

// Shape is where the nodes are.
func (w *Wind) Shape() wind.Shape { return w.shape }

// Span is the time from the first to the last hour of the wind.
func (w *Wind) Span() Span {
	return Span{w.shape.Start, w.shape.Start.Add(time.Duration(w.shape.Times-1) * w.shape.Every)}
}

// Levels are those of which anything is known, from the ground upwards.
func (w *Wind) Levels() []wind.Level {
	var out []wind.Level
	for _, l := range wind.Levels() {
		if w.levels[l] != nil {
			out = append(out, l)
		}
	}
	return out
}

// Set fills one node of a level.
func (w *Wind) Set(l wind.Level, time, row, col int, u, v float64) error {
	i, err := w.node(time, row, col)
	if err != nil {
		return err
	}
	if !(math.Abs(u) <= wind.Fastest && math.Abs(v) <= wind.Fastest) {
		return fault.New(fault.Invalid, "a wind of %v, %v m/s: at most %d", u, v, wind.Fastest)
	}
	if l != wind.M10 && l != wind.M100 && l != wind.P925 && l != wind.P850 {
		return fault.New(fault.Invalid, "wind level %.20q is not one of %v", l, wind.Levels())
	}
	if w.levels[l] == nil {
		w.levels[l] = &layer{w.blank(), w.blank()}
	}
	w.levels[l].u[i], w.levels[l].v[i] = int16(math.Round(u*perMetre)), int16(math.Round(v*perMetre))
	return nil
}

// SetMixing fills the height of the mixed layer at one node, in metres.
func (w *Wind) SetMixing(time, row, col int, metres float64) error {
	i, err := w.node(time, row, col)
	if err != nil {
		return err
	}
	if !(metres >= 0 && metres <= wind.Highest) {
		return fault.New(fault.Invalid, "a mixing height of %v m: 0 to %d", metres, wind.Highest)
	}
	if w.mixing == nil {
		w.mixing = w.blank()
	}
	w.mixing[i] = int16(math.Round(metres))
	return nil
}

func (w *Wind) node(time, row, col int) (int, error) {
	s := w.shape
	if time < 0 || time >= s.Times || row < 0 || row >= s.Rows || col < 0 || col >= s.Cols {
		return 0, fault.New(fault.Invalid, "node %d, %d at time %d is not in a wind grid of %d × %d and %d times", row, col, time, s.Rows,
			s.Cols, s.Times)
	}
	return (time*s.Rows+row)*s.Cols + col, nil
}

func (w *Wind) size() int { return w.shape.Times * w.shape.Rows * w.shape.Cols }

func (w *Wind) blank() []int16 {
	out := make([]int16, w.size())
	for i := range out {
		out[i] = missing
	}
	return out
}

// Grid is the wind as the analysis reads it.
func (w *Wind) Grid() (*wind.Grid, error) {
	g, err := wind.New(w.shape)
	if err != nil {
		return nil, err
	}
	for _, l := range w.Levels() {
		of := w.levels[l]
		err := w.each(func(i, t, r, c int) error {
			if of.u[i] == missing {
				return nil
			}
			return g.Set(l, t, r, c, float64(of.u[i])/perMetre, float64(of.v[i])/perMetre)
		})
		if err != nil {
			return nil, err
		}
	}
	if w.mixing == nil {
		return g, nil
	}
	return g, w.each(func(i, t, r, c int) error {
		if w.mixing[i] == missing {
			return nil
		}
		return g.SetMixing(t, r, c, float64(w.mixing[i]))
	})
}

// each visits every node, in the order of the columns.
func (w *Wind) each(visit func(i, time, row, col int) error) error {
	i := 0
	for t := range w.shape.Times {
		for r := range w.shape.Rows {
			for c := range w.shape.Cols {
				if err := visit(i, t, r, c); err != nil {
					return err
				}
				i++
			}
		}
	}
	return nil
}
