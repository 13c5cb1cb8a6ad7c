package plume_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// alipur is the station at the northern border, where the worked examples start.
var alipur = plume.Point{Lat: 28.815329, Lon: 77.153010}

// noon is the hour at which the air of the worked examples arrives.
var noon = time.Date(2025, 11, 12, 12, 0, 0, 0, time.UTC)

// air is a made-up wind: every level blows as told, everywhere from 20 to 40
// degrees north and 65 to 90 east, from 20 days before noon to 12 after. mixing 0 is not known.
func air(t testing.TB, mixing float64, blow func(l wind.Level) (u, v float64), levels ...wind.Level) *wind.Grid {
	t.Helper()
	g, err := wind.New(wind.Shape{South: 20, West: 65, DLat: 10, DLon: 12.5, Rows: 3, Cols: 3,
		Start: noon.AddDate(0, 0, -20), Every: 6 * time.Hour, Times: 32*4 + 1})
	if err != nil {
		t.Fatal(err)
	}
	for at := range g.Shape().Times {
		for node := range 9 {
			for _, l := range levels {
				u, v := blow(l)
				if err := g.Set(l, at, node/3, node%3, u, v); err != nil {
					t.Fatal(err)
				}
			}
			if mixing > 0 {
				if err := g.SetMixing(at, node/3, node%3, mixing); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return g
}

// from is a wind of one speed from one direction on all levels.
func from(speed, degrees float64) func(wind.Level) (u, v float64) {
	return func(wind.Level) (float64, float64) { return wind.FromDirection(speed, degrees) }
}

// northwest is the wind of the worked examples: 4 m/s from 315 degrees, mixed
// through 500 m.
func northwest(t testing.TB) *wind.Grid {
	t.Helper()
	return air(t, 500, from(4, 315), wind.Levels()...)
}

// field is the mean of some levels of a grid.
func field(t testing.TB, g *wind.Grid, levels ...wind.Level) wind.Field {
	t.Helper()
	f, ok := g.Field(levels...)
	if !ok {
		t.Fatalf("the grid lacks one of %v", levels)
	}
	return f
}
