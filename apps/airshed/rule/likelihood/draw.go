package likelihood

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// A draw is random numbers for one purpose. What is drawn for another does not move
// them. The sums are written out here, because a library's may change with its version,
// and a rule must not reach numbers that nobody can draw again.
type draw struct{ state *uint64 }

// draw is the numbers for a member and a purpose of its own, a state and a day of it
// where it has them.
func (q *Question) draw(member int, purpose, state, day string) draw {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x\n%d\n%s\n%q\n%s", q.Digest, member, purpose, state, day))
	seed := binary.BigEndian.Uint64(sum[:8])
	return draw{&seed}
}

// bits are 64 at random, by SplitMix64.
func (d draw) bits() uint64 {
	*d.state += 0x9e3779b97f4a7c15
	z := *d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is between nought and one, and neither.
func (d draw) uniform() float64 { return (float64(d.bits()>>11) + 0.5) / (1 << 53) }

func (d draw) below(n int) int { return min(int(d.uniform()*float64(n)), n-1) }

func (d draw) normal() float64 {
	r := math.Sqrt(-2 * math.Log(d.uniform()))
	return r * math.Cos(2*math.Pi*d.uniform())
}

// within is a standard normal number that is no further from nought than the cut.
func (d draw) within(cut float64) float64 {
	for {
		if z := d.normal(); math.Abs(z) <= cut {
			return z
		}
	}
}

// gamma is of a shape and scale one, after Marsaglia and Tsang. What it draws depends
// on the shape alone.
func (d draw) gamma(shape float64) float64 {
	if shape < 1 {
		g := d.gamma(shape + 1)
		return g * math.Pow(d.uniform(), 1/shape)
	}
	c := shape - 1.0/3
	for {
		z := d.normal()
		v := 1 + z/math.Sqrt(9*c)
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(d.uniform()) < z*z/2+c-c*v+c*math.Log(v) {
			return c * v
		}
	}
}

// poisson is the number that a share u of all draws with that mean lie below or at. It
// never falls when the mean rises.
func poisson(mean, u float64) float64 {
	if !(mean > 0) {
		return 0
	}
	far := 12*math.Sqrt(mean) + 20 // beyond this lies less than is left of a number's digits
	k := math.Floor(max(0, mean-far))
	below, _ := math.Lgamma(k + 1)
	p := math.Exp(k*math.Log(mean) - mean - below)
	for sum := p; sum < u && k < mean+far; sum += p {
		k++
		p *= mean / k
	}
	return k
}
