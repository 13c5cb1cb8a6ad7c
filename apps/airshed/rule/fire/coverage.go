package fire

import (
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Pass is one time a satellite went over the region. One without rows may mean
// that nothing burnt, that cloud hid it or that its data never came: the files
// do not say which.
type Pass struct {
	Satellite Satellite `json:"satellite"`
	Due       time.Time `json:"due,omitzero"`   // nominal, UTC; zero: rows came at an hour at which none was due
	First     time.Time `json:"first,omitzero"` // of its rows
	Last      time.Time `json:"last,omitzero"`
	Rows      int       `json:"rows"` // sure and unsure
	Cloud     float64   `json:"cloud_fraction"`
	Seen      bool      `json:"cloud_known"` // Cloud was given
}

// At is when the satellite passed: its first row, or when it was due.
func (p Pass) At() time.Time {
	if p.Rows > 0 {
		return p.First
	}
	return p.Due
}

// A Cloud says what part of the region was under cloud at a moment, 0 to 1, if
// that is known.
type Cloud func(at time.Time) (fraction float64, known bool)

// Coverage is what the satellites could see of a region during some time.
type Coverage struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"` // not included
	Passes []Pass    `json:"passes"`
}

// How far a pass may be from the hour it is due: the orbits shift from day to
// day, and local time is not the clock's.
const punctual = 3 * time.Hour

// maxCoverage bounds the time that is looked at: a season and what is compared
// with it.
const maxCoverage = 400 * 24 * time.Hour

// Cover lists the passes there should have been, and what came of each. The
// detections are those of one region in India, before anything was sifted out: a
// pass that saw only doubtful fires was a pass. cloud may be nil.
func (c Constellation) Cover(ds []Detection, from, to time.Time, cloud Cloud) (Coverage, error) {
	if !from.Before(to) || to.Sub(from) > maxCoverage {
		return Coverage{}, fault.New(fault.Invalid, "passes are listed for at most %d days, and the end comes after the beginning",
			maxCoverage/(24*time.Hour))
	}
	out := Coverage{From: from.UTC(), To: to.UTC()}
	rows := map[Satellite][]time.Time{}
	for _, d := range ds {
		if !d.Time.Before(from) && d.Time.Before(to) {
			rows[d.Satellite] = append(rows[d.Satellite], d.Time)
		}
	}
	for _, s := range c.Sensors {
		out.Passes = append(out.Passes, s.passes(rows[s.Satellite], from, to)...)
	}
	slices.SortStableFunc(out.Passes, func(a, b Pass) int { return a.At().Compare(b.At()) })
	for i, p := range out.Passes {
		if cloud == nil {
			break
		}
		if part, known := cloud(p.At()); known && part >= 0 && part <= 1 {
			out.Passes[i].Cloud, out.Passes[i].Seen = part, true
		}
	}
	return out, nil
}

// passes are one satellite's: those due in the time asked for, and those before
// and after it of which rows fall into it.
func (s Sensor) passes(rows []time.Time, from, to time.Time) []Pass {
	due := s.due(from.Add(-punctual), to.Add(punctual))
	var late []Pass
	slices.SortFunc(rows, time.Time.Compare)
	for _, t := range rows {
		i, _ := slices.BinarySearchFunc(due, t, func(p Pass, t time.Time) int { return p.Due.Compare(t) })
		if i == len(due) || i > 0 && t.Sub(due[i-1].Due) < due[i].Due.Sub(t) {
			i--
		}
		switch last := len(late) - 1; {
		case i >= 0 && due[i].Due.Sub(t).Abs() <= punctual:
			due[i].see(t)
		case last >= 0 && t.Sub(late[last].First) <= punctual:
			late[last].see(t)
		default:
			late = append(late, Pass{Satellite: s.Satellite})
			late[last+1].see(t)
		}
	}
	due = slices.DeleteFunc(due, func(p Pass) bool { return p.Rows == 0 && (p.Due.Before(from) || !p.Due.Before(to)) })
	return append(due, late...)
}

func (p *Pass) see(t time.Time) {
	if p.Rows == 0 {
		p.First = t
	}
	p.Last = t
	p.Rows++
}

// due are the nominal passes over India in a time, in order.
func (s Sensor) due(from, to time.Time) []Pass {
	var out []Pass
	y, m, d := from.In(India()).Date()
	for day := time.Date(y, m, d, 0, 0, 0, 0, India()); day.Before(to); day = day.AddDate(0, 0, 1) {
		if !s.Serves(day.Format(time.DateOnly)) {
			continue
		}
		for _, crossing := range s.Crossings {
			after, _ := clock(crossing)
			if at := day.Add(after); !at.Before(from) && at.Before(to) {
				out = append(out, Pass{Satellite: s.Satellite, Due: at.UTC()})
			}
		}
	}
	slices.SortFunc(out, func(a, b Pass) int { return a.Due.Compare(b.Due) })
	return out
}

// Sums are the figures of a coverage.
type Sums struct {
	Due        int     `json:"passes_due"`
	WithRows   int     `json:"passes_with_detections"` // due or not
	Silent     int     `json:"passes_without_detections"`
	CloudKnown int     `json:"passes_with_cloud_known"`
	MeanCloud  float64 `json:"mean_cloud_fraction"` // over those; 0 where there are none
}

// Sums adds up the passes.
func (c Coverage) Sums() Sums {
	var s Sums
	for _, p := range c.Passes {
		s.Due += one(!p.Due.IsZero())
		s.WithRows += one(p.Rows > 0)
		s.Silent += one(p.Rows == 0)
		s.CloudKnown += one(p.Seen)
		s.MeanCloud += p.Cloud
	}
	if s.CloudKnown > 0 {
		s.MeanCloud /= float64(s.CloudKnown)
	}
	return s
}

// Statement is what must stand beside every count of fires.
func (c Coverage) Statement() string {
	s := c.Sums()
	cloud := "Cloud at the time of the passes is not known."
	if s.CloudKnown > 0 {
		cloud = fmt.Sprintf("Cloud covered %.0f %% of the region on average at the %d passes for which it is known.", 100*s.MeanCloud,
			s.CloudKnown)
	}
	return fmt.Sprintf("Counts are a lower bound. Satellite passes due: %d; passes with detections: %d; passes without: %d, "+
		"which may mean no fire, cloud or missing data. %s Fires that burn between passes, under cloud or under thick smoke are not seen.",
		s.Due, s.WithRows, s.Silent, cloud)
}
