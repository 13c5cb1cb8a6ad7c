// Package alert decides when a district's score is brought before people, and when that is over.
//
// Read Next: it takes how a district stood, what the newest look at it found and the rules, and says what follows. Silence
// never counts as calm: where there is no score, or sources fell silent, no band falls and no case ends. heard.go says when
// sources are silent, finding.go what an officer reads first.
package alert

import (
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/fault"
)

// Rules are when cases open and end: settings of an organisation.
type Rules struct {
	Thresholds score.Thresholds
	Opens      score.Band    // the lowest band that opens a case
	Margin     float64       // how far below its threshold a score must be before its band falls
	Calm       time.Duration // how long a district must be below Opens before its case ends
	Quiet      float64       // sources are silent below this share of what is usual
	Due        Due           // by when an officer decides about a crossing
}

// A Due is within how many hours an officer decides about a crossing into each band above the lowest: the higher, the sooner.
type Due [4]int

// Hours are those of a band.
func (d Due) Hours(b score.Band) int { return d[max(int(b)-1, 0)] }

// Check refuses a higher band that may wait longer.
func (d Due) Check() error {
	for i := 1; i < len(d); i++ {
		if d[i] > d[i-1] {
			return fault.New(fault.Invalid, "a higher band cannot wait longer than a lower one").
				WithNext("give the higher band as many hours or fewer")
		}
	}
	return nil
}

// Usual are the rules that hold until somebody sets others.
func Usual() Rules {
	return Rules{Thresholds: score.Usual(), Opens: score.Monitoring, Margin: 3, Calm: 24 * time.Hour, Quiet: 0.5,
		Due: Due{48, 24, 8, 2}}
}

// apart is how long a district has no second case of the same band.
const apart = 24 * time.Hour

// A Look is what one look at a district found.
type Look struct {
	At     time.Time
	Known  bool       // there is a score
	Band   score.Band // it is in
	Held   score.Band // it would be in with Margin more
	Silent bool       // its sources are
}

// LookAt is a look at a result.
func LookAt(r score.Result, p score.Profile, rules Rules, silent bool) Look {
	return Look{At: r.AsOf, Known: r.Score.Known, Band: r.Band, Held: p.Held(rules.Thresholds, r, rules.Margin), Silent: silent}
}

// A Standing is how a district stands after a look. The zero value is one that nobody has looked at.
type Standing struct {
	At     time.Time  // of the newest look
	Band   score.Band // it counts as being in
	Below  *time.Time // since when it is known to be below what opens cases; nil: it is not, or nobody can say
	Case   score.Band // the band of its newest case
	CaseAt time.Time  // when that was opened; zero: there was none
	Open   bool       // that case has not ended
}

// An Effect is what follows from a look.
type Effect string

// The effects.
const (
	None  Effect = ""
	Opens Effect = "opens" // a case; one that is open ends, because the district went higher
	Ends  Effect = "ends"  // the case, because the district has been below long enough
)

// Next is how a district stands after a look, and what follows. A look that is not newer than the last changes nothing.
func Next(s Standing, l Look, r Rules) (Standing, Effect) {
	if !l.At.After(s.At) {
		return s, None
	}
	s.At = l.At
	crossed := l.Known && l.Band > s.Band
	switch {
	case crossed:
		s.Band = l.Band
	case l.Known && !l.Silent && l.Held < s.Band:
		s.Band = l.Held
	}
	if crossed && s.Band >= r.Opens && s.mayOpen(l.At) {
		s.Case, s.CaseAt, s.Open, s.Below = s.Band, l.At, true, nil
		return s, Opens
	}
	if !s.Open || !l.Known || l.Silent || s.Band >= r.Opens {
		s.Below = nil
		return s, None
	}
	if s.Below == nil {
		s.Below = &l.At
	}
	if l.At.Sub(*s.Below) < r.Calm {
		return s, None
	}
	s.Open, s.Below = false, nil
	return s, Ends
}

// mayOpen reports whether a crossing gets a case of its own: where none is open and the last one is a day old, or the
// district went higher than ever since.
func (s Standing) mayOpen(at time.Time) bool {
	higher := s.CaseAt.IsZero() || s.Band > s.Case
	return higher || !s.Open && at.Sub(s.CaseAt) >= apart
}
