package stat

import (
	"math"
	"slices"
)

// draws is how many samples a bootstrap takes where items are few. Where they are many
// it takes fewer: the interval is as good, and a page must not wait for it.
const (
	draws    = 10_000
	maxPicks = 200_000_000 // of an item, in all samples together
	minDraws = 1000
)

// Difference is the 95 % interval of the mean of differences between pairs: what the second
// version scored less what the first did, item by item. It draws samples of the same size
// again and again, always the same ones (Seed), and leaves 2.5 % of their means at each end.
// Of fewer than two items nothing is known: from -1 to 1, for scores from 0 to 1.
func Difference(each []float64) Interval {
	n := len(each)
	if n < 2 {
		return Interval{-1, 1}
	}
	each = slices.Sorted(slices.Values(each)) // so that the order of items is nothing
	d := dice(Seed)
	rounds := min(draws, max(minDraws, maxPicks/n))
	means := make([]float64, rounds)
	for r := range means {
		sum := 0.0
		for range n / 2 {
			a, b := d.two(n)
			sum += each[a] + each[b]
		}
		if n%2 == 1 {
			a, _ := d.two(n)
			sum += each[a]
		}
		means[r] = sum / float64(n)
	}
	slices.Sort(means)
	tail := rounds / 40
	return Interval{means[tail], means[rounds-1-tail]}.around(Mean(each), n)
}

// around stretches an interval about the mean by what a sample of n does not see of the
// spread: squares are divided by n instead of n-1, and Student's distribution is wider than
// the normal one. At 60 items that is 3 %, at 300 less than 1.
func (i Interval) around(mean float64, n int) Interval {
	grow := math.Sqrt(float64(n)/float64(n-1)) * (1 + (z95*z95+1)/(4*float64(n-1)))
	return Interval{mean - (mean-i.Low)*grow, mean + (i.High-mean)*grow}
}

// Seed is where every sample begins, so that a figure can be computed again.
const Seed = 30

// A dice is a small generator (splitmix64): a sample needs to be the same tomorrow, not
// to be hard to guess.
type dice uint64

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// two draws two whole numbers from 0 to n-1. The bias of a product of 32 bits is under
// n ÷ 2³², which no interval shows.
func (d *dice) two(n int) (a, b int) {
	z := d.next()
	return int(z >> 32 * uint64(n) >> 32), int(z & 0xffffffff * uint64(n) >> 32)
}
