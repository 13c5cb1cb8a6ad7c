package alert

import "slices"

// The days that "usual" is made of, and how many of them a district must have been heard of for.
const (
	UsualDays = 28
	leastDays = 7
)

// A Heard is what was heard of a district in 24 hours, beside what is usual.
type Heard struct {
	Sources      int     `json:"sources"` // that were heard in the 24 hours
	Signals      int64   `json:"signals"`
	UsualSources float64 `json:"usual_sources"` // the median of the days before
	UsualSignals float64 `json:"usual_signals"`
	Days         int     `json:"days"` // that the medians are of
}

// A Day is what was heard of a district on one day.
type Day struct {
	Sources int
	Signals int64
}

// Usually puts beside what was heard the medians of the days before; a day on which nothing was heard counts as one.
func (h Heard) Usually(days []Day) Heard {
	h.Days = len(days)
	if len(days) == 0 {
		return h
	}
	sources, signals := make([]float64, len(days)), make([]float64, len(days))
	for i, d := range days {
		sources[i], signals[i] = float64(d.Sources), float64(d.Signals)
	}
	h.UsualSources, h.UsualSignals = median(sources), median(signals)
	return h
}

func median(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}

// Known reports whether it can be said what is usual.
func (h Heard) Known() bool { return h.Days >= leastDays && h.UsualSources > 0 }

// Coverage is the share of the usual sources that were heard, 0 to 1; known is false where nobody can say what is usual.
func (h Heard) Coverage() (share float64, known bool) {
	if !h.Known() {
		return 0, false
	}
	return min(1, float64(h.Sources)/h.UsualSources), true
}

// volumeFrom is how many signals a day must be usual before fewer of them mean something: 1 in place of 2 is chance.
const volumeFrom = 4

// Silent reports whether sources fell silent: fewer of them than this share of what is usual, or so much fewer signals.
func (h Heard) Silent(below float64) bool {
	share, known := h.Coverage()
	if !known {
		return false
	}
	return share < below || h.UsualSignals >= volumeFrom && float64(h.Signals) < below*h.UsualSignals
}

// Together is the share of a state's districts that must fall silent at once before one cause is likely, and how many there
// must be.
const (
	together      = 0.5
	leastTogether = 3
)

// AllSilent reports whether the districts of a state fell silent together, as they do when the internet is shut down.
func AllSilent(silent, known int) bool {
	return silent >= leastTogether && float64(silent) >= together*float64(known)
}
