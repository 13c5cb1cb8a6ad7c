package report_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
)

// mostOfSeason bounds how many episodes of a made-up season are reported on.
const mostOfSeason = 2

// season is analyses of a made-up season: made by the same code as any other, of
// states and cities that nobody here chose the numbers of.
var season = sync.OnceValues(func() (map[string]analysis.Analysis, error) {
	const day = 24 * time.Hour
	s, err := madeup.Plan{Seed: 9, Days: 17, Fires: 20, Particles: madeup.MinParticles, Harvest: 6}.Build()
	if err != nil {
		return nil, err
	}
	from, to := madeup.Begin().Add(15*day), madeup.Begin().Add(16*day)
	wind, err := s.Wind(from.Add(-4*day), int(to.Sub(from)/time.Hour)+4*24+1)
	if err != nil {
		return nil, err
	}
	out := map[string]analysis.Analysis{}
	for city := range s.Cities {
		o, err := s.Object(madeup.Cut{City: city, Since: madeup.Begin(), At: to, Wind: wind, From: from.Add(-14 * day), To: to})
		if err != nil {
			return nil, err
		}
		rules, err := analysis.Standard()
		if err != nil {
			return nil, err
		}
		rules.Stations, rules.Boundaries = s.Cities[city].Stations, "made up"
		rules.Places = func(p fire.Point) fire.Place { return fire.Place{State: s.At(p.Lat, p.Lon)} }
		d, err := analysis.Prepare(o, rules)
		if err != nil {
			return nil, err
		}
		for _, line := range d.Board().Episodes {
			a, err := d.Analyse(line.Episode.Key, analysis.Demands)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprintf("season %s", a.Key)] = a
			if len(out) == mostOfSeason {
				return out, nil
			}
		}
	}
	return out, nil
})

// all is every fixture there is, and some episodes of a made-up season.
func all(t testing.TB) map[string]analysis.Analysis {
	t.Helper()
	made, err := season()
	if err != nil || len(made) == 0 {
		t.Fatalf("the season has %d episodes, %v", len(made), err)
	}
	out := fixtures()
	maps.Copy(out, edges())
	maps.Copy(out, made)
	return out
}
