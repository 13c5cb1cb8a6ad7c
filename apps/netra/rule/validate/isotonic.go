package validate

import (
	"cmp"
	"slices"
)

// A Map makes a probability of a score: steps that never fall.
type Map struct {
	from  []float64 // the least score of each step
	value []float64
}

// mostBins bounds how finely a map is fitted; ends of single scores would be certainties.
const mostBins = 100

// A block is scores of one step.
type block struct {
	from   float64
	n, sum float64
}

// Fit is the map that fits outcomes best among those that never fall (pool adjacent violators).
func Fit(train []Settled) Map {
	sorted := slices.Clone(train)
	slices.SortStableFunc(sorted, func(a, b Settled) int { return cmp.Compare(a.Score, b.Score) })
	var stack []block
	for _, b := range binned(sorted) {
		stack = append(stack, b)
		for n := len(stack); n > 1 && stack[n-2].sum/stack[n-2].n >= stack[n-1].sum/stack[n-1].n; n-- {
			stack[n-2].n += stack[n-1].n
			stack[n-2].sum += stack[n-1].sum
			stack = stack[:n-1]
		}
	}
	var m Map
	for _, b := range stack {
		m.from = append(m.from, b.from)
		m.value = append(m.value, b.sum/b.n)
	}
	return m
}

// binned puts sorted scores into at most mostBins of like size; equal scores are never parted.
func binned(sorted []Settled) (out []block) {
	least := float64(len(sorted)) / mostBins
	for i, s := range sorted {
		if n := len(out); n == 0 || out[n-1].n >= least && s.Score != sorted[i-1].Score {
			out = append(out, block{from: s.Score})
		}
		last := &out[len(out)-1]
		last.n++
		last.sum += truth(s.Outcome)
	}
	return out
}

// Probability is the probability of a score; below the first step it is the first's.
func (m Map) Probability(score float64) float64 {
	if len(m.from) == 0 {
		return 0
	}
	i, exact := slices.BinarySearch(m.from, score)
	if !exact {
		i = max(i-1, 0)
	}
	return m.value[i]
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
