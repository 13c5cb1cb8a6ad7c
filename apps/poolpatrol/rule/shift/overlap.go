package shift

import (
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A day is one working day of a rider on the circle of the week, by the van's
// clock.
type day struct {
	start  int // minute of the week, 0 to 10,079
	length int // minutes of work
	band   int // minutes by which the start may be later
}

// overlap is the minutes by which a rider's commutes, and their hours at work,
// overlap the van's on at least the policy's share of working days.
func (p Policy) overlap(days []day, van []fleet.Block) (commute, work int) {
	if len(days) == 0 || len(van) == 0 {
		return 0, 0
	}
	var c, w [2 * 7 * 7]int // a week ahead and the next, seven days each, with room
	cs, ws := c[:0], w[:0]
	for _, d := range days {
		best, most := 0, 0
		for _, r := range van {
			best = max(best, 2*p.Window-apart(d, r))
			most = max(most, shared(d, r))
		}
		cs, ws = append(cs, best), append(ws, most)
	}
	k := (p.Share*len(days) + 99) / 100 // of n days, this many must fit
	return kth(cs, k), kth(ws, k)
}

// kth is the k-th largest value.
func kth(all []int, k int) int {
	slices.Sort(all)
	return all[len(all)-min(max(k, 1), len(all))]
}

// apart is how far a day's start and end are from the van's: the farther of the
// two, in minutes on the circle. Where starts may move, both move to where the
// farther one is nearest.
func apart(d day, van fleet.Block) int {
	in := around(van.From() - d.start)
	out := around(van.To() - d.start - d.length)
	x := min(max(floorHalf(in+out), -van.Band), d.band)
	return max(abs(in-x), abs(out-x))
}

// around takes a difference of week minutes the short way round: -5039 to 5040.
func around(diff int) int {
	const week = fleet.WeekMinutes
	diff = (diff%week + week) % week
	if diff > week/2 {
		diff -= week
	}
	return diff
}

// shared is the minutes of work two blocks have in common on the circle, at
// their earliest starts.
func shared(d day, van fleet.Block) int {
	most := 0
	for _, turn := range [...]int{-fleet.WeekMinutes, 0, fleet.WeekMinutes} {
		from := max(d.start, van.From()+turn)
		to := min(d.start+d.length, van.To()+turn)
		most = max(most, to-from)
	}
	return most
}

// floorHalf halves downwards, below zero too.
func floorHalf(n int) int { return n >> 1 }

func abs(n int) int { return max(n, -n) }
