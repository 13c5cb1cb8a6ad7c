package measure

import (
	"slices"
)

// patience is how many steps after a failure the same aim may still be reached for the run
// to count as having corrected itself.
const patience = 2

// SelfCorrection is how many failures were made good: the same aim was reached within two
// steps. Without a failure there is nothing to measure.
func SelfCorrection(t Trajectory) Tally {
	var out Tally
	steps := t.Steps()
	for i, turn := range steps {
		for _, c := range turn.Calls {
			if c.Failed == "" {
				continue
			}
			out = out.Add(tally(reached(steps[i+1:min(len(steps), i+1+patience)], c.aim())))
		}
	}
	return out
}

func (c Call) aim() string {
	if c.Aim == "" {
		return c.Tool
	}
	return c.Aim
}

func reached(steps []Turn, aim string) bool {
	return slices.ContainsFunc(steps, func(turn Turn) bool {
		return slices.ContainsFunc(turn.Calls, func(c Call) bool { return c.aim() == aim && c.Failed == "" && !c.Refused })
	})
}

// Handling is how many failures of a kind were dealt with: made good within two steps, or
// followed by a word to a person. What was not found is not asked for again in the same
// words, or it was not dealt with.
func Handling(t Trajectory, kind Failure) Tally {
	var out Tally
	steps := t.Steps()
	for i, turn := range steps {
		for _, c := range turn.Calls {
			if c.Failed != kind {
				continue
			}
			rest := steps[i+1:]
			good := reached(rest[:min(len(rest), patience)], c.aim()) || t.End == Handed
			if kind == NotFound && again(rest, c) {
				good = false
			}
			out = out.Add(tally(good))
		}
	}
	return out
}

func again(steps []Turn, c Call) bool {
	return slices.ContainsFunc(steps, func(turn Turn) bool {
		return slices.ContainsFunc(turn.Calls, func(d Call) bool { return d.same() == c.same() })
	})
}

// A Told is something that a person said early and that is needed later.
type Told struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Turn  int    `json:"turn"` // the first, from 0, in which it was known
}

// Retention is how many things were kept that a person said: a later call has the value,
// and nobody was asked for it again. What no later call needs is not measured.
func Retention(t Trajectory, told []Told) Tally {
	var out Tally
	for _, said := range told {
		used, right, asked := false, true, false
		for _, turn := range t.Turns[min(said.Turn, len(t.Turns)):] {
			asked = asked || slices.Contains(turn.Asks, said.Name)
			for _, c := range turn.Calls {
				if v, there := c.Args[said.Name]; there {
					used, right = true, right && equal(v, said.Value)
				}
			}
		}
		if used || asked {
			out = out.Add(tally(used && right && !asked))
		}
	}
	return out
}
