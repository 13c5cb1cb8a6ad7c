package madeup

import "math"

// A dice is a small generator (splitmix64): a made-up season needs to be the same
// tomorrow, not to be hard to guess.
type dice uint64

// cast makes a dice for one purpose, so that drawing more of one thing changes
// nothing about another.
func cast(seed uint64, purpose ...uint64) dice {
	d := dice(seed)
	for _, p := range purpose {
		d = dice(d.bits() ^ p*0x9e3779b97f4a7c15)
	}
	return d
}

func (d *dice) bits() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// share is a number from 0 up to 1.
func (d *dice) share() float64 { return float64(d.bits()>>11) / (1 << 53) }

// within is a number between two.
func (d *dice) within(low, high float64) float64 { return low + (high-low)*d.share() }

// chance is true so often.
func (d *dice) chance(p float64) bool { return d.share() < p }

// normal is a number of the standard normal distribution.
func (d *dice) normal() float64 {
	return math.Sqrt(-2*math.Log(1-d.share())) * math.Cos(2*math.Pi*d.share())
}

// pair is two numbers of mean 0 and variance 1, triangular and cheap: a random walk
// of many steps is normal whatever its steps are.
func (d *dice) pair() (x, y float64) {
	z := d.bits()
	const scale = 2.449489742783178 / (1 << 16) // √6 for a step from -1 to 1
	a, b, c, e := z&0xffff, z>>16&0xffff, z>>32&0xffff, z>>48
	return (float64(a) - float64(b)) * scale, (float64(c) - float64(e)) * scale
}

// poisson is a number of events of which so many are expected. Above 500 the
// normal distribution is near enough.
func (d *dice) poisson(mean float64) int {
	if mean > 500 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*d.normal())))
	}
	n, left := 0, d.share()
	for term := math.Exp(-mean); left > term && n < 5000; n++ {
		left -= term
		term *= mean / float64(n+1)
	}
	return n
}
