package aqi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what is held at once.
const (
	MaxReadings = 2_000_000
	MaxHours    = 100_000 // of one station from first to last: eleven years
)

// A Site names a station: "site_5024" in the authority's own numbering, or a name
// of ours in small letters where that number is not known.
type Site string

// ParseSite reads a station's name.
func ParseSite(s string) (Site, error) {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' }
	if s == "" || len(s) > 60 || strings.IndexFunc(s, odd) >= 0 {
		return "", fault.New(fault.Invalid, "site %.60q: use small letters, digits, - and _, such as site_5024", s)
	}
	return Site(s), nil
}

// A Reading is what one station measured of one pollutant in one hour.
type Reading struct {
	Site      Site      `json:"site_id"`
	Hour      Hour      `json:"from"`
	Pollutant Pollutant `json:"pollutant"`
	Amount    Amount    `json:"amount"`
}

func (r Reading) check() error {
	if r.Site == "" || !r.Pollutant.Valid() || r.Hour <= 0 || r.Amount < 0 || r.Amount > MaxAmount {
		return fault.New(fault.Invalid, "the reading of %.60q at %s is out of bounds", r.Site, r.Hour)
	}
	return nil
}

// Hours are the measured hours of one station, all eight pollutants. They do not
// change once made.
type Hours struct {
	site         Site
	first        Hour
	length       int
	by           [pollutants][]Amount // empty where nothing was measured
	contradicted int
}

// Collect sorts readings by station, in any order they come. The same reading
// twice is one reading; two readings that disagree about one hour are both left
// out and counted, for nobody can say which is right.
func Collect(readings []Reading) ([]Hours, error) {
	if len(readings) > MaxReadings {
		return nil, fault.New(fault.TooLarge, "more than %d readings", MaxReadings)
	}
	sorted := slices.Clone(readings)
	slices.SortFunc(sorted, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Hour, b.Hour))
	})
	var out []Hours
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Site == sorted[0].Site {
			n++
		}
		h, err := collect(sorted[:n])
		if err != nil {
			return nil, err
		}
		out, sorted = append(out, h), sorted[n:]
	}
	return out, nil
}

// collect makes the hours of one station of its readings, the earliest first.
func collect(readings []Reading) (Hours, error) {
	const twice Amount = -2 // readings disagree
	h := Hours{site: readings[0].Site, first: readings[0].Hour}
	h.length = readings[len(readings)-1].Hour.Since(h.first) + 1
	if h.length > MaxHours {
		return Hours{}, fault.New(fault.TooLarge, "the readings of %s span more than %d hours", h.site, MaxHours)
	}
	for _, r := range readings {
		if err := r.check(); err != nil {
			return Hours{}, err
		}
		if !r.Hour.InStep(h.first) {
			return Hours{}, fault.New(fault.Invalid, "the hours of %s begin at different minutes: %s and %s", h.site, h.first, r.Hour)
		}
		if h.by[r.Pollutant] == nil {
			h.by[r.Pollutant] = slices.Repeat([]Amount{None}, h.length)
		}
		switch at := &h.by[r.Pollutant][r.Hour.Since(h.first)]; *at {
		case r.Amount: // said twice
		case None:
			*at = r.Amount
		default:
			*at = twice
		}
	}
	for _, all := range h.by {
		for i, a := range all {
			if a == twice {
				all[i] = None
				h.contradicted++
			}
		}
	}
	return h, nil
}

// Site is whose hours they are.
func (h Hours) Site() Site { return h.site }

// First is the first hour in which anything was measured.
func (h Hours) First() Hour { return h.first }

// Length is how many hours there are from the first to the last.
func (h Hours) Length() int { return h.length }

// Contradicted is how many readings were left out because others of the same hour
// disagree.
func (h Hours) Contradicted() int { return h.contradicted }

// At is what was measured in an hour, None where nothing was.
func (h Hours) At(p Pollutant, at Hour) Amount {
	if !p.Valid() || !at.InStep(h.first) {
		return None
	}
	return h.at(p, at.Since(h.first))
}

func (h Hours) at(p Pollutant, i int) Amount {
	if i < 0 || i >= len(h.by[p]) {
		return None
	}
	return h.by[p][i]
}

// Index is the station's index for the 24 hours of which the given one is the
// last. For ozone and carbon monoxide it takes the greatest of the seventeen
// 8-hour means that lie wholly in those 24 hours.
func (h Hours) Index(last Hour) Index {
	var (
		parts []SubIndex
		short []Shortfall
	)
	for p := range Pollutant(pollutants) {
		if len(h.by[p]) == 0 || !last.InStep(h.first) {
			continue
		}
		period, needs := p.Period(), DayNeeds
		if period == Eight {
			needs = EightNeeds
		}
		m, end, fullest := h.greatest(p, last.Since(h.first), period, needs)
		switch {
		case m.Hours > 0:
			s := place(p, m)
			s.Last = h.first.Plus(end)
			parts = append(parts, s)
		case fullest > 0:
			short = append(short, Shortfall{Pollutant: p, Hours: fullest, Needs: needs})
		}
	}
	x := overall(parts)
	x.Short = short
	return x
}

// greatest is the greatest mean over a period among those that lie in the 24
// hours up to the given one, where it ends (the earliest of equals), and how many
// hours the fullest period has. Of 24-hour means there is one.
func (h Hours) greatest(p Pollutant, last, period, needs int) (best Mean, end, fullest int) {
	for i := last - Day + period; i <= last; i++ {
		m := h.mean(p, i, period)
		fullest = max(fullest, m.Hours)
		if m.Hours >= needs && (best.Hours == 0 || m.above(best)) {
			best, end = m, i
		}
	}
	return best, end, fullest
}

func (h Hours) mean(p Pollutant, last, period int) Mean {
	var m Mean
	all := h.by[p]
	for i := max(0, last-period+1); i <= min(last, len(all)-1); i++ {
		if all[i] >= 0 {
			m.Sum += all[i]
			m.Hours++
		}
	}
	return m
}
