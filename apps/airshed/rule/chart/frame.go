package chart

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// kmPerDegree is the length of a degree of latitude.
const kmPerDegree = earth.RadiusKM * earth.Radians

// A box is a part of the globe, in degrees.
type box struct {
	south, north, west, east float64
	some                     bool // it holds a point
}

// add widens the box by a place and what lies within some kilometres of it.
func (b *box) add(lat, lon, km float64) {
	dLat := km / kmPerDegree
	dLon := dLat / shrink(lat)
	if !b.some {
		*b = box{lat, lat, lon, lon, true}
	}
	b.south, b.north = min(b.south, lat-dLat), max(b.north, lat+dLat)
	b.west, b.east = min(b.west, lon-dLon), max(b.east, lon+dLon)
}

// shrink is how much shorter a degree of longitude is than one of latitude.
func shrink(lat float64) float64 { return math.Cos(min(math.Abs(lat), 84) * earth.Radians) }

// leastSpan is how much of the globe a map shows at least, in degrees of latitude:
// air that stood still is seen with the city around it.
const leastSpan = 0.9

// A frame lays a box on a drawing: equal distances along a meridian are equal, and
// those along the parallel in the middle are, to the same scale.
type frame struct {
	w, h           float64
	west, north    float64
	perLat, perLon float64 // parts of the view box for a degree
}

// fit is the frame that shows a box in the middle of a drawing.
func fit(b box, w, h float64) frame {
	if !b.some {
		b = box{28, 29, 76.5, 77.5, true} // there is nothing to be shown; the sheet is where the stations are
	}
	lat, lon := (b.south+b.north)/2, (b.west+b.east)/2
	k := shrink(lat)
	const margin = 1.08
	high := max((b.north-b.south)*margin, leastSpan)
	broad := max((b.east-b.west)*margin*k, leastSpan)
	per := min(h/high, w/broad)
	return frame{w: w, h: h, west: lon - w/2/(per*k), north: lat + h/2/per, perLat: per, perLon: per * k}
}

func (f frame) at(lat, lon float64) (x, y float64) {
	return (lon - f.west) * f.perLon, (f.north - lat) * f.perLat
}

// km is a length on the ground in parts of the view box.
func (f frame) km(v float64) float64 { return v * f.perLat / kmPerDegree }

// shows reports whether something of a size is to be seen at a point of the drawing.
func (f frame) shows(x, y, size float64) bool {
	return x+size >= 0 && y+size >= 0 && x-size <= f.w && y-size <= f.h
}

// step is how many degrees lie between two lines of the graticule, and with how
// many decimals they are written.
func (f frame) step() (step float64, n int) {
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

// meridians and parallels are the lines of the graticule in degrees. A frame that
// cannot be has none.
func (f frame) meridians() (out []float64) {
	step, _ := f.step()
	for i := math.Ceil(f.west / step); (i*step-f.west)*f.perLon <= f.w; i++ {
		out = append(out, i*step)
	}
	return out
}

func (f frame) parallels() (out []float64) {
	step, _ := f.step()
	for i := math.Floor(f.north / step); (f.north-i*step)*f.perLat <= f.h; i-- {
		out = append(out, i*step)
	}
	return out
}

// graticule draws parallels and meridians.
func (f frame) graticule(c *canvas) {
	c.start("g", "class", "grat")
	for _, lon := range f.meridians() {
		x, _ := f.at(0, lon)
		c.line("", "M"+tenths(x)+" 0V"+whole(f.h))
	}
	for _, lat := range f.parallels() {
		_, y := f.at(lat, 0)
		c.line("", "M0 "+tenths(y)+"H"+whole(f.w))
	}
	c.end()
}

// numbers writes the degrees of the graticule along the foot and the left edge.
func (f frame) numbers(c *canvas, l MapLabels, taken *places) {
	const size = 10
	_, n := f.step()
	c.start("g", "class", "grat")
	for _, lon := range f.meridians() {
		x, _ := f.at(0, lon)
		if s := degrees(lon, n, l.East, l.West); x+4+wide(s, size) < f.w {
			c.text("", x+4, f.h-6, "", s)
		}
	}
	for _, lat := range f.parallels() {
		_, y := f.at(lat, 0)
		if s := degrees(lat, n, l.North, l.South); y > 18 && y < f.h-20 {
			c.text("", 6, y-5, "", s)
			taken.take(spot{6, y - 5 - size, 6 + wide(s, size), y - 3})
		}
	}
	c.end()
}

func degrees(v float64, n int, plus, minus string) string {
	side := plus
	if v < 0 {
		side = minus
	}
	return decimals(math.Abs(v), n) + "° " + side
}

// rule draws the scale and the arrow to the north in the upper right corner.
func (f frame) rule(c *canvas, l MapLabels, taken *places) {
	km := rounder(f.w / 4 / f.km(1))
	long := f.km(km)
	x := f.w - 12
	n := 0
	if km < 1 {
		n = 1
	}
	c.start("g", "class", "scale")
	c.line("", "M"+tenths(x-long)+" 22v6h"+tenths(long)+"v-6")
	c.text("", x-long/2, 20, atMiddle, fill(l.Kilometres, "n", decimals(km, n)))
	c.line("", "M"+tenths(x-6)+" 62V40m-5 7 5-7 5 7")
	c.text("", x-6, 76, atMiddle, l.North)
	c.end()
	taken.take(spot{x - long, 8, x, 30})
	taken.take(spot{x - 16, 38, x, 80})
}

// A spot is a part of the drawing that something stands on.
type spot struct{ left, top, right, bottom float64 }

// places are the spots that are taken, so that names do not lie on each other.
type places struct {
	f     frame
	taken []spot
}

func (p *places) take(s spot) { p.taken = append(p.taken, s) }

func (p *places) free(s spot) bool {
	if s.left < 2 || s.top < 2 || s.right > p.f.w-2 || s.bottom > p.f.h-18 {
		return false
	}
	for _, t := range p.taken {
		if s.left < t.right && t.left < s.right && s.top < t.bottom && t.top < s.bottom {
			return false
		}
	}
	return true
}

// name finds room for words beside a mark of some size: to its right, left, above
// or below. Where there is none the words are left out; the tables have them.
func (p *places) name(c *canvas, class string, x, y, gap, size float64, s string) {
	w := wide(s, size)
	for _, try := range []struct {
		anchor string
		x, y   float64
		left   float64
	}{
		{"", x + gap, y + size*0.35, x + gap},
		{atEnd, x - gap, y + size*0.35, x - gap - w},
		{atMiddle, x, y - gap - 1, x - w/2},
		{atMiddle, x, y + gap + size*0.8, x - w/2},
	} {
		room := spot{try.left, try.y - size*0.85, try.left + w, try.y + size*0.25}
		if p.free(room) {
			p.take(room)
			c.text(class, try.x, try.y, try.anchor, s)
			return
		}
	}
}
