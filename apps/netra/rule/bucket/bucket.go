// Package bucket keeps sums of signals from which the weight of any window at any time follows exactly,
// at a cost that does not depend on how many signals there are.
//
// All signals fade at one rate, so a sum of fading weights fades as a whole: it is kept as of the start
// of its minute, hour or day, and multiplied once when it is read. Read Plan for which buckets a window
// takes, Totals for what comes out, and the page netra-scoring of the design documents for why it is exact.
package bucket

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// Rate is how fast a signal fades: its weight t hours later is e^(-Rate·t). It halves in 33 hours.
const Rate = 0.5 / 24

// A Class is the signals that are weighed alike: by the way they point, and whether the police made them.
type Class uint8

// Classes is how many there are: three ways, twice.
const Classes = 6

// ClassOf is the class of a signal.
func ClassOf(p signal.Polarity, enforcement bool) Class {
	c := Class(0)
	switch p {
	case signal.Stabilizing:
		c = 1
	case signal.Neutral:
		c = 2
	}
	if enforcement {
		c += 3
	}
	return c
}

// Polarity is the way signals of a class point.
func (c Class) Polarity() signal.Polarity { return signal.Polarities()[c%3] }

// Enforcement reports whether they tell of what the police did.
func (c Class) Enforcement() bool { return c >= 3 }

// An Amount is a sum of weights in units of 2^-36: whole numbers add up to the same in any order, and what is taken
// away again leaves nothing behind. It holds some 50 million of the heaviest signals in one bucket.
type Amount int64

const unit = 1 << 36

func amount(w float64) Amount { return Amount(math.Round(w * unit)) }

// Float is the amount as a number.
func (a Amount) Float() float64 { return float64(a) / unit }

// A Row is what is kept of one signal for scoring.
type Row struct {
	ID       string
	At       time.Time
	Weight   float64 // when it was new, before the way it points
	Severity int
	Class    Class
}

// RowOf is the row of a signal.
func RowOf(s signal.Signal) Row {
	return Row{ID: s.ID, At: s.At, Weight: s.Weight(), Severity: s.Severity, Class: ClassOf(s.Polarity, s.Enforcement)}
}

// A Cell is the sums of one class in one bucket.
type Cell struct {
	Fading   Amount // of w·e^(Rate·(t - start)): what they weigh as seen from the bucket's start
	Plain    Amount // of w, for a profile whose recency has a floor
	Count    int64
	Severity int64 // for the trend
}

// A Grain is how long a bucket is.
type Grain time.Duration

// The grains. Rows stand in for the minutes that a window cuts.
const (
	Rows   Grain = 0
	Minute       = Grain(time.Minute)
	Hour         = Grain(time.Hour)
	Day          = Grain(24 * time.Hour)
)

// Grains lists the grains of buckets, the longest first.
func Grains() []Grain { return []Grain{Day, Hour, Minute} }

// Start is where the bucket begins that a time falls into. Days are those of UTC.
func (g Grain) Start(t time.Time) time.Time { return t.Truncate(time.Duration(g)) }

// A Bucket is the signals of one district and layer within one grain.
type Bucket struct {
	Start time.Time
	Cells [Classes]Cell
	Top   Top
}

// Add counts a signal that falls into the bucket.
func (b *Bucket) Add(r Row) {
	b.count(r, 1)
	b.Top.add(r)
}

// Sum counts a signal without remembering whether it is among the heaviest.
func (b *Bucket) Sum(r Row) { b.count(r, 1) }

// Remove takes a signal out that was counted. The heaviest may have been it: where the answer is true, they
// must be gathered again from the rows.
func (b *Bucket) Remove(r Row) (stale bool) {
	b.count(r, -1)
	return b.Top.has(r.ID)
}

func (b *Bucket) count(r Row, sign int64) {
	c := &b.Cells[r.Class]
	c.Fading += Amount(sign) * amount(r.Weight*math.Exp(Rate*r.At.Sub(b.Start).Hours()))
	c.Plain += Amount(sign) * amount(r.Weight)
	c.Count += sign
	c.Severity += sign * int64(r.Severity)
}
