package bucket

import (
	"math"
	"time"
)

func exp(x float64) float64 { return math.Exp(x) }

// A Window is the time up to a moment: after AsOf-Span, and up to and with AsOf.
type Window struct {
	AsOf time.Time
	Span time.Duration
}

// Holds reports whether a time lies in the window.
func (w Window) Holds(t time.Time) bool { return t.After(w.AsOf.Add(-w.Span)) && !t.After(w.AsOf) }

// A Floor is the least that recency may fall to, as a share of one; 0 is none.
type Floor float64

// Age is how old a signal is when the floor begins to hold.
func (f Floor) Age() time.Duration {
	if f <= 0 {
		return math.MaxInt64
	}
	return time.Duration(-math.Log(float64(f)) / Rate * float64(time.Hour))
}

// Recency is what is left of a weight at an age.
func (f Floor) Recency(age time.Duration) float64 {
	return max(math.Exp(-Rate*age.Hours()), float64(f))
}

// A Piece is a part of a window: the buckets of a grain that begin from From up to but without To, or the rows of
// that time.
type Piece struct {
	Grain    Grain
	From, To time.Time
	AtFloor  bool // recency is the floor there, for all of it
}

// Plan cuts a window into as few pieces as there can be: days where whole days lie in it, then hours, then
// minutes, and rows inside the minutes it cuts. Where a floor begins within it, it is cut there, too. The number of
// buckets has a bound whatever the signals: 7 days take at most 7 days, 92 hours, 236 minutes and the rows of 3.
func Plan(w Window, floor Floor) []Piece {
	from, to := w.AsOf.Add(-w.Span+1), w.AsOf.Add(1) // in nanoseconds (from, to] is [from+1, to+1)
	cut := from
	if age := floor.Age(); age < w.Span {
		cut = w.AsOf.Add(-age)
	}
	var out []Piece
	cover(from, cut, Grains(), func(p Piece) {
		p.AtFloor = true
		out = append(out, p)
	})
	cover(cut, to, Grains(), func(p Piece) { out = append(out, p) })
	return out
}

// cover cuts a stretch of time into pieces of the given grains, in order.
func cover(from, to time.Time, grains []Grain, add func(Piece)) {
	if !from.Before(to) {
		return
	}
	if len(grains) == 0 {
		add(Piece{Rows, from, to, false})
		return
	}
	g := grains[0]
	first, last := g.Start(from), g.Start(to)
	if first.Before(from) {
		first = first.Add(time.Duration(g))
	}
	if !first.Before(last) {
		cover(from, to, grains[1:], add)
		return
	}
	cover(from, first, grains[1:], add)
	add(Piece{g, first, last, false})
	cover(last, to, grains[1:], add)
}
