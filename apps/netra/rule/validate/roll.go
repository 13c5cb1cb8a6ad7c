package validate

import "time"

// A Predicted is a score with the probability that was made of it, and those of the plainest guesses, all from what was known
// before.
type Predicted struct {
	Settled
	P           float64 // by the map fitted to what was known at the origin
	Base        float64 // how often there was an outcome anywhere
	Persistence float64 // how often there was one after an outcome like the district's last known
	History     float64 // how often there was one in the district
}

// shrink is how many scores' worth of the base rate a district's own history is mixed with.
const shrink = 10

// Roll goes through a history as it would have gone: at each origin a map is fitted to the outcomes known by then, and used
// for the scores up to the next origin. Scores before the first origin at which so many are known are for
// fitting only. The history is in the order that Settle gives it.
func Roll(all []Settled, step time.Duration, leastKnown int) (out []Predicted) {
	if len(all) == 0 || step <= 0 {
		return nil
	}
	before := lastKnown(all)
	last := all[len(all)-1].At
	for origin := all[0].At; !origin.After(last); origin = origin.Add(step) {
		g, known := learn(all, before, origin)
		if len(known) < max(leastKnown, 1) {
			continue
		}
		m := Fit(known)
		for i, s := range all {
			if s.At.Before(origin) || !s.At.Before(origin.Add(step)) {
				continue
			}
			out = append(out, Predicted{Settled: s, P: m.Probability(s.Score), Base: g.base,
				Persistence: g.after[before[i]].rate(g.base), History: g.own[s.District].rate(g.base)})
		}
	}
	return out
}

// A memory is what was last known of a district when a score was given.
type memory uint8

// The memories.
const (
	nothing memory = iota
	quiet
	event
)

// lastKnown is, for each score, the district's last outcome that was known at its moment.
func lastKnown(all []Settled) []memory {
	out := make([]memory, len(all))
	open := map[string][]Settled{} // not yet known, in order
	seen := map[string]memory{}
	for i, s := range all {
		wait := open[s.District]
		for len(wait) > 0 && !wait[0].Known.After(s.At) {
			seen[s.District] = quiet
			if wait[0].Outcome {
				seen[s.District] = event
			}
			wait = wait[1:]
		}
		out[i] = seen[s.District]
		open[s.District] = append(wait, s)
	}
	return out
}

// guesses are what can be said without a score.
type guesses struct {
	base  float64
	after [event + 1]tally // by what was last known
	own   map[string]tally // by district
}

type tally struct{ n, hits float64 }

func (t *tally) add(hit float64) { t.n, t.hits = t.n+1, t.hits+hit }

func (t tally) rate(base float64) float64 { return (t.hits + shrink*base) / (t.n + shrink) }

// learn is what the outcomes known at an origin teach, and the scores they belong to.
func learn(all []Settled, before []memory, origin time.Time) (g guesses, known []Settled) {
	g.own = map[string]tally{}
	var whole tally
	for i, s := range all {
		if s.Known.After(origin) {
			continue
		}
		known = append(known, s)
		hit := truth(s.Outcome)
		whole.add(hit)
		g.after[before[i]].add(hit)
		own := g.own[s.District]
		own.add(hit)
		g.own[s.District] = own
	}
	g.base = whole.hits / max(whole.n, 1)
	return g, known
}
