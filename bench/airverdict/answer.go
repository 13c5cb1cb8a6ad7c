package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// The days of the season. Before the first, hours have no days to be compared with; the
// last go on until an episode is over.
const (
	first   = 20
	last    = 2
	before  = 12 // days of fires and wind before the episodes: seven of PM2.5, three of tracks, the window and one to spare
	stretch = 10 // days of episodes in one file
	history = 60 // days of air before them
	day     = 24 * time.Hour
)

// A sample is one episode: the truth and the answer.
type sample struct {
	Key   surge.Key `json:"key"`
	City  string    `json:"city"`
	Event string    `json:"event"`
	First string    `json:"first"` // the state that brought most smoke
	Share float64   `json:"share"` // of all smoke, 0 to 1
	Smoke float64   `json:"smoke"` // µg/m³
	Other float64   `json:"other"` // that came from no fire

	Named string           `json:"named"` // the first state of the answer
	P     float64          `json:"p"`
	True  float64          `json:"true"` // share of all smoke that the named state brought
	Low   float64          `json:"low"`  // percent
	High  float64          `json:"high"`
	Grade likelihood.Grade `json:"grade"`
	M     float64          `json:"m"`
	Act   likelihood.Act   `json:"act"`
}

// answer finds and answers the episodes of a season.
func answer(ctx context.Context, s *madeup.Season, d difficulty, cores int) (all []sample, err error) {
	end := s.End().Add(-last * day)
	for from := madeup.Begin().Add(first * day); from.Before(end); from = from.Add(stretch * day) {
		to := from.Add(stretch * day)
		if to.After(end) {
			to = end
		}
		wind, err := s.Wind(from.Add(-before*day), int(to.Sub(from)/time.Hour)+before*24+1)
		if err != nil {
			return nil, err
		}
		for city := range s.Cities {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			found, err := stretchOf(s, d, city, from, to, wind, cores)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	seen := map[surge.Key]bool{} // one that goes on for weeks is found in several files
	all = slices.DeleteFunc(all, func(s sample) bool {
		again := seen[s.Key]
		seen[s.Key] = true
		return again
	})
	return all, name(all)
}

// stretchOf answers the episodes of a city whose worst hour lies in some days.
func stretchOf(s *madeup.Season, d difficulty, city int, from, to time.Time, wind *lake.Wind, cores int) ([]sample, error) {
	o, err := s.Object(madeup.Cut{City: city, Since: from.Add(-history * day), At: to.Add(last * day), Wind: wind,
		From: from.Add(-before * day), To: to.Add(day), Sparse: d.sparse})
	if err != nil {
		return nil, err
	}
	rules, err := analysis.Standard()
	if err != nil {
		return nil, err
	}
	second := likelihood.Standard()
	rules.Stations, rules.Boundaries, rules.Whose = s.Cities[city].Stations, "made up", &second
	rules.Places = func(p fire.Point) fire.Place { return fire.Place{State: s.At(p.Lat, p.Lon)} }
	data, err := analysis.Prepare(o, rules)
	if err != nil {
		return nil, err
	}
	var keys []surge.Key
	for _, l := range data.Board().Episodes {
		if worst := l.Episode.PeakIndexAt.End(); !worst.Before(from) && worst.Before(to) {
			keys = append(keys, l.Episode.Key)
		}
	}
	out, errs := make([]sample, len(keys)), make([]error, cores)
	var wait sync.WaitGroup
	for core := range cores {
		wait.Go(func() {
			for i := core; i < len(keys) && errs[core] == nil; i += cores {
				out[i], errs[core] = one(s, city, data, keys[i])
			}
		})
	}
	wait.Wait()
	return out, cmp.Or(errs...)
}

// one sets the answer to an episode beside the truth of its hours.
func one(s *madeup.Season, city int, d *analysis.Dataset, key surge.Key) (sample, error) {
	a, err := d.Whose(key)
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
	w := a.Whose
	out := sample{Key: key, City: s.Cities[city].Name, Smoke: truth.Smoke, Other: truth.Other, Named: w.State, P: w.P, Grade: w.Data.Grade,
		M: w.Matter.M, Act: w.Act}
	if i, share := truth.First(); i >= 0 {
		out.First, out.Share = s.States[i].Name, share
	}
	for i, st := range s.States {
		if st.Name == w.State && truth.Smoke > 0 {
			out.True = truth.States[i] / truth.Smoke
		}
	}
	if len(w.States) > 0 && w.States[0].Low != nil {
		out.Low, out.High = *w.States[0].Low, *w.States[0].High
	}
	return out, nil
}

// together is within how many hours of each other the episodes of a city begin that
// are one event: stations cross the threshold one after the other, over a night or two.
const together = 36

// name gives every episode the event it belongs to. An event goes on as long as another
// episode begins within reach of the one before.
func name(all []sample) error {
	starts := map[string]aqi.Hour{}
	at := make([]int, len(all))
	for i := range all {
		at[i] = i
	}
	start := func(i int) aqi.Hour {
		_, h, _ := surge.ParseKey(string(all[i].Key))
		return h
	}
	for _, s := range all {
		if _, _, err := surge.ParseKey(string(s.Key)); err != nil {
			return err
		}
	}
	slices.SortFunc(at, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].City, all[b].City), cmp.Compare(start(a), start(b)))
	})
	event := ""
	for _, i := range at {
		if before, known := starts[all[i].City]; !known || start(i).Since(before) > together {
			event = string(all[i].Key)
		}
		starts[all[i].City] = start(i)
		all[i].Event = event
	}
	return nil
}
