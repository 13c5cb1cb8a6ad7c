package surge

import (
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// An Ending says why an episode is over.
type Ending string

// The endings. An open episode has none.
const (
	Cleared  Ending = "cleared"  // the index stayed down long enough
	WentDark Ending = "silenced" // the station gave no index for so long that nobody can say
)

// An Episode is a stretch of bad air at one station.
type Episode struct {
	Key    Key      `json:"key"`
	Site   aqi.Site `json:"site_id"`
	Basis  Basis    `json:"basis"`
	Start  aqi.Hour `json:"start"`            // the first surge hour
	Opened aqi.Hour `json:"opened"`           // the hour in which the rule was first met
	Last   aqi.Hour `json:"last"`             // the last hour with the index above its threshold
	Closed aqi.Hour `json:"closed,omitempty"` // the hour in which it was over, none while open
	Ending Ending   `json:"ending,omitempty"`

	Surging  []aqi.Hour `json:"surge_hours"` // from Start to Last
	Untested int        `json:"untested"`    // of those, hours with too little history to ask for a rise
	Unsure   bool       `json:"start_unsure,omitempty"`

	PeakIndex   int        `json:"peak_index"`
	PeakIndexAt aqi.Hour   `json:"peak_index_at"` // the first of equals
	PeakPM25    aqi.Amount `json:"peak_pm25"`     // none with IndexOnly
	PeakPM25At  aqi.Hour   `json:"peak_pm25_at,omitempty"`
}

// Open reports whether the episode was not over when the track ended.
func (e Episode) Open() bool { return e.Ending == "" }

// A sign says what kind of hour one is.
type sign uint8

const (
	calm     sign = iota
	surging       // high, and higher than usual
	untested      // high, with too few days known to say what is usual
)

// signs finds the surge hours of a track.
func (p Policy) signs(t Track) []sign {
	out := make([]sign, len(t.pm25))
	usual := make([]aqi.Amount, 0, p.Days)
	for i, a := range t.pm25 {
		if a < 0 || a < p.Hourly {
			continue
		}
		usual = usual[:0]
		for d := 1; d <= p.Days && i-d*aqi.Day >= 0; d++ {
			if b := t.pm25[i-d*aqi.Day]; b >= 0 {
				usual = append(usual, b)
			}
		}
		switch {
		case len(usual) < p.Least:
			out[i] = untested
		case 200*a >= aqi.Amount(p.Rise)*twiceMedian(usual):
			out[i] = surging
		}
	}
	return out
}

// twiceMedian is the median doubled, so that it is whole. It sorts what it is
// given, which must not be empty.
func twiceMedian[T ~int | ~int64](values []T) T {
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2] + values[n/2]
}

// Episodes finds the episodes of a track, the earliest first. They do not overlap,
// and a longer track never changes the key of an episode a shorter one has. The
// policy must have been checked.
func (p Policy) Episodes(t Track) []Episode {
	var (
		out           []Episode
		open          *Episode
		quiet, silent int
		free          int // the first hour that belongs to no episode before
	)
	signs := p.signs(t)
	for i, index := range t.index {
		if open == nil {
			if start, ok := p.opens(t, signs, free, i); ok {
				open = p.open(t, start, i)
				quiet, silent = 0, 0
			}
			continue
		}
		switch {
		case index > p.Index:
			quiet, silent, open.Last = 0, 0, t.first.Plus(i)
		case index >= 0:
			quiet, silent = quiet+1, 0
		default:
			silent++
		}
		if quiet >= p.Quiet || silent >= p.Silent {
			open.Closed, open.Ending = t.first.Plus(i), Cleared
			if quiet < p.Quiet {
				open.Ending = WentDark
			}
			out, open, free = append(out, t.measure(*open, signs)), nil, i+1
		}
	}
	if open != nil {
		out = append(out, t.measure(*open, signs))
	}
	return out
}

// opens reports whether an hour meets the rule, and where the episode began. Hours
// of an episode before are not counted again. Where the surge hours of the window
// fall into several runs, the episode began with the latest.
func (p Policy) opens(t Track, signs []sign, free, at int) (start int, ok bool) {
	if t.index[at] <= p.Index {
		return 0, false
	}
	if t.basis == IndexOnly {
		return at, true
	}
	count, before := 0, -1
	for i := max(free, at-aqi.Day+1); i <= at; i++ {
		if signs[i] == calm {
			continue
		}
		if before < 0 || i-before > p.Together {
			start = i
		}
		count, before = count+1, i
	}
	return start, count >= p.Hours
}

// open begins an episode. Its start is unsure where the hours before it, as far
// back as hours belong together, are not all known: it may have begun earlier.
func (p Policy) open(t Track, start, at int) *Episode {
	e := &Episode{Key: KeyOf(t.station.Site, t.first.Plus(start)), Site: t.station.Site, Basis: t.basis,
		Start: t.first.Plus(start), Opened: t.first.Plus(at), Last: t.first.Plus(at)}
	back := p.Together
	if t.basis == IndexOnly {
		back = 1
	}
	for i := start - back; i < start; i++ {
		if i < 0 || t.basis == Concentration && t.pm25[i] < 0 || t.basis == IndexOnly && t.index[i] < 0 {
			e.Unsure = true
		}
	}
	return e
}

// measure fills in what the hours of an episode hold.
func (t Track) measure(e Episode, signs []sign) Episode {
	e.PeakIndex, e.PeakPM25 = aqi.Unknown, aqi.None
	for i := e.Start.Since(t.first); i <= e.Last.Since(t.first); i++ {
		at := t.first.Plus(i)
		if signs[i] != calm {
			e.Surging = append(e.Surging, at)
		}
		if signs[i] == untested {
			e.Untested++
		}
		if t.index[i] > e.PeakIndex {
			e.PeakIndex, e.PeakIndexAt = t.index[i], at
		}
		if t.pm25[i] > e.PeakPM25 {
			e.PeakPM25, e.PeakPM25At = t.pm25[i], at
		}
	}
	return e
}
