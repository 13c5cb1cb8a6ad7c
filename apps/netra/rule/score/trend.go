package score

import (
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A Trend is whether the last day was worse than the two before it.
type Trend string

// The trends.
const (
	Rising       Trend = "rising"
	Stable       Trend = "stable"
	Falling      Trend = "falling"
	Insufficient Trend = "insufficient" // too little was heard to compare
)

// Bounds of a trend.
const (
	tolerance  = 0.5 // a difference up to this is none
	leastHeard = 2   // signals on either side
)

// A Movement is what a trend compares: severities, added where they escalate and taken off where they stabilise.
type Movement struct {
	Recent        int64   `json:"recent"` // over the last 24 hours
	Older         float64 `json:"older"`  // the mean of the two days before
	RecentSignals int64   `json:"recent_signals"`
	OlderSignals  int64   `json:"older_signals"`
}

// trend compares the last day with the two before it.
func (p Profile) trend(recent, older bucket.Totals) (Trend, Movement) {
	now, heard := p.signed(recent)
	before, heardBefore := p.signed(older)
	m := Movement{Recent: now, Older: float64(before) / 2, RecentSignals: heard, OlderSignals: heardBefore}
	switch difference := float64(now) - m.Older; {
	case heard < leastHeard || heardBefore < leastHeard:
		return Insufficient, m
	case difference > tolerance:
		return Rising, m
	case difference < -tolerance:
		return Falling, m
	}
	return Stable, m
}

// signed is the severities of a window with their sign, and how many signals they are of.
func (p Profile) signed(t bucket.Totals) (severity, signals int64) {
	for c := range bucket.Class(bucket.Classes) {
		if p.ExcludeEnforcement && c.Enforcement() {
			continue
		}
		signals += t.Count[c]
		switch c.Polarity() {
		case signal.Escalatory:
			severity += t.Severity[c]
		case signal.Stabilizing:
			severity -= t.Severity[c]
		}
	}
	return severity, signals
}
