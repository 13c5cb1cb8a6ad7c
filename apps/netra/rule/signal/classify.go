package signal

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a report.
const (
	Ahead      = 5 * time.Minute // how far in the future a report may lie: clocks differ
	MaxSummary = 280             // characters
	maxID      = 200             // bytes of an id or a source
)

// machineCoded are sources that no person read, and the most severe that they may say alone.
var machineCoded = map[string]int{"gdelt": 2}

// A Classifier fills in what reports leave out.
type Classifier struct {
	Districts Table
}

// Classify makes a signal of a report that was received at a moment. It refuses what cannot be weighed.
func (c Classifier) Classify(r Report, received time.Time) (Signal, error) {
	if err := check(r, received); err != nil {
		return Signal{}, err
	}
	words := wordsOf(r.Summary)
	s := Signal{ID: r.EventID, Source: r.Source, SourceType: r.SourceType, At: r.At, LGD: r.LGD, Summary: r.Summary, Sources: 1,
		Hints: hintsOf(words)}
	t, origin, known := typeOf(r, words)
	if !known && (len(r.Layers) == 0 || r.Severity == 0 || r.Polarity == "") {
		return Signal{}, fault.New(fault.Invalid, "event %.60s: type %.60q is not known; name its layers, severity and polarity",
			r.EventID, r.EventType)
	}
	s.Type = t
	k, _ := kindOf(t)
	s.Enforcement = k.enforcement
	s.Layers, s.Basis.Layers = r.Layers, Given
	if len(r.Layers) == 0 {
		s.Layers, s.Basis.Layers = k.layers, origin
	}
	s.Polarity, s.Basis.Polarity = r.Polarity, Given
	if r.Polarity == "" {
		s.Polarity, s.Basis.Polarity = k.polarity, origin
	}
	s.Severity, s.Basis.Severity = severity(r, k, origin)
	s.Geo, s.Basis.Geo = c.Districts.Multiplier(r.LGD, r.At)
	return s, nil
}

// typeOf is the type of event, by its name or by words of the summary. A name nobody knows is kept.
func typeOf(r Report, words map[string]bool) (Type, Origin, bool) {
	if t, ok := typeNamed(r.EventType); ok {
		return t, ByType, true
	}
	if t, ok := typeByWords(words); ok {
		return t, ByWords, true
	}
	return Type(strings.ToLower(strings.TrimSpace(r.EventType))), Given, false
}

// severity is how severe an event is: as the report says, or by how many died, or by its type.
func severity(r Report, k kind, origin Origin) (int, Origin) {
	s, from := r.Severity, Given
	if s == 0 {
		s, from = k.severity, origin
		if r.Fatalities != nil && (k.deadly || *r.Fatalities > 0) {
			if d := ByFatalities(*r.Fatalities); *r.Fatalities > 0 || d > s {
				s, from = max(s, d), ByDeaths
			}
		}
	}
	if most, machine := machineCoded[strings.ToLower(r.Source)]; machine && s > most {
		return most, Capped
	}
	return s, from
}

// ByFatalities is the severity of a violent event in which so many died: facts, not adjectives.
func ByFatalities(n int) int {
	switch {
	case n <= 0:
		return 2
	case n <= 2:
		return 3
	case n <= 9:
		return 4
	}
	return 5
}

// check refuses a report that says nothing, or what cannot be.
func check(r Report, received time.Time) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "event %.60s: "+format, append([]any{r.EventID}, args...)...)
	}
	switch {
	case r.EventID == "" || len(r.EventID) > maxID || r.Source == "" || len(r.Source) > maxID:
		return bad("an id and a source of at most %d bytes are needed", maxID)
	case r.At.IsZero():
		return bad("it has no time")
	case r.At.After(received.Add(Ahead)):
		return bad("its time lies more than %v ahead", Ahead)
	case r.LGD <= 0:
		return bad("its district is not known")
	case r.Severity != 0 && (r.Severity < LeastSevere || r.Severity > MostSevere):
		return bad("a severity is from %d to %d", LeastSevere, MostSevere)
	case r.Polarity != "" && !slices.Contains(Polarities(), r.Polarity):
		return bad("there is no polarity %.40q", r.Polarity)
	case utf8.RuneCountInString(r.Summary) > MaxSummary:
		return bad("its summary is longer than %d characters", MaxSummary)
	case r.Fatalities != nil && *r.Fatalities < 0:
		return bad("fewer than none died")
	}
	for i, l := range r.Layers {
		if !slices.Contains(Layers(), l) || slices.Contains(r.Layers[:i], l) {
			return bad("there is no layer %.40q, or it is named twice", l)
		}
	}
	return nil
}
