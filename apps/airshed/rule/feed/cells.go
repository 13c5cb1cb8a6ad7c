package feed

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// CloudAt is the mean cloud over some cells in the hour nearest to a moment, 0 to
// 1, and whether any of them knows it.
func CloudAt(cells []Cell, at time.Time) (fraction float64, known bool) {
	n := 0
	for _, c := range cells {
		i := int(math.Round(at.Sub(c.Start).Hours()))
		if i < 0 || i >= len(c.Cloud) || math.IsNaN(c.Cloud[i]) {
			continue
		}
		fraction += c.Cloud[i]
		n++
	}
	if n == 0 {
		return 0, false
	}
	return fraction / float64(n), true
}

// Join sets the hours of one answer behind those of the answer before it, for the
// same cell.
func (c Cell) Join(next Cell) (Cell, error) {
	if c.Lat != next.Lat || c.Lon != next.Lon || !next.Start.Equal(c.Start.Add(time.Duration(c.Hours)*time.Hour)) ||
		len(c.Wind) != len(next.Wind) ||
		(c.Mixing == nil) != (next.Mixing == nil) || (c.Cloud == nil) != (next.Cloud == nil) || (c.Rain == nil) != (next.Rain == nil) {
		return Cell{}, fault.New(fault.Invalid, "two answers of the weather do not fit together")
	}
	out := c
	out.Hours, out.Refused, out.Between = c.Hours+next.Hours, c.Refused+next.Refused, c.Between || next.Between
	out.Mixing, out.Cloud, out.Rain = joined(c.Mixing, next.Mixing), joined(c.Cloud, next.Cloud), joined(c.Rain, next.Rain)
	out.Wind = map[wind.Level]Wind{}
	for l, w := range c.Wind {
		v, ok := next.Wind[l]
		if !ok {
			return Cell{}, fault.New(fault.Invalid, "two answers of the weather have different levels: %s is missing", l)
		}
		out.Wind[l] = Wind{U: joined(w.U, v.U), V: joined(w.V, v.V)}
	}
	return out, nil
}

func joined(a, b []float64) []float64 {
	if a == nil {
		return nil
	}
	return append(append(make([]float64, 0, len(a)+len(b)), a...), b...)
}
