// Package madeup makes up seasons of smoke whose truth is known, so that a method
// of saying whose smoke it was can be told how often it is right.
//
// A season has an invented land of invented states, a weather, fires that burn, and
// particles of smoke that are carried forward from every fire through three levels
// of sheared wind with a random walk. What arrives at a station is known by state:
// that is the truth (Season.Truth). What an analyst gets is less: readings with
// noise, detections of three fires in five or fewer, and a wind grid with errors.
//
// Nothing here knows how smoke is traced back: this package must not import plume,
// or the method would be judged by itself. The same plan is the same season on one
// kind of processor. Read Plan.Build first.
package madeup

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a plan.
const (
	MinParticles = 500   // of each fire
	MaxDays      = 800   // harvest after harvest: of one alone there are too few episodes
	MaxFires     = 2_000 // a day
)

// A Plan says which season is made up.
type Plan struct {
	Seed      uint64
	Days      int
	Fires     int     // a day, on average
	Particles int     // of each fire
	Harvest   float64 // days from the height of a field's burning to where it is at 60 %
	Speed     float64 // how far off the analyst's wind is: a standard deviation, as a share of its speed
	Way       float64 // and in degrees
}

// Standard is the season of the bar. Its episodes come from the days after the
// first two weeks, because a rise needs days to have risen from. With so many fires
// the first state of every row has more than 25 seen on a mean day; with fewer, chance
// makes more of a day than the harvest does. With so many days there are episodes enough
// that no state dominates.
func Standard() Plan {
	return Plan{Seed: 9, Days: 450, Fires: 350, Particles: MinParticles, Harvest: 6, Speed: SpeedError, Way: WayError}
}

func (p Plan) check() error {
	if p.Days < 2 || p.Days > MaxDays || p.Fires < 1 || p.Fires > MaxFires || p.Particles < MinParticles || p.Particles > 10_000 {
		return fault.New(fault.Invalid, "a season of %d days, %d fires a day, %d particles. Allowed: 2 to %d, 1 to %d, %d to 10000",
			p.Days, p.Fires, p.Particles, MaxDays, MaxFires, MinParticles)
	}
	if !(p.Speed >= 0 && p.Speed <= 1 && p.Way >= 0 && p.Way <= 90) {
		return fault.New(fault.Invalid, "a wind that is off by %v of its speed and %v degrees: 0 to 1, and 0 to 90", p.Speed, p.Way)
	}
	if !(p.Harvest >= 0.5 && p.Harvest <= 30) {
		return fault.New(fault.Invalid, "a harvest of %v days: 0.5 to 30", p.Harvest)
	}
	return nil
}

// Begin is the first hour of every made-up season.
func Begin() time.Time { return time.Date(2026, 9, 15, 0, 0, 0, 0, time.UTC) }

// A Season is what was made up. It does not change.
type Season struct {
	Plan   Plan
	States []State
	Cities []City
	Fires  []Fire           // all of them, in order of time
	Seen   []fire.Detection // what the satellites delivered, in order of time

	weather weather
	smoke   []smoke // by station, cities one after the other
	dirt    [][]float64
}

// Build makes the season up.
func (p Plan) Build() (*Season, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Season{Plan: p, States: states(p.Seed), weather: newWeather(p.Seed)}
	s.Cities = cities(s.States)
	s.burn()
	s.look()
	s.blow()
	s.soil()
	return s, nil
}

// Hours is how many hours the season has.
func (s *Season) Hours() int { return 24 * s.Plan.Days }

// End is the moment the season is over.
func (s *Season) End() time.Time { return Begin().AddDate(0, 0, s.Plan.Days) }

// At is the name of the state that holds a place, empty where none does.
func (s *Season) At(lat, lon float64) string {
	if i := s.state(lat, lon); i >= 0 {
		return s.States[i].Name
	}
	return ""
}

func (s *Season) state(lat, lon float64) int {
	for i := range s.States {
		if s.States[i].holds(lat, lon) {
			return i
		}
	}
	return -1
}

// since is a moment in hours since the season began.
func since(t time.Time) float64 { return t.Sub(Begin()).Hours() }

// when is the moment of an hour of the season.
func when(hour float64) time.Time {
	return Begin().Add(time.Duration(hour * float64(time.Hour))).Truncate(time.Minute)
}
