package chart

import "math"

// The Earth as a ball.
const (
	radiusKM    = 6371.0088 // the mean
	radians     = math.Pi / 180
	kmPerDegree = radiusKM * radians // of latitude
)

// A Box is a part of the globe, in degrees.
type Box struct {
	south, north, west, east float64
	some                     bool // it holds a point
}

// Add widens the box by a place and what lies within some kilometres of it.
func (b *Box) Add(lat, lon, km float64) {
	dLat := km / kmPerDegree
	dLon := dLat / shrink(lat)
	if !b.some {
		*b = Box{lat, lat, lon, lon, true}
	}
	b.south, b.north = min(b.south, lat-dLat), max(b.north, lat+dLat)
	b.west, b.east = min(b.west, lon-dLon), max(b.east, lon+dLon)
}

// shrink is how much shorter a degree of longitude is than one of latitude.
func shrink(lat float64) float64 { return math.Cos(min(math.Abs(lat), 84) * radians) }

// leastSpan is how much of the globe a map shows at least, in degrees of latitude: what
// stands still is seen with what is around it.
const leastSpan = 0.9

// A Frame lays a box on a drawing: equal distances along a meridian are equal, and
// those along the parallel in the middle are, to the same scale.
type Frame struct {
	Wide, High     float64 // of the drawing
	west, north    float64
	perLat, perLon float64 // parts of the view box for a degree
}

// Fit is the Frame that shows a box in the middle of a drawing.
func Fit(b Box, w, h float64) Frame {
	if !b.some {
		b = Box{-1, 1, -1, 1, true} // there is nothing to be shown
	}
	lat, lon := (b.south+b.north)/2, (b.west+b.east)/2
	k := shrink(lat)
	const margin = 1.08
	high := max((b.north-b.south)*margin, leastSpan)
	broad := max((b.east-b.west)*margin*k, leastSpan)
	per := min(h/high, w/broad)
	return Frame{Wide: w, High: h, west: lon - w/2/(per*k), north: lat + h/2/per, perLat: per, perLon: per * k}
}

// At is where a place lies on the drawing.
func (f Frame) At(lat, lon float64) (x, y float64) {
	return (lon - f.west) * f.perLon, (f.north - lat) * f.perLat
}

// KM is a length on the ground in parts of the view box.
func (f Frame) KM(v float64) float64 { return v * f.perLat / kmPerDegree }

// Shows reports whether something of a size is to be seen at a point of the drawing.
func (f Frame) Shows(x, y, size float64) bool {
	return x+size >= 0 && y+size >= 0 && x-size <= f.Wide && y-size <= f.High
}

// step is how many degrees lie between two lines of the graticule, and with how
// many decimals they are written.
func (f Frame) step() (step float64, n int) {
	const apart = 90 // parts of the view box, at least
	for _, s := range []float64{0.1, 0.2, 0.5} {
		if s*min(f.perLat, f.perLon) >= apart {
			return s, 1
		}
	}
	for _, s := range []float64{1, 2, 5, 10, 20} {
		if s*min(f.perLat, f.perLon) >= apart {
			return s, 0
		}
	}
	return 45, 0
}

// meridians and parallels are the lines of the graticule in degrees. A Frame that
// cannot be has none.
func (f Frame) meridians() (out []float64) {
	step, _ := f.step()
	for i := math.Ceil(f.west / step); (i*step-f.west)*f.perLon <= f.Wide; i++ {
		out = append(out, i*step)
	}
	return out
}

func (f Frame) parallels() (out []float64) {
	step, _ := f.step()
	for i := math.Floor(f.north / step); (f.north-i*step)*f.perLat <= f.High; i-- {
		out = append(out, i*step)
	}
	return out
}

// MapKind is the kind of drawing that a map begins with.
const MapKind = "mapsvg"

// Ground draws the sheet with its parallels and meridians.
func (f Frame) Ground(c *Canvas) {
	c.Rect("map-bg", 0, 0, f.Wide, f.High)
	c.Start("g", "class", "grat")
	for _, lon := range f.meridians() {
		x, _ := f.At(0, lon)
		c.Line("", "M"+Tenths(x)+" 0V"+Whole(f.High))
	}
	for _, lat := range f.parallels() {
		_, y := f.At(lat, 0)
		c.Line("", "M0 "+Tenths(y)+"H"+Whole(f.Wide))
	}
	c.End()
}

// A Compass is the words on a map: after degrees, by the arrow and by the scale.
type Compass struct {
	North, South, East, West string
	Kilometres               string // {n}
}

// Numbers writes the degrees of the graticule along the foot and the left edge.
func (f Frame) Numbers(c *Canvas, l Compass, taken *Places) {
	const size = 10
	_, n := f.step()
	c.Start("g", "class", "grat")
	for _, lon := range f.meridians() {
		x, _ := f.At(0, lon)
		if s := degrees(lon, n, l.East, l.West); x+4+TextWidth(s, size) < f.Wide {
			c.Text("", x+4, f.High-6, "", s)
		}
	}
	for _, lat := range f.parallels() {
		_, y := f.At(lat, 0)
		if s := degrees(lat, n, l.North, l.South); y > 18 && y < f.High-20 {
			c.Text("", 6, y-5, "", s)
			taken.Take(Spot{6, y - 5 - size, 6 + TextWidth(s, size), y - 3})
		}
	}
	c.End()
}

func degrees(v float64, n int, plus, minus string) string {
	side := plus
	if v < 0 {
		side = minus
	}
	return Decimals(math.Abs(v), n) + "° " + side
}

// Scale draws the scale and the arrow to the north in the upper right corner.
func (f Frame) Scale(c *Canvas, l Compass, taken *Places) {
	km := rounder(f.Wide / 4 / f.KM(1))
	long := f.KM(km)
	x := f.Wide - 12
	n := 0
	if km < 1 {
		n = 1
	}
	c.Start("g", "class", "scale")
	c.Line("", "M"+Tenths(x-long)+" 22v6h"+Tenths(long)+"v-6")
	c.Text("", x-long/2, 20, AtMiddle, Fill(l.Kilometres, "n", Decimals(km, n)))
	c.Line("", "M"+Tenths(x-6)+" 62V40m-5 7 5-7 5 7")
	c.Text("", x-6, 76, AtMiddle, l.North)
	c.End()
	taken.Take(Spot{x - long, 8, x, 30})
	taken.Take(Spot{x - 16, 38, x, 80})
}
