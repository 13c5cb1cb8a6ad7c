package score

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Band is how far a score has come: what is asked of people grows with it.
type Band int

// The bands, lowest first.
const (
	Baseline Band = iota
	Monitoring
	PreventiveReadiness
	SeniorReview
	Critical
)

// Bands lists the bands.
func Bands() []Band { return []Band{Baseline, Monitoring, PreventiveReadiness, SeniorReview, Critical} }

// names are the bands' labels, and the first design's second word for each.
var names = [...]struct{ label, level string }{
	{"BASELINE", "low"}, {"MONITORING", "medium"}, {"PREVENTIVE_READINESS", "high"}, {"SENIOR_REVIEW", "very_high"},
	{"CRITICAL", "critical"},
}

// String is the band's label, "SENIOR_REVIEW".
func (b Band) String() string { return names[b].label }

// RiskLevel is the first design's risk_level, as another name of the band and no second scale.
func (b Band) RiskLevel() string { return names[b].level }

// MarshalText is String.
func (b Band) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads a label, or the first design's name of it.
func (b *Band) UnmarshalText(text []byte) error {
	for i, n := range names {
		if string(text) == n.label || string(text) == n.level {
			*b = Band(i)
			return nil
		}
	}
	return fault.New(fault.Invalid, "there is no band %.40q", text)
}

// Thresholds are where the bands above the first begin: versioned settings of an organisation.
type Thresholds [4]float64

// Usual are the first design's thresholds.
func Usual() Thresholds { return Thresholds{30, 60, 75, 90} }

// Check refuses thresholds that do not rise from above 0 to at most 100.
func (t Thresholds) Check() error {
	if !slices.IsSorted(t[:]) || len(slices.Compact(slices.Clone(t[:]))) != len(t) || !(t[0] > 0) || !(t[3] <= 100) {
		return fault.New(fault.Invalid, "thresholds rise from above 0 to at most 100, not %v", t)
	}
	return nil
}

// Band is the band of a score: a band begins at its threshold and ends before the next. Scores are compared as
// they are and rounded only to be shown, so that 29.995 is below 30.
func (t Thresholds) Band(score float64) Band {
	b := Baseline
	for _, from := range t {
		if score >= from {
			b++
		}
	}
	return b
}

// Bounds is where a band begins, and where the next one does.
func (t Thresholds) Bounds(b Band) (low, high float64) {
	edges := append(append([]float64{0}, t[:]...), MostComposite)
	return edges[b], edges[b+1]
}

// Range is a band's range as it is printed, "[30, 60)".
func (t Thresholds) Range(b Band) string {
	low, high := t.Bounds(b)
	end := ")"
	if b == Critical {
		end = "]"
	}
	return fmt.Sprintf("[%g, %g%s", low, high, end)
}

// SeedRange is a band's range as the first design printed it, "30-59": a name for those who know it, with holes
// between its whole numbers.
func (t Thresholds) SeedRange(b Band) string {
	low, high := t.Bounds(b)
	if b < Critical {
		high--
	}
	return fmt.Sprintf("%g-%g", low, high)
}

// A Number is a score, or null where there is none.
type Number struct {
	Value float64
	Known bool
}

// MarshalJSON writes null for what is not known.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	if n.Known = string(b) != "null"; !n.Known {
		n.Value = 0
		return nil
	}
	return json.Unmarshal(b, &n.Value)
}

// Held is the band a result would be in, were its score higher by a margin and each layer by a tenth of it: a band is not left
// before that is lower, too, so that a score which wavers does not come and go.
func (p Profile) Held(t Thresholds, r Result, margin float64) Band {
	if !r.Score.Known {
		return r.Band
	}
	higher := slices.Clone(r.Layers)
	for i := range higher {
		higher[i].Score = min(higher[i].Score+margin*Full/MostComposite, Full)
	}
	return max(t.Band(r.Score.Value+margin), p.byLayer(higher))
}
