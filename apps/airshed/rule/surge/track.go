package surge

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Basis says what an episode was found by.
type Basis string

// The bases. A feed that publishes sub-indices only cannot show surge hours: with
// it the index decides alone, and whoever reads the episode is told.
const (
	Concentration Basis = "hourly_concentration_and_index"
	IndexOnly     Basis = "index_only"
)

// A Track is what is known of one station, hour by hour without a gap: the fine
// particles of the hour, and the index of the 24 hours of which it is the last.
type Track struct {
	station Station
	basis   Basis
	first   aqi.Hour
	pm25    []aqi.Amount // None where not measured; all None with IndexOnly
	index   []int        // aqi.Unknown where the rules allow none
}

// FromHours makes a track of measured hours.
func FromHours(s Station, h aqi.Hours) (Track, error) {
	if h.Site() != s.Site {
		return Track{}, fault.New(fault.Invalid, "the hours of %s are not those of %s", h.Site(), s.Site)
	}
	t := Track{station: s, basis: Concentration, first: h.First()}
	t.pm25, t.index = make([]aqi.Amount, h.Length()), make([]int, h.Length())
	for i := range t.pm25 {
		at := t.first.Plus(i)
		t.pm25[i], t.index[i] = h.At(aqi.PM25, at), h.Index(at).Value
	}
	return t, nil
}

// FromReports makes a track of what a feed of sub-indices said of one station, in
// any order. The caller has matched the reports to the station. Reports of one
// hour that disagree leave the hour without an index.
func FromReports(s Station, reports []aqi.Report) (Track, error) {
	t := Track{station: s, basis: IndexOnly}
	if len(reports) == 0 {
		return t, nil
	}
	sorted := slices.Clone(reports)
	slices.SortStableFunc(sorted, func(a, b aqi.Report) int { return cmp.Compare(a.Last, b.Last) })
	t.first = sorted[0].Last
	length := sorted[len(sorted)-1].Last.Since(t.first) + 1
	if length > aqi.MaxHours {
		return Track{}, fault.New(fault.TooLarge, "the reports of %s span more than %d hours", s.Site, aqi.MaxHours)
	}
	t.pm25 = slices.Repeat([]aqi.Amount{aqi.None}, length)
	t.index = slices.Repeat([]int{aqi.Unknown}, length)
	seen := make([]bool, length)
	for _, r := range sorted {
		if !r.Last.InStep(t.first) || r.Index.Value > aqi.Top {
			return Track{}, fault.New(fault.Invalid, "the report of %s up to %s is out of step or off the scale", s.Site, r.Last)
		}
		i := r.Last.Since(t.first)
		if seen[i] && t.index[i] != r.Index.Value {
			t.index[i] = aqi.Unknown
			continue
		}
		t.index[i], seen[i] = r.Index.Value, true
	}
	return t, nil
}

// Station is whose track it is.
func (t Track) Station() Station { return t.station }

// Basis is what the track can show.
func (t Track) Basis() Basis { return t.basis }

// PM25 is what was measured in an hour, None where nothing was.
func (t Track) PM25(at aqi.Hour) aqi.Amount {
	if i, ok := t.place(at); ok {
		return t.pm25[i]
	}
	return aqi.None
}

// Index is the index of the 24 hours of which the given one is the last, Unknown
// where there is none.
func (t Track) Index(at aqi.Hour) int {
	if i, ok := t.place(at); ok {
		return t.index[i]
	}
	return aqi.Unknown
}

func (t Track) place(at aqi.Hour) (int, bool) {
	i := at.Since(t.first)
	return i, at.InStep(t.first) && at >= t.first && i < len(t.index)
}

// Until is the track as it was known at a moment: hours that were not over are
// not there.
func (t Track) Until(now time.Time) Track {
	n := 0
	if len(t.index) > 0 && !now.Before(t.first.End()) {
		n = min(len(t.index), int(now.Sub(t.first.Start())/time.Hour))
	}
	t.pm25, t.index = t.pm25[:n:n], t.index[:n:n]
	return t
}

// last is the last hour that says anything: a reading, or with IndexOnly an index.
func (t Track) last() (aqi.Hour, bool) {
	for i := len(t.index) - 1; i >= 0; i-- {
		if t.pm25[i] >= 0 || t.basis == IndexOnly && t.index[i] >= 0 {
			return t.first.Plus(i), true
		}
	}
	return 0, false
}

// An Hourly is the fine particles of one hour.
type Hourly struct {
	Hour aqi.Hour   `json:"from"`
	PM25 aqi.Amount `json:"pm25"`
}

// Window lists the measured hours among the 24 of which the given one is the last:
// the hours whose air an index speaks of, with the weight each has in it.
func (t Track) Window(last aqi.Hour) []Hourly {
	var out []Hourly
	for h := last.Plus(1 - aqi.Day); h <= last; h = h.Plus(1) {
		if a := t.PM25(h); a >= 0 {
			out = append(out, Hourly{Hour: h, PM25: a})
		}
	}
	return out
}
