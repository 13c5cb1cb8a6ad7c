package wind

import "math"

// A Field is the wind that air is carried by: a level, the mean of several, or
// one of these turned or made faster. The zero Field knows no wind.
type Field struct {
	g        *Grid
	layers   []*layer
	sin, cos float64 // of the angle it is turned by, times its factor
}

// Field is the mean of some levels. ok is false where the grid lacks one of them:
// a mean of what happens to be there would be another wind under the same name.
func (g *Grid) Field(levels ...Level) (f Field, ok bool) {
	f = Field{g: g, cos: 1}
	for _, l := range levels {
		if !g.Has(l) {
			return Field{}, false
		}
		f.layers = append(f.layers, g.layers[l])
	}
	return f, len(levels) > 0
}

// Turned is the field with every wind turned anticlockwise by an angle. Turned by
// 180 degrees, air comes from where it went.
func (f Field) Turned(degrees float64) Field {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	f.sin, f.cos = f.sin*cos+f.cos*sin, f.cos*cos-f.sin*sin
	return f
}

// Times is the field with every wind that much faster.
func (f Field) Times(factor float64) Field {
	f.sin, f.cos = f.sin*factor, f.cos*factor
	return f
}

// At is the wind at a place and a time in hours since 1970. ok is false outside
// the grid, and in every square and hour of which a corner is missing.
func (f Field) At(lat, lon, hours float64) (u, v float64, ok bool) {
	if f.g == nil {
		return 0, 0, false
	}
	c, ok := f.g.corner(lat, lon, hours)
	if !ok {
		return 0, 0, false
	}
	for _, l := range f.layers {
		u += c.of(l.u)
		v += c.of(l.v)
	}
	n := float64(len(f.layers))
	u, v = u/n, v/n
	if math.IsNaN(u) || math.IsNaN(v) { // a corner is missing
		return 0, 0, false
	}
	return u*f.cos - v*f.sin, u*f.sin + v*f.cos, true
}

// MixingAt is the height of the mixed layer in metres, found as At finds the wind.
func (g *Grid) MixingAt(lat, lon, hours float64) (metres float64, ok bool) {
	if !g.HasMixing() {
		return 0, false
	}
	c, ok := g.corner(lat, lon, hours)
	if !ok {
		return 0, false
	}
	metres = c.of(g.mixing)
	return metres, !math.IsNaN(metres)
}

// A corner is the lower corner of the square and hour that a point lies in, and
// how far into it the point is.
type corner struct {
	at, row, hour int     // index of the corner; to the next row, to the next time
	x, y, t       float64 // 0 to 1
}

func (g *Grid) corner(lat, lon, hours float64) (corner, bool) {
	s := &g.shape
	row, y, ok1 := between(lat, s.South, s.DLat, s.Rows)
	col, x, ok2 := between(lon, s.West, s.DLon, s.Cols)
	hour, t, ok3 := between(hours, g.start, g.every, s.Times)
	return corner{(hour*s.Rows+row)*s.Cols + col, s.Cols, s.Rows * s.Cols, x, y, t}, ok1 && ok2 && ok3
}

// between finds the two of n marks that a number lies between. A point on the
// last mark belongs to the grid; a billionth of a step beyond is rounding.
func between(at, first, step float64, n int) (i int, share float64, ok bool) {
	const rounding = 1e-9
	pos := (at - first) / step
	last := float64(n - 1)
	if !(pos >= -rounding && pos <= last+rounding) {
		return 0, 0, false
	}
	pos = min(max(pos, 0), last)
	i = min(int(pos), n-2)
	return i, pos - float64(i), true
}

// of is the value at the point: bilinear in space, linear in time.
func (c corner) of(v []float32) float64 {
	now := c.square(v[c.at : c.at+c.row+2])
	next := c.square(v[c.at+c.hour : c.at+c.hour+c.row+2])
	return now + (next-now)*c.t
}

func (c corner) square(v []float32) float64 {
	south := float64(v[0]) + (float64(v[1])-float64(v[0]))*c.x
	north := float64(v[c.row]) + (float64(v[c.row+1])-float64(v[c.row]))*c.x
	return south + (north-south)*c.y
}
