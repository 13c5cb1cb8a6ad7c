package madeup

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// The errors of the analyst's wind in the usual season: standard deviations. They are the same on all
// levels, and hold for hundreds of kilometres and for half a day to two days, so
// that neither the mean of levels nor a long way takes them out.
const (
	SpeedError = 0.20
	WayError   = 15.0 // degrees
	spacing    = 0.25 // degrees, of the analyst's grid
)

// Wind is what the analyst has: the true wind every hour on a grid of a quarter of a
// degree, with errors in speed and direction. Wind at 10 m is not one of the true
// levels: it is the lowest, slower, most of all by night, and turned to the left.
func (s *Season) Wind(from time.Time, hours int) (*lake.Wind, error) {
	g, err := lake.NewWind(wind.Shape{South: floor, West: left, DLat: spacing, DLon: spacing,
		Rows: int((north-south+2*margin)/spacing) + 1, Cols: int((east-west+2*margin)/spacing) + 1,
		Start: from, Every: time.Hour, Times: hours})
	if err != nil {
		return nil, err
	}
	shape := g.Shape()
	for t := range hours {
		hour := since(from) + float64(t)
		for r := range shape.Rows {
			for c := range shape.Cols {
				if err := s.observe(g, t, r, c, hour); err != nil {
					return nil, err
				}
			}
		}
	}
	return g, nil
}

// observe fills one node at one hour.
func (s *Season) observe(g *lake.Wind, t, r, c int, hour float64) error {
	lat, lon := floor+spacing*float64(r), left+spacing*float64(c)
	x, y := flat(lat, lon)
	gain := max(0.1, 1+s.Plan.Speed*sum(s.weather.speed, x, y, hour))
	turn := s.Plan.Way * sum(s.weather.way, x, y, hour)
	u, v := s.weather.at(lat, lon, hour)
	const back = 10
	slow := 0.5 + 0.2*daylight(hour)
	for _, l := range []struct {
		name       wind.Level
		of         int
		gain, turn float64
	}{{wind.M10, 0, slow * gain, turn + back}, {wind.M100, 0, gain, turn}, {wind.P925, 1, gain, turn}, {wind.P850, 2, gain, turn}} {
		sin, cos := math.Sincos(l.turn * earth.Radians)
		a, b := u[l.of]*l.gain, v[l.of]*l.gain
		if err := g.Set(l.name, t, r, c, a*cos-b*sin, a*sin+b*cos); err != nil {
			return err
		}
	}
	return g.SetMixing(t, r, c, mixing(hour)*gain)
}
