package main

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
)

func TestThePartOfSmokeIsThatOfTheMeanAndTheWorstDay(t *testing.T) {
	mean, worst := smokiness([][]float64{{0.1, 0.3, 0.2}, {0, 0.1, 0.5}})
	if math.Abs(mean-0.2) > 1e-12 || math.Abs(worst-0.4) > 1e-12 {
		t.Errorf("%v on the mean day and %v on the worst, want 0.2 and 0.4", mean, worst)
	}
}

func TestEveryDayOfACityHasItsPartOfSmoke(t *testing.T) {
	s, err := madeup.Plan{Seed: 3, Days: 3, Fires: 12, Particles: madeup.MinParticles, Harvest: 6}.Build()
	if err != nil {
		t.Fatal(err)
	}
	smoky := false
	for c, days := range parts(s) {
		if len(days) != s.Plan.Days {
			t.Errorf("%s has %d days, want %d", s.Cities[c].Name, len(days), s.Plan.Days)
		}
		for _, part := range days {
			smoky = smoky || part > 0
			if !(part >= 0 && part < 1) {
				t.Errorf("%s has a part of %v", s.Cities[c].Name, part)
			}
		}
	}
	if !smoky {
		t.Error("no city has any smoke")
	}
}
