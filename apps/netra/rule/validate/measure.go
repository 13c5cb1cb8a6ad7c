package validate

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Guess is a probability and what came of it.
type Guess struct {
	P       float64
	Outcome bool
	Cluster string // guesses of one cluster are not independent: a district
}

// Brier is the mean square of how far probabilities were off: 0 is best.
func Brier(all []Guess) float64 {
	sum := 0.0
	for _, g := range all {
		sum += square(g.P - truth(g.Outcome))
	}
	return sum / float64(max(len(all), 1))
}

func square(x float64) float64 { return x * x }

// A Bin is a row of the reliability table: where about P was said, Observed happened.
type Bin struct {
	N        int     `json:"n"`
	From     float64 `json:"from"` // the least and the greatest probability in it
	To       float64 `json:"to"`
	P        float64 `json:"p"`        // mean of what was said
	Observed float64 `json:"observed"` // share of what happened
}

// Reliability is the table, in at most so many rows of like size; equal probabilities are never parted.
func Reliability(all []Guess, rows int) (out []Bin) {
	for _, bin := range inBins(all, rows) {
		b := Bin{N: len(bin), From: bin[0].P, To: bin[len(bin)-1].P}
		for _, g := range bin {
			b.P += g.P / float64(len(bin))
			b.Observed += truth(g.Outcome) / float64(len(bin))
		}
		out = append(out, b)
	}
	return out
}

func inBins(all []Guess, rows int) (out [][]Guess) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Guess) int { return cmp.Compare(a.P, b.P) })
	least := float64(len(sorted)) / float64(max(rows, 1))
	for i, g := range sorted {
		if n := len(out); n == 0 || float64(len(out[n-1])) >= least && g.P != sorted[i-1].P {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], g)
	}
	return out
}

// A Decomposition is Murphy's: Brier = Reliability - Resolution + Uncertainty + Within.
type Decomposition struct {
	Reliability float64 `json:"reliability"` // how far what is said lies from what happens; 0 is best
	Resolution  float64 `json:"resolution"`  // how far what happens differs between what is said; more is better
	Uncertainty float64 `json:"uncertainty"` // of the outcomes themselves
	Within      float64 `json:"within"`      // what the rows of the table are too wide for
}

// Decompose is the decomposition over a reliability table of so many rows.
func Decompose(all []Guess, rows int) (d Decomposition) {
	if len(all) == 0 {
		return d
	}
	n, base := float64(len(all)), 0.0
	for _, g := range all {
		base += truth(g.Outcome) / n
	}
	d.Uncertainty = base * (1 - base)
	for _, b := range Reliability(all, rows) {
		share := float64(b.N) / n
		d.Reliability += share * square(b.P-b.Observed)
		d.Resolution += share * square(b.Observed-base)
	}
	d.Within = Brier(all) - (d.Reliability - d.Resolution + d.Uncertainty)
	return d
}

// A Skill is how much of another guess's error is spared: 1 is all of it, 0 none, less than 0 is worse than that guess.
type Skill struct {
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"` // from district to district
}

// sure is how many standard errors a skill must lie above 0 to be reported as one.
const sure = 3

// Reported is the skill that may be claimed: none where it could be chance.
func (s Skill) Reported() float64 {
	if s.Value-sure*s.Error > 0 {
		return s.Value
	}
	return min(s.Value, 0)
}

// SkillOver is the Brier skill of guesses over others about the same outcomes, in the same order.
func SkillOver(all, other []Guess) Skill {
	gain, whole := map[string]float64{}, map[string]float64{}
	sumGain, sumWhole := 0.0, 0.0
	for i, g := range all {
		o := truth(g.Outcome)
		theirs := square(other[i].P - o)
		ours := square(g.P - o)
		gain[g.Cluster] += theirs - ours
		whole[g.Cluster] += theirs
		sumGain += theirs - ours
		sumWhole += theirs
	}
	if sumWhole == 0 {
		return Skill{}
	}
	s := Skill{Value: sumGain / sumWhole}
	spread := 0.0
	for _, c := range slices.Sorted(maps.Keys(gain)) { // in order: sums of floats depend on it
		spread += square(gain[c] - s.Value*whole[c])
	}
	s.Error = math.Sqrt(spread) / sumWhole
	return s
}

// A Ranked is a score and what came of it.
type Ranked struct {
	Score   float64
	Outcome bool
}

// AUPR is the area under precision and recall, as average precision: for rare outcomes it says more than the area under the
// other curve. Equal scores count as one step. A guess by lot has the base rate.
func AUPR(all []Ranked) float64 {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	hits, area, events := 0.0, 0.0, 0.0
	for _, r := range sorted {
		events += truth(r.Outcome)
	}
	if events == 0 {
		return 0
	}
	for i := 0; i < len(sorted); {
		j, found := i, 0.0
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			found += truth(sorted[j].Outcome)
		}
		hits += found
		area += found / events * hits / float64(j)
		i = j
	}
	return area
}

// PPV is how often an alarm is right, for a share of events that are caught, a share of quiet that is left alone, and how
// often there is an event at all: 15.5 % at 90, 90 and 2 %.
func PPV(sensitivity, specificity, base float64) float64 {
	right, wrong := sensitivity*base, (1-specificity)*(1-base)
	if right+wrong == 0 {
		return 0
	}
	return right / (right + wrong)
}
