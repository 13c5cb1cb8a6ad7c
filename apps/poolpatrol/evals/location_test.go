package evals_test

import (
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

// A place is a made-up home with what the rule says of it, worked out by hand.
type place struct {
	kind    string
	line    float64 // miles from the pickup, straight
	bearing float64 // degrees from north
	road    float64 // what the router answers; 0: it is down
	zip     bool
	radius  float64
	want    check.Label
	sure    check.Confidence
	method  location.Method
}

// locationPlaces are the sixty homes of the location set. Each is put at a known
// distance from the pickup; what is expected was worked out by hand.
func locationPlaces() []place {
	var out []place
	for i, miles := range []float64{0.4, 1, 2, 3.5, 5, 6.6, 8, 9.9, 12, 14, 16.1, 18, 20, 22.5, 25, 27, 29.4, 31, 33, 34.4} {
		out = append(out, place{kind: "clear_in", line: miles, bearing: float64(i * 37 % 360), want: check.Pass, sure: 5,
			method: location.Bound})
	}
	for i, miles := range []float64{50.2, 51, 53, 55, 58, 60, 65, 72, 80, 95, 110, 140, 180, 220, 300, 313.5, 380, 600, 1200, 2400} {
		out = append(out, place{kind: "clear_out", line: miles, bearing: float64(i * 53 % 360), want: check.Fail, sure: 5,
			method: location.Bound})
	}
	return append(out, bandPlaces()...)
}

func bandPlaces() []place {
	const pass, fail = check.Pass, check.Fail
	return []place{
		{"band", 38, 10, 45.5, false, 0, pass, 4, location.OSRM},
		{"band", 40, 80, 47, false, 0, pass, 4, location.OSRM},
		{"band", 41, 170, 49.9, false, 0, pass, 4, location.OSRM},
		{"band", 41, 260, 50, false, 0, pass, 4, location.OSRM},
		{"band", 42, 300, 50.1, false, 0, fail, 4, location.OSRM},
		{"band", 43, 45, 52, false, 0, fail, 4, location.OSRM},
		{"band", 44, 135, 54.9, false, 0, fail, 4, location.OSRM},
		{"band", 36, 225, 44, false, 0, pass, 5, location.OSRM},
		{"band", 46, 315, 60, false, 0, fail, 5, location.OSRM},
		{"zip_only", 15, 20, 0, true, 8, pass, 5, location.Bound},
		{"zip_only", 38, 110, 46, true, 6, pass, 2, location.OSRM},
		{"zip_only", 45, 200, 62, true, 4, fail, 3, location.OSRM},
		{"zip_only", 95, 290, 0, true, 20, fail, 5, location.Bound},
		{"zip_only", 70, 5, 84, true, 25, fail, 3, location.OSRM},
		{"router_down", 36, 95, 0, false, 0, pass, 2, location.Estimate},
		{"router_down", 43, 185, 0, false, 0, fail, 2, location.Estimate},
		{"router_down", 48, 275, 0, false, 0, fail, 3, location.Estimate},
		{"router_down", 38, 355, 0, true, 5, pass, 2, location.Estimate},
		{"no_coordinates", 0, 0, 0, false, 0, fail, 1, ""},
		{"no_coordinates", 0, 0, 0, true, 0, fail, 1, ""},
	}
}

// home is the point some miles from the pickup in some direction.
func (p place) home() fleet.Home {
	h := fleet.Home{ZIP: "94000", ByZIP: p.zip, Radius: p.radius}
	if p.kind == "no_coordinates" {
		return h
	}
	from, rad := madeup.Site().At, math.Pi/180
	lat, turn, arc := from.Lat*rad, p.bearing*rad, p.line/3958.7613
	to := math.Asin(math.Sin(lat)*math.Cos(arc) + math.Cos(lat)*math.Sin(arc)*math.Cos(turn))
	lng := from.Lng*rad + math.Atan2(math.Sin(turn)*math.Sin(arc)*math.Cos(lat), math.Cos(arc)-math.Sin(lat)*math.Sin(to))
	round := func(v float64) float64 { return math.Round(v/rad*1e6) / 1e6 }
	h.At = &fleet.Point{Lat: round(to), Lng: round(lng)}
	return h
}
