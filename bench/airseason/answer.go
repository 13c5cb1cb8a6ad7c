package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// The days of the season. Before the first, hours have no days to be compared with
// and the air cannot be followed back; after the last, dates cannot be shifted.
const (
	first   = 15
	last    = 11
	before  = 14 // days of fires before the episodes: three of tracks, ten of shifts, one of window
	stretch = 10 // days of episodes in one file
	history = 60 // days of air before them: two weeks to have risen from, and longer than nearly any episode
	day     = 24 * time.Hour
)

// A sample is one episode: the truth, the answer and the circle.
type sample struct {
	key     surge.Key
	city    string
	state   string  // that brought most smoke
	share   float64 // of all smoke
	smoke   float64 // µg/m³
	other   float64 // that came from no fire
	verdict plume.Verdict
	named   string // the first state of the answer
	reasons []plume.Code
	circle  string // the state with most fires in the circle
	high    bool   // the circle calls it a high contribution
}

func (s sample) String() string {
	return fmt.Sprintf("%s truth %s %.0f %% of %.0f µg/m³ smoke (%.0f other); %s: %s %v; circle: %s", s.key, s.state, 100*s.share, s.smoke,
		s.other, s.verdict, s.named, s.reasons, s.circle)
}

// A task is some days of a city, whose episodes are answered from one file.
type task struct {
	city     int
	from, to time.Time
	wind     *lake.Wind
}

// answer finds and answers the episodes of the season, once with each null test: the
// fires of ten days before and after are known, so that dates are shifted, or they are
// not, and the wind is turned. The air is the same in both, up to days after the episode.
func answer(ctx context.Context, s *madeup.Season, cores int) (turned, shifted []sample, err error) {
	end := s.End().Add(-last * day)
	for from := madeup.Begin().Add(first * day); from.Before(end); from = from.Add(stretch * day) {
		to := from.Add(stretch * day)
		if to.After(end) {
			to = end
		}
		// Five days before: the window of the earliest episode, its tracks, and a day to spare.
		wind, err := s.Wind(from.Add(-5*day), int(to.Sub(from)/time.Hour)+5*24+1)
		if err != nil {
			return nil, nil, err
		}
		for city := range s.Cities {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			t := task{city, from, to, wind}
			for _, way := range []struct {
				from, to time.Time
				into     *[]sample
			}{{from.Add(-5 * day), to, &turned}, {from.Add(-before * day), to.Add(last * day), &shifted}} {
				found, err := t.answer(s, way.from, way.to, cores)
				if err != nil {
					return nil, nil, err
				}
				*way.into = append(*way.into, found...)
			}
		}
	}
	return once(turned), once(shifted), nil
}

// once leaves every episode in but once. One that goes on for weeks is found in several
// files, and may have a worse hour in the later.
func once(all []sample) []sample {
	seen := map[surge.Key]bool{}
	return slices.DeleteFunc(all, func(s sample) bool {
		again := seen[s.key]
		seen[s.key] = true
		return again
	})
}

// answer answers the episodes whose worst hour lies in the task's days, from a file
// with the fires of some time.
func (t task) answer(s *madeup.Season, from, to time.Time, cores int) ([]sample, error) {
	o, err := s.Object(madeup.Cut{City: t.city, Since: t.from.Add(-history * day), At: t.to.Add(last * day), Wind: t.wind, From: from,
		To: to})
	if err != nil {
		return nil, err
	}
	rules, err := analysis.Standard()
	if err != nil {
		return nil, err
	}
	rules.Stations, rules.Boundaries = s.Cities[t.city].Stations, "made up"
	rules.Places = func(p fire.Point) fire.Place { return fire.Place{State: s.At(p.Lat, p.Lon)} }
	d, err := analysis.Prepare(o, rules)
	if err != nil {
		return nil, err
	}
	var keys []surge.Key
	for _, l := range d.Board().Episodes {
		if worst := l.Episode.PeakIndexAt.End(); !worst.Before(t.from) && worst.Before(t.to) {
			keys = append(keys, l.Episode.Key)
		}
	}
	out, errs := make([]sample, len(keys)), make([]error, cores)
	var wait sync.WaitGroup
	for core := range cores {
		wait.Go(func() {
			for i := core; i < len(keys) && errs[core] == nil; i += cores {
				out[i], errs[core] = one(s, t.city, d, keys[i])
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// one sets the answer to an episode beside the truth of its hours.
func one(s *madeup.Season, city int, d *analysis.Dataset, key surge.Key) (sample, error) {
	a, err := d.Analyse(key, analysis.Demands)
	if err != nil {
		return sample{}, err
	}
	var hours []time.Time
	for at := a.Window.From; at.Before(a.Window.To); at = at.Add(time.Hour) {
		hours = append(hours, at)
	}
	truth, ok := s.Truth(a.Station.Site, hours)
	if !ok {
		return sample{}, fmt.Errorf("nothing is known of %s", key)
	}
	out := sample{key: key, city: s.Cities[city].Name, smoke: truth.Smoke, other: truth.Other, verdict: a.Attribution.Verdict,
		named: a.Attribution.First}
	if i, share := truth.First(); i >= 0 {
		out.state, out.share = s.States[i].Name, share
	}
	for _, r := range a.Attribution.Reasons {
		out.reasons = append(out.reasons, r.Code)
	}
	if len(a.Legacy.States) > 0 {
		out.circle, out.high = a.Legacy.States[0].State, a.Legacy.States[0].High
	}
	return out, nil
}

// together is within how many hours of each other the episodes of a city begin that
// are one event: stations cross the threshold one after the other, over a night or two.
const together = 36

// events is how many different pieces of weather the episodes belong to. One of them
// goes on as long as another episode begins within reach of the one before.
func events(all []sample) (n int, err error) {
	starts := map[string][]aqi.Hour{}
	for _, s := range all {
		_, start, err := surge.ParseKey(string(s.key))
		if err != nil {
			return 0, err
		}
		starts[s.city] = append(starts[s.city], start)
	}
	for _, of := range starts {
		slices.Sort(of)
		for i, at := range of {
			if i == 0 || at.Since(of[i-1]) > together {
				n++
			}
		}
	}
	return n, nil
}
