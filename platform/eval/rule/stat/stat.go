// Package stat says how sure a count can make anybody. A share comes with an interval,
// two versions on the same cases with an exact test, and a difference with a bootstrap.
//
// Read Wilson, McNemar and Difference; the rest are measures of answers that come with
// a confidence (ECE, Brier), of two judges (Kappa), of repeats (PassK) and of paths
// (Distance, Medoid). All of it only computes, and a sample is the same every time.
package stat

import (
	"math"
	"slices"
)

// An Interval is where a figure lies, in nineteen of twenty experiments.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Holds reports whether a figure lies in the interval.
func (i Interval) Holds(x float64) bool { return i.Low <= x && x <= i.High }

// z95 is how many standard deviations hold 95 % of a normal distribution, to both sides.
const z95 = 1.959963984540054

// Wilson is the 95 % interval of a share. It stays within 0 and 1, and says something
// also of no hits and of all. Of nothing it says nothing: from 0 to 1.
func Wilson(hits, of int) Interval {
	if of <= 0 {
		return Interval{0, 1}
	}
	n, x := float64(of), float64(hits)
	middle := (x + z95*z95/2) / (n + z95*z95)
	half := z95 * math.Sqrt(x*(n-x)/n+z95*z95/4) / (n + z95*z95)
	out := Interval{max(0, middle-half), min(1, middle+half)}
	if hits == 0 {
		out.Low = 0 // and not what rounding left
	}
	if hits == of {
		out.High = 1
	}
	return out
}

// McNemar is the exact two-sided probability that so unequal numbers of pairs got worse
// and better if neither version were the better one. Pairs that came out alike say nothing.
func McNemar(worse, better int) float64 {
	n := worse + better
	return min(1, 2*atMost(min(worse, better), n, 0.5))
}

// atMost is the probability of at most k hits in n tries of probability p.
func atMost(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		sum += exactly(i, n, p)
	}
	return min(1, sum)
}

// exactly is the probability of k hits in n tries. Logarithms keep it from vanishing on
// the way where n is large.
func exactly(k, n int, p float64) float64 {
	switch {
	case p <= 0:
		return one(k == 0)
	case p >= 1:
		return one(k == n)
	}
	return math.Exp(logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func logGamma(n int) float64 {
	v, _ := math.Lgamma(float64(n)) // the sign is positive for whole numbers above nought
	return v
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Proven is the least number of cases in which at most so many errors prove a share, with
// 95 % confidence to one side: 59 without an error for 0.95. It is 0 where nothing could.
func Proven(errors int, share float64) int {
	if share >= 1 {
		return 0
	}
	for n := errors + 1; ; n++ {
		if atMost(errors, n, 1-share) <= 0.05 {
			return n
		}
	}
}

// Holm corrects probabilities for how many were looked at: the smallest of ten has to be
// ten times smaller. The order of the answers is that of the questions.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	out, least := make([]float64, len(p)), 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}

// Mean is the mean; of nothing it is nought.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Percentile is the smallest value that so many of a hundred do not pass: of two values
// the 50th is the first. Of nothing it is nought.
func Percentile(x []float64, percent int) float64 {
	if len(x) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(x))
	rank := (percent*len(x) + 99) / 100
	return sorted[min(max(rank, 1), len(x))-1]
}
