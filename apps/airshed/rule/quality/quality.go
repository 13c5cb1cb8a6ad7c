// Package quality says what speaks against the readings of a station in some hours: a
// sensor that contradicts itself, one that stands still, and a jump that nobody around
// it saw. It judges nothing; whoever rests a claim on the readings does. Read Check.
package quality

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// Version changes whenever a flag could.
const Version = "quality/1"

// A Flag is something that speaks against readings.
type Flag string

// The flags.
const (
	Reversed Flag = "pm25_above_pm10"     // fine particles are a part of the coarse
	Stuck    Flag = "stuck_sensor"        // air is never the same for so long
	Alone    Flag = "jump_at_one_station" // what comes from afar comes to several
)

// What it takes. An hour of noise is no flag.
const (
	reversedHours = 3
	reversedBy    = 1.1
	stuckHours    = 6
	jumpBy        = 200.0 // µg/m³ from one hour to the next, and twofold
	jumpTimes     = 2.0
	joinedBy      = 0.25 // of the jump, at any other station within an hour
)

// An Hour is what is known of one. NaN is not known.
type Hour struct {
	PM25, PM10 float64
	Others     []float64 // PM2.5 of the other stations of the city, in the same order in every hour
}

// Of is an amount as a number.
func Of(a aqi.Amount) float64 {
	if a < 0 {
		return math.NaN()
	}
	return a.Float()
}

// Check says what speaks against the readings of hours that follow each other.
func Check(hours []Hour) []Flag {
	var out []Flag
	if reversed(hours) {
		out = append(out, Reversed)
	}
	if stuck(hours) {
		out = append(out, Stuck)
	}
	for i := 1; i < len(hours); i++ {
		if alone(hours, i) {
			return append(out, Alone)
		}
	}
	return out
}

func reversed(hours []Hour) bool {
	n := 0
	for _, h := range hours {
		if h.PM25 > reversedBy*h.PM10 { // false where either is not known
			n++
		}
	}
	return n >= reversedHours
}

func stuck(hours []Hour) bool {
	same := 1
	for i := 1; i < len(hours); i++ {
		if hours[i].PM25 == hours[i-1].PM25 { // not known is never the same
			same++
		} else {
			same = 1
		}
		if same >= stuckHours {
			return true
		}
	}
	return false
}

// alone reports whether the station jumped in an hour and no other that was known rose
// with it, an hour before or after.
func alone(hours []Hour, i int) bool {
	jump := hours[i].PM25 - hours[i-1].PM25
	if !(jump >= jumpBy && hours[i].PM25 >= jumpTimes*hours[i-1].PM25) {
		return false
	}
	known := false
	for s := range hours[i].Others {
		for at := max(1, i-1); at <= min(i+1, len(hours)-1); at++ {
			rise := hours[at].Others[s] - hours[at-1].Others[s]
			if rise >= joinedBy*jump {
				return false
			}
			known = known || !math.IsNaN(rise)
		}
	}
	return known
}
