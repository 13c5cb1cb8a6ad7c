// Package wind holds the wind of some hours over a piece of the earth, and says
// how it blew at any point between the nodes.
//
// A Grid is filled once, node by node or by ParseCSV, and then only read; readers
// may share it. What was never filled is missing, and stays missing: a Field
// answers "not known" there and outside the edges, and never guesses. A Field is
// one level of the grid, the mean of several, or either turned by an angle.
//
// Wind is given as where the air goes: u to the east, v to the north, in metres a
// second. Grids do not reach across the 180th meridian.
package wind

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Level is a height at which wind is known.
type Level string

// The levels, from the ground upwards.
const (
	M10  Level = "10m"
	M100 Level = "100m"
	P925 Level = "925hPa" // some 800 m above the sea
	P850 Level = "850hPa" // some 1,500 m
)

// Levels lists them all, from the ground upwards.
func Levels() []Level { return []Level{M10, M100, P925, P850} }

// Fastest is the greatest component of a wind that is believed, in metres a
// second. What is above it is a fill value or another unit.
const Fastest = 150

// Highest is the greatest mixing height that is believed, in metres.
const Highest = 10_000

// MaxNodes bounds a grid: nodes of one level times hours. Four levels and the
// mixing height of so many take 144 MB.
const MaxNodes = 4_000_000

// FromDirection turns a speed and a meteorological direction, where the wind
// comes from in degrees clockwise from north, into where the air goes.
func FromDirection(speed, degrees float64) (u, v float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return -speed * sin, -speed * cos
}

// A Shape is where the nodes of a grid are.
type Shape struct {
	South, West float64 // of the first node, in degrees
	DLat, DLon  float64 // between nodes, in degrees
	Rows, Cols  int     // northwards, eastwards; at least 2
	Start       time.Time
	Every       time.Duration // between hours of the grid: 15 min to 6 h
	Times       int           // at least 2
}

// check refuses a shape that no grid can have.
func (s Shape) check() error {
	north, east := s.South+s.DLat*float64(s.Rows-1), s.West+s.DLon*float64(s.Cols-1)
	switch {
	case s.Rows < 2 || s.Cols < 2 || s.Times < 2:
		return fault.New(fault.Invalid, "a wind grid of %d × %d nodes and %d times: each must be at least 2", s.Rows, s.Cols, s.Times)
	case s.Rows > MaxNodes || s.Cols > MaxNodes/s.Rows || s.Times > MaxNodes/(s.Rows*s.Cols):
		return fault.New(fault.TooLarge, "a wind grid of %d × %d nodes and %d times: at most %d in all", s.Rows, s.Cols, s.Times, MaxNodes)
	case !(s.DLat > 0 && s.DLon > 0):
		return fault.New(fault.Invalid, "the nodes of a wind grid must lie apart")
	case !(s.South >= -89 && north <= 89 && s.West >= -180 && east <= 180):
		return fault.New(fault.Invalid,
			"a wind grid from %.3f, %.3f to %.3f, %.3f. It must be within 89 degrees south and north and 180 west and east", s.South,
			s.West, north, east)
	case s.Every < 15*time.Minute || s.Every > 6*time.Hour:
		return fault.New(fault.Invalid, "a wind grid with a time every %s: 15 minutes to 6 hours", s.Every)
	case s.Start.Year() < 1970 || s.Start.Year() > 2200:
		return fault.New(fault.Invalid, "a wind grid of the year %d", s.Start.Year())
	}
	return nil
}

// A Grid is the wind at every node. Make it with New.
type Grid struct {
	shape  Shape
	start  float64 // hours since 1970
	every  float64 // hours
	layers map[Level]*layer
	mixing []float32 // nil: not known anywhere
}

// A layer is the wind of one level, by time, row and column. NaN is missing.
type layer struct{ u, v []float32 }

// New makes a grid in which everything is missing.
func New(s Shape) (*Grid, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return &Grid{shape: s, start: Hours(s.Start), every: s.Every.Hours(), layers: map[Level]*layer{}}, nil
}

// Shape is where the nodes are.
func (g *Grid) Shape() Shape { return g.shape }

// Has reports whether anything was set on a level. A nil grid has nothing.
func (g *Grid) Has(l Level) bool { return g != nil && g.layers[l] != nil }

// HasMixing reports whether any mixing height was set.
func (g *Grid) HasMixing() bool { return g != nil && g.mixing != nil }

// Hours is a time as hours since 1970, the clock of this package. Quarters of an
// hour are exact in it.
func Hours(t time.Time) float64 { return float64(t.Unix()) / 3600 }

// Set fills one node of a level.
func (g *Grid) Set(l Level, time, row, col int, u, v float64) error {
	i, err := g.node(time, row, col)
	if err != nil {
		return err
	}
	if !(math.Abs(u) <= Fastest && math.Abs(v) <= Fastest) {
		return fault.New(fault.Invalid, "a wind of %v, %v m/s: at most %d", u, v, Fastest)
	}
	if l != M10 && l != M100 && l != P925 && l != P850 {
		return fault.New(fault.Invalid, "wind level %.20q is not one of %v", l, Levels())
	}
	if g.layers[l] == nil {
		g.layers[l] = &layer{g.missing(), g.missing()}
	}
	g.layers[l].u[i], g.layers[l].v[i] = float32(u), float32(v)
	return nil
}

// SetMixing fills the height of the mixed layer at one node, in metres.
func (g *Grid) SetMixing(time, row, col int, metres float64) error {
	i, err := g.node(time, row, col)
	if err != nil {
		return err
	}
	if !(metres >= 0 && metres <= Highest) {
		return fault.New(fault.Invalid, "a mixing height of %v m: 0 to %d", metres, Highest)
	}
	if g.mixing == nil {
		g.mixing = g.missing()
	}
	g.mixing[i] = float32(metres)
	return nil
}

func (g *Grid) node(time, row, col int) (int, error) {
	s := g.shape
	if time < 0 || time >= s.Times || row < 0 || row >= s.Rows || col < 0 || col >= s.Cols {
		return 0, fault.New(fault.Invalid, "node %d, %d at time %d is not in a wind grid of %d × %d and %d times", row, col, time, s.Rows,
			s.Cols, s.Times)
	}
	return (time*s.Rows+row)*s.Cols + col, nil
}

func (g *Grid) missing() []float32 {
	out := make([]float32, g.shape.Times*g.shape.Rows*g.shape.Cols)
	nan := float32(math.NaN())
	for i := range out {
		out[i] = nan
	}
	return out
}
