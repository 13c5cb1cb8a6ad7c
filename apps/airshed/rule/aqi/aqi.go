// Package aqi computes India's national air quality index, so that a figure in a
// report can be worked out again by whoever doubts it.
//
// The index is a figure of a day: means over 24 hours, for ozone and carbon
// monoxide over 8, are laid on a scale of 0 to 500, and the worst pollutant
// speaks for the station. All sums are in whole numbers and rounded once, at the
// end. Read subindex.go for the scale, hours.go for which hours make a mean,
// index.go for what makes a station's index, and derive.go for the way back from
// a published sub-index to the concentrations it can stand for. What comes from
// outside is read by ParseCSV (measured hours) and ParsePage (the open data feed,
// whose values are sub-indices and not concentrations).
package aqi

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Version changes whenever a figure could.
const Version = "aqi/1"

// A Pollutant is one of the eight the index knows. Their order settles which of
// two equal sub-indices is called responsible: fine particles come first.
type Pollutant uint8

// The pollutants.
const (
	PM25 Pollutant = iota
	PM10
	NO2
	O3
	CO
	SO2
	NH3
	Pb
	pollutants = 8
)

// Averaging periods in hours, the hours of them that must have been measured, and
// the hours a day's figure looks back on. That 16 hours of 24 suffice is the
// published rule; for 8 hours none is published, and the same confidence asks
// for three quarters.
const (
	Day        = 24
	DayNeeds   = 16
	Eight      = 8
	EightNeeds = 6
)

var traits = [pollutants]struct {
	name   string   // as the open data feed has it
	others []string // as others write it, in lower case and without dots or blanks
	hours  int      // averaging period
	milli  bool     // measured in milligrams
}{
	PM25: {"PM2.5", []string{"pm25"}, Day, false},
	PM10: {"PM10", []string{"pm10"}, Day, false},
	NO2:  {"NO2", []string{"no2"}, Day, false},
	O3:   {"OZONE", []string{"ozone", "o3"}, Eight, false},
	CO:   {"CO", []string{"co"}, Eight, true},
	SO2:  {"SO2", []string{"so2"}, Day, false},
	NH3:  {"NH3", []string{"nh3"}, Day, false},
	Pb:   {"PB", []string{"pb"}, Day, false},
}

// Pollutants lists all of them, the one that wins a tie first.
func Pollutants() []Pollutant { return []Pollutant{PM25, PM10, NO2, O3, CO, SO2, NH3, Pb} }

// ParsePollutant reads a name as feeds write it: "PM2.5", "pm25", "OZONE", "o3".
func ParsePollutant(s string) (Pollutant, error) {
	p, ok := pollutantNamed(s)
	if !ok {
		return 0, fault.New(fault.Invalid, "pollutant %.20q is not one of the index", s)
	}
	return p, nil
}

func pollutantNamed(s string) (Pollutant, bool) {
	if len(s) > 20 {
		return 0, false
	}
	plain := strings.ToLower(strings.NewReplacer(".", "", " ", "", "_", "").Replace(s))
	for p := range Pollutant(pollutants) {
		if slices.Contains(traits[p].others, plain) {
			return p, true
		}
	}
	return 0, false
}

// Valid reports whether it is one of the eight.
func (p Pollutant) Valid() bool { return p < pollutants }

// String is the name as the open data feed has it.
func (p Pollutant) String() string {
	if !p.Valid() {
		return "unknown"
	}
	return traits[p].name
}

// MarshalText is String.
func (p Pollutant) MarshalText() ([]byte, error) {
	if !p.Valid() {
		return nil, fault.New(fault.Invalid, "pollutant number %d does not exist", p)
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what ParsePollutant reads.
func (p *Pollutant) UnmarshalText(b []byte) error {
	got, err := ParsePollutant(string(b))
	*p = got
	return err
}

// Period is the hours its mean is taken over: 24, or 8.
func (p Pollutant) Period() int { return traits[p].hours }

// Unit is what its amounts are measured in.
func (p Pollutant) Unit() string {
	if traits[p].milli {
		return "mg/m³"
	}
	return "µg/m³"
}

// particulate reports whether it is one of the two without which there is no index.
func (p Pollutant) particulate() bool { return p == PM25 || p == PM10 }
