package score

import "slices"

// CoverageDays is over how many days it is judged how much is usually heard of a district.
const CoverageDays = 28

// A Coverage is how much was heard of a district in its last day, beside what is usual: fewer reports lower a score, and so does a
// shutdown of the network.
type Coverage struct {
	Heard int64   `json:"heard"`
	Usual float64 `json:"usual"` // the median of the days before
	Share float64 `json:"share"` // Heard of Usual, at most 1
	Known bool    `json:"known"` // there is something usual to compare with
}

// thin is the share of what is usual below which a score is called thin.
const thin = 0.5

// CoverageOf compares the last 24 hours with the days before.
func CoverageOf(heard int64, before []int64) Coverage {
	c := Coverage{Heard: heard}
	if len(before) > 0 {
		all := slices.Sorted(slices.Values(before))
		c.Usual = float64(all[(len(all)-1)/2]+all[len(all)/2]) / 2
	}
	if c.Known = c.Usual > 0; c.Known {
		c.Share = min(float64(heard)/c.Usual, 1)
	}
	return c
}

// Thin reports whether so little was heard that the score says little.
func (c Coverage) Thin() bool { return !c.Known || c.Share < thin }
