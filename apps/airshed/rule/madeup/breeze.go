package madeup

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// The lattice on which the true wind is worked out for the particles: half as far
// apart as the analyst's.
const (
	step     = 0.125
	nodeRows = int((north-south+2*margin)/step) + 1
	nodeCols = int((east-west+2*margin)/step) + 1
	floor    = south - margin
	left     = west - margin
)

// A breeze is the true wind at every node at one hour, in m/s.
type breeze struct {
	u, v [levels][]float32
	cos  [nodeRows]float32 // of the latitude in the middle of each row of squares
}

func newBreeze() *breeze {
	b := &breeze{}
	for l := range levels {
		b.u[l], b.v[l] = make([]float32, nodeRows*nodeCols), make([]float32, nodeRows*nodeCols)
	}
	for r := range b.cos {
		b.cos[r] = float32(math.Cos((floor + step*(float64(r)+0.5)) * earth.Radians))
	}
	return b
}

// A painter works out breezes. A wave is a product of what belongs to its row and
// to its column, so few angles have to be looked up.
type painter struct {
	w        weather
	cosX     [][]float64 // by wave, by column
	sinX     [][]float64
	u, v     []float64 // of one row
	au, av   []float64
	combined []wave // wind, then aloft
}

func newPainter(w weather) *painter {
	p := &painter{w: w, combined: append(append([]wave{}, w.wind...), w.aloft...)}
	for _, m := range p.combined {
		cos, sin := make([]float64, nodeCols), make([]float64, nodeCols)
		for c := range nodeCols {
			x, _ := flat(0, left+step*float64(c))
			sin[c], cos[c] = math.Sincos(m.x * x)
		}
		p.cosX, p.sinX = append(p.cosX, cos), append(p.sinX, sin)
	}
	p.u, p.v, p.au, p.av = make([]float64, nodeCols), make([]float64, nodeCols), make([]float64, nodeCols), make([]float64, nodeCols)
	return p
}

// paint fills a breeze with the wind of an hour.
func (p *painter) paint(b *breeze, hour float64) {
	for r := range nodeRows {
		p.row(floor+step*float64(r), hour)
		for c := range nodeCols {
			for l := range levels {
				u, v := sheared(l, hour, p.u[c], p.v[c], p.au[c], p.av[c])
				b.u[l][r*nodeCols+c], b.v[l][r*nodeCols+c] = float32(u), float32(v)
			}
		}
	}
}

// row adds up the waves of one row.
func (p *painter) row(lat, hour float64) {
	clear(p.u)
	clear(p.v)
	clear(p.au)
	clear(p.av)
	_, y := flat(lat, 0)
	for i, m := range p.combined {
		sin, cos := math.Sincos(m.y*y - m.t*hour + m.phase)
		u, v := p.u, p.v
		if i >= len(p.w.wind) {
			u, v = p.au, p.av
		}
		for c := range nodeCols {
			s := m.size * (p.cosX[i][c]*cos - p.sinX[i][c]*sin)
			u[c] += s * m.east
			v[c] += s * m.north
		}
	}
}

// A node is where in the lattice a place is: the corner south-west of it, and how
// far beyond that it lies.
type node struct {
	at   int
	x, y float32
}

func nodeOf(lat, lon float32) (node, bool) {
	const perStep = float32(1 / step)
	y, x := (lat-float32(floor))*perStep, (lon-float32(left))*perStep
	if !(x >= 0 && y >= 0 && x < float32(nodeCols-1) && y < float32(nodeRows-1)) {
		return node{}, false
	}
	r, c := int(y), int(x)
	return node{r*nodeCols + c, x - float32(c), y - float32(r)}, true
}

func (n node) of(v []float32) float32 {
	a, b := v[n.at:n.at+2], v[n.at+nodeCols:n.at+nodeCols+2]
	low := a[0] + (a[1]-a[0])*n.x
	high := b[0] + (b[1]-b[0])*n.x
	return low + (high-low)*n.y
}
