package measure

import (
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// A Confusion counts answers to a question of yes or no against what is so.
type Confusion struct{ TruePositive, FalsePositive, TrueNegative, FalseNegative int }

// Add counts one answer.
func (c *Confusion) Add(said, so bool) {
	switch {
	case said && so:
		c.TruePositive++
	case said:
		c.FalsePositive++
	case so:
		c.FalseNegative++
	default:
		c.TrueNegative++
	}
}

// Accuracy is how many answers were right.
func (c Confusion) Accuracy() Tally {
	return Tally{c.TruePositive + c.TrueNegative, c.TruePositive + c.FalsePositive + c.TrueNegative + c.FalseNegative}
}

// FalseAlarms is how many of those with nothing to find were accused (FPR).
func (c Confusion) FalseAlarms() Tally {
	return Tally{c.FalsePositive, c.FalsePositive + c.TrueNegative}
}

// Misses is how many of those with something to find were passed over (FNR).
func (c Confusion) Misses() Tally { return Tally{c.FalseNegative, c.FalseNegative + c.TruePositive} }

// Matches is whether two labels are the same: a verdict, a bucket, who decides.
func Matches[T comparable](got, want T) Tally { return tally(got == want) }

// Near is whether a number is at most so far from what it should be.
func Near(got, want, by float64) Tally { return tally(got-want <= by && want-got <= by) }

// Completeness is how many of the fields that each row of evidence should have are there.
func Completeness(rows []map[string]any, required []string) Tally {
	var out Tally
	for _, row := range rows {
		for _, field := range required {
			v, there := row[field]
			out = out.Add(tally(there && v != nil && v != ""))
		}
	}
	return out
}

// A Clock is a time as it is written, with the zone beside it.
type Clock struct{ Text, Zone string }

var clockForm = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)

// TimeFormat is how many times are written in 24 hours and two digits, in the zone of the
// place.
func TimeFormat(times []Clock, zone string) Tally {
	var out Tally
	for _, c := range times {
		out = out.Add(tally(clockForm.MatchString(c.Text) && c.Zone == zone))
	}
	return out
}

// A Spent is how long runs took and what they cost.
type Spent struct {
	Half, Most  time.Duration // the 50th and 95th of a hundred
	PerThousand float64       // cost of a thousand runs, in millionths
}

// Spending is what some runs used.
func Spending(runs []Trajectory) Spent {
	var took, cost []float64
	for _, t := range runs {
		took, cost = append(took, float64(t.Took)), append(cost, float64(t.Micros))
	}
	return Spent{time.Duration(stat.Percentile(took, 50)), time.Duration(stat.Percentile(took, 95)), 1000 * stat.Mean(cost)}
}
