package score

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

// sortContributions puts first what moves a layer most, either way.
func sortContributions(all []Contribution) {
	slices.SortStableFunc(all, func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Layer, b.Layer))
	})
}

// A Printed is points as they are printed, in hundredths. In JSON it is the number that is printed, 1.92.
type Printed int

// MarshalJSON writes the number with its two decimals.
func (p Printed) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(p)/100, 'f', 2, 64), nil
}

// UnmarshalJSON reads a number.
func (p *Printed) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fault.New(fault.Invalid, "%.40q is no number of points", b)
	}
	*p = Printed(math.Round(n * 100))
	return nil
}

// print rounds a layer's points so that what is printed adds up to the layer as it is printed.
func (l *LayerScore) print() {
	l.Printed = Printed(math.Round(l.Score * 100))
	points := make([]float64, 0, len(l.Contributions)+1)
	for _, c := range l.Contributions {
		points = append(points, c.Points)
	}
	shown := Apportion(append(points, l.Others.Points), l.Printed)
	for i := range l.Contributions {
		l.Contributions[i].Printed = shown[i]
	}
	l.Others.Printed = shown[len(points)]
}

// Apportion is points in hundredths that add up to a whole: each is rounded down, and those with the largest rest are
// given one more. Points that are nothing stay nothing as long as others can take what is left.
func Apportion(points []float64, whole Printed) []Printed {
	out := make([]Printed, len(points))
	order := make([]int, len(points))
	rest := make([]float64, len(points))
	left := whole
	for i, p := range points {
		floor := math.Floor(p*100 + 1e-9)
		out[i], order[i], rest[i] = Printed(floor), i, p*100-floor
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rest[b], rest[a]), cmp.Compare(math.Abs(points[b]), math.Abs(points[a])))
	})
	for step := 0; left != 0 && len(order) > 0; step++ {
		at := order[step%len(order)]
		one := Printed(1)
		if left < 0 {
			at, one = order[len(order)-1-step%len(order)], -1
		}
		if points[at] == 0 && step < len(order) {
			continue
		}
		out[at] += one
		left -= one
	}
	return out
}
