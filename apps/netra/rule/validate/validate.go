// Package validate holds scores that were frozen against what happened afterwards: how often they were right, whether they
// say more than the plainest guess, how early, and at what price in false alarms.
//
// Settle says what came of each score, Roll makes probabilities of scores without looking ahead, and Measure tells what
// they are worth. A score is an index and no forecast; what is measured is what it would be as one. Where it is worth
// nothing the report says so: Report.NoSkill.
package validate

import (
	"cmp"
	"slices"
	"time"
)

// A Frozen is a score as it was given out.
type Frozen struct {
	District string
	State    string
	At       time.Time // the moment it speaks of
	FrozenAt time.Time // when it was written down
	Score    float64
}

// An Event is a violent event by a source that had no part in the score.
type Event struct {
	District string
	At       time.Time
	Ingested time.Time // when it was known here
}

// A Rule is what counts as an outcome.
type Rule struct {
	Horizon time.Duration // an event up to so long after a score is its outcome
	Lag     time.Duration // how long is waited for late reports before an outcome counts as known
	Slack   time.Duration // how long after its moment a score may have been frozen
}

// Usual is at least one violent event within seven days; sources are given two weeks to report it.
func Usual() Rule {
	return Rule{Horizon: 7 * 24 * time.Hour, Lag: 14 * 24 * time.Hour, Slack: time.Hour}
}

// A Settled is a score and what came of it.
type Settled struct {
	Frozen
	Outcome bool
	First   time.Time // the first event, where there was one
	Known   time.Time // when the outcome could be known: nothing before may use it
}

// Settle says what came of scores, by what was known when the wait was over; an event that was reported later is no
// outcome, or a score would be judged by what nobody could have learnt from. Scores that were frozen after their
// moment are left out and counted.
func Settle(scores []Frozen, events []Event, r Rule) (out []Settled, late int) {
	by := map[string][]Event{}
	for _, e := range events {
		by[e.District] = append(by[e.District], e)
	}
	for _, all := range by {
		slices.SortFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	}
	for _, s := range scores {
		if s.FrozenAt.After(s.At.Add(r.Slack)) {
			late++
			continue
		}
		x := Settled{Frozen: s, Known: s.At.Add(r.Horizon + r.Lag)}
		all := by[s.District]
		from, _ := slices.BinarySearchFunc(all, s.At, func(e Event, at time.Time) int {
			return cmp.Or(e.At.Compare(at), -1) // what happens at the moment itself is not after it
		})
		for _, e := range all[from:] {
			if e.At.After(s.At.Add(r.Horizon)) {
				break
			}
			if !e.Ingested.After(x.Known) {
				x.Outcome, x.First = true, e.At
				break
			}
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Settled) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.District, b.District)) })
	return out, late
}
