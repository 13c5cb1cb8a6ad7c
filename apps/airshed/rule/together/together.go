// Package together says how the pollutants of one station went together through some
// days: how much each rose in a surge, and how closely it went with PM2.5. Smoke of straw
// raises fine particles and carbon monoxide together, dust raises PM10 more, works and
// traffic sulphur and nitrogen dioxide. It supports or speaks against, and decides nothing.
package together

import (
	"cmp"
	"math"
	"slices"
)

// Version changes whenever an answer could.
const Version = "together/1"

const (
	// leastHours is how many hours both must be known in for anything to be said of how
	// they went together: two days.
	leastHours = 48
	// leastBefore is how many hours before the surge a mean needs: a day.
	leastBefore = 24
	// Closely is the rank correlation from which one is said to have gone with the other.
	Closely = 0.7
)

// A Series is hourly values of one pollutant, the last being the last of the surge. What
// is not known is not a number.
type Series []float64

// A Course is what one pollutant did.
type Course struct {
	Before float64 // mean of the hours before the surge; not a number: too few
	During float64 // mean of the hours of the surge; not a number: none
	Times  float64 // During as so many times Before; not a number: not known
	Hours  int     // in which it and the first are both known
	Rank   float64 // correlation of its ranks with those of the first, -1 to 1; not a number: too few hours, or one stood still
}

// With is how a series went with another of the same hours, of which so many at the end
// are the surge.
func (s Series) With(first Series, surge int) Course {
	c := Course{Times: math.NaN(), Rank: math.NaN()}
	n := min(len(s), len(first))
	s, first = s[len(s)-n:], first[len(first)-n:]
	from := max(0, n-surge)
	c.Before, c.During = mean(s[:from], leastBefore), mean(s[from:], 1)
	if c.Before > 0 && c.During >= 0 {
		c.Times = c.During / c.Before
	}
	var a, b []float64
	for i, v := range s {
		if !math.IsNaN(v) && !math.IsNaN(first[i]) {
			a, b = append(a, v), append(b, first[i])
		}
	}
	if c.Hours = len(a); c.Hours >= leastHours {
		c.Rank = correlation(ranks(a), ranks(b))
	}
	return c
}

// mean is that of what is known; not a number where that is less than so many hours.
func mean(all Series, least int) float64 {
	sum, n := 0.0, 0
	for _, v := range all {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n < least {
		return math.NaN()
	}
	return sum / float64(n)
}

// ranks is the place of each in their order; equals share the middle of theirs.
func ranks(all []float64) []float64 {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
	out := make([]float64, len(all))
	for i := 0; i < len(order); {
		to := i + 1
		for to < len(order) && all[order[to]] == all[order[i]] {
			to++
		}
		for _, at := range order[i:to] {
			out[at] = float64(i+to-1) / 2
		}
		i = to
	}
	return out
}

// correlation is Pearson's; not a number where one does not change.
func correlation(a, b []float64) float64 {
	ma, mb := mean(a, 1), mean(b, 1)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return math.NaN()
	}
	return max(-1, min(1, ab/math.Sqrt(aa*bb)))
}
