// Package quality says what speaks against the readings of a station in some hours: a
// sensor that contradicts itself, one that stands still, and a jump that nobody around
// it saw. It judges nothing; whoever rests a claim on the readings does. Read Check.
package quality

import (
	"math"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// Version changes whenever a flag could.
const Version = "quality/2"

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

// A Doubt is a flag with the readings that raised it, so that somebody can look at them.
type Doubt struct {
	Flag   Flag
	First  int     // the first of the hours it is about
	Hours  int     // how many of them
	Value  float64 // PM2.5: the worst of them, what it stands still at, or what it jumped to
	Beside float64 // what that stands against: PM10 of that hour, or PM2.5 of the hour before; NaN where nothing
}

// Check says what speaks against the readings of hours that follow each other, each flag
// at most once.
func Check(hours []Hour) (out []Doubt) {
	for _, look := range []func([]Hour) (Doubt, bool){reversed, stuck, jumped} {
		if d, is := look(hours); is {
			out = append(out, d)
		}
	}
	return out
}

// Flags are the flags of doubts.
func Flags(all []Doubt) []Flag {
	out := make([]Flag, len(all))
	for i, d := range all {
		out[i] = d.Flag
	}
	return out
}

// reversed finds fine particles above coarse ones, and the hour in which they are most so.
func reversed(hours []Hour) (Doubt, bool) {
	d := Doubt{Flag: Reversed}
	for i, h := range hours {
		if !(h.PM25 > reversedBy*h.PM10) { // also where either is not known
			continue
		}
		if d.Hours == 0 {
			d.First = i
		}
		if d.Hours++; d.Hours == 1 || h.PM25-h.PM10 > d.Value-d.Beside {
			d.Value, d.Beside = h.PM25, h.PM10
		}
	}
	return d, d.Hours >= reversedHours
}

// stuck finds the longest time in which nothing moved, the first of equals.
func stuck(hours []Hour) (Doubt, bool) {
	d, same := Doubt{Flag: Stuck, Beside: math.NaN()}, 1
	for i := 1; i < len(hours); i++ {
		if hours[i].PM25 == hours[i-1].PM25 { // not known is never the same
			same++
		} else {
			same = 1
		}
		if same > d.Hours {
			d.First, d.Hours, d.Value = i-same+1, same, hours[i].PM25
		}
	}
	return d, d.Hours >= stuckHours
}

// jumped finds the first jump that nobody around shared.
func jumped(hours []Hour) (Doubt, bool) {
	for i := 1; i < len(hours); i++ {
		if alone(hours, i) {
			return Doubt{Flag: Alone, First: i, Hours: 1, Value: hours[i].PM25, Beside: hours[i-1].PM25}, true
		}
	}
	return Doubt{}, false
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
