package main

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// parts are what part of the particles was smoke, by city and day, at its interior
// stations. Published figures of it are of cities and of days, too.
func parts(s *madeup.Season) [][]float64 {
	out := make([][]float64, len(s.Cities))
	for c, city := range s.Cities {
		for at := madeup.Begin(); at.Before(s.End()); at = at.Add(day) {
			var hours []time.Time
			for h := range 24 {
				hours = append(hours, at.Add(time.Duration(h)*time.Hour))
			}
			var smoke, all float64
			for _, st := range city.Stations {
				if truth, ok := s.Truth(st.Site, hours); ok && st.Role == surge.Interior {
					smoke, all = smoke+truth.Smoke, all+truth.Smoke+truth.Other
				}
			}
			out[c] = append(out[c], smoke/all)
		}
	}
	return out
}

// smokiness is the mean over cities: of their mean day, and of their worst one.
func smokiness(parts [][]float64) (mean, worst float64) {
	n := float64(len(parts))
	for _, days := range parts {
		sum := 0.0
		for _, part := range days {
			sum += part
		}
		mean += sum / float64(len(days)) / n
		worst += slices.Max(days) / n
	}
	return mean, worst
}
