package fire

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Satellite is one satellite's name, as NOAA-20.
type Satellite string

// An Instrument is the kind of camera.
type Instrument string

// The instruments whose rows can be read.
const (
	VIIRS Instrument = "VIIRS"
	MODIS Instrument = "MODIS"
)

// A Sensor is one satellite that looks for fires. Satellites come and go, and
// counts fall when one goes: so this is data.
type Sensor struct {
	Satellite   Satellite  `json:"satellite"`
	Instrument  Instrument `json:"instrument"`
	Codes       []string   `json:"codes"`              // what the files call it
	Preliminary string     `json:"preliminary"`        // the source to ask for rows within hours
	Final       string     `json:"standard,omitempty"` // the source to ask for rows some months later; empty: none is offered
	File        string     `json:"file,omitempty"`     // of the files that need no key
	Crossings   []string   `json:"crossings"`          // when it passes, in local time, as 13:30
	From        string     `json:"from"`               // first day of service, as 2018-04-01
	Until       string     `json:"until,omitempty"`    // last day of service; empty: it serves
	Factor      float64    `json:"frp_factor"`         // by which its power is multiplied to agree with the others'
	Wanted      bool       `json:"wanted,omitempty"`   // is asked unless somebody says otherwise
	Continuous  bool       `json:"continuous,omitempty"`
	Note        string     `json:"note,omitempty"`
}

// Serves reports whether the satellite is in service on a day, as 2026-11-13.
func (s Sensor) Serves(day string) bool {
	return day >= s.From && (s.Until == "" || day <= s.Until)
}

// A Constellation is the satellites that are known, in the order in which they
// are listed and, of equals, believed.
type Constellation struct {
	Version string   `json:"version"`
	Sensors []Sensor `json:"sensors"`
}

// Bounds of a constellation's file.
const (
	maxSensors     = 32
	maxSensorsFile = 64 << 10
	maxWord        = 100
	maxNote        = 500
	maxFactor      = 10
)

//go:embed sensors.json
var sensorsFile []byte

// Known is the constellation this version of the program was made with.
func Known() (Constellation, error) { return ReadConstellation(sensorsFile) }

// ReadConstellation reads a constellation and refuses one that could count a row
// for the wrong satellite.
func ReadConstellation(file []byte) (Constellation, error) {
	var c Constellation
	if len(file) > maxSensorsFile {
		return c, fault.New(fault.TooLarge, "the list of satellites has more than %d kB", maxSensorsFile>>10)
	}
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Constellation{}, fault.From(fault.Invalid, err, "the list of satellites cannot be read")
	}
	if d.More() {
		return Constellation{}, fault.New(fault.Invalid, "something follows the list of satellites")
	}
	if err := c.check(); err != nil {
		return Constellation{}, err
	}
	return c, nil
}

func (c Constellation) check() error {
	if c.Version == "" || len(c.Version) > maxWord {
		return fault.New(fault.Invalid, "the list of satellites says no version, or too long a one")
	}
	if len(c.Sensors) == 0 || len(c.Sensors) > maxSensors {
		return fault.New(fault.Invalid, "the list names %d satellites; 1 to %d can be used", len(c.Sensors), maxSensors)
	}
	for i, s := range c.Sensors {
		if err := s.check(); err != nil {
			return err
		}
		for _, o := range c.Sensors[:i] {
			if o.Satellite == s.Satellite {
				return fault.New(fault.Invalid, "satellite %.40q is listed twice", s.Satellite)
			}
			for _, code := range s.Codes {
				if o.Instrument == s.Instrument && o.called(code) {
					return fault.New(fault.Invalid, "satellites %.40q and %.40q are both called %.40q", o.Satellite, s.Satellite, code)
				}
			}
		}
	}
	return nil
}

func (s Sensor) check() error {
	switch {
	case s.Satellite == "" || len(s.Satellite) > maxWord:
		return fault.New(fault.Invalid, "a satellite has no name, or too long a one")
	case s.Instrument != VIIRS && s.Instrument != MODIS:
		return fault.New(fault.Invalid, "satellite %.40q: rows of instrument %.40q cannot be read", s.Satellite, s.Instrument)
	case len(s.Codes) == 0 || len(s.Codes) > 8 || slices.ContainsFunc(s.Codes, badWord):
		return fault.New(fault.Invalid, "satellite %.40q: codes are missing, empty or too many", s.Satellite)
	case badWord(s.Preliminary) || len(s.Final) > maxWord || len(s.File) > maxWord || len(s.Note) > maxNote:
		return fault.New(fault.Invalid, "satellite %.40q: a source is missing or too long", s.Satellite)
	case !isDay(s.From) || s.Until != "" && !isDay(s.Until) || s.Until != "" && s.Until < s.From:
		return fault.New(fault.Invalid, "satellite %.40q: its service is from %.20q until %.20q", s.Satellite, s.From, s.Until)
	case !(s.Factor > 0 && s.Factor <= maxFactor):
		return fault.New(fault.Invalid, "satellite %.40q: frp_factor is above 0 and at most %d", s.Satellite, maxFactor)
	case len(s.Crossings) == 0 || len(s.Crossings) > 4:
		return fault.New(fault.Invalid, "satellite %.40q: 1 to 4 crossings a day", s.Satellite)
	}
	for _, at := range s.Crossings {
		if _, ok := clock(at); !ok {
			return fault.New(fault.Invalid, "satellite %.40q: crossing %.20q is no time as 13:30", s.Satellite, at)
		}
	}
	return nil
}

func badWord(s string) bool { return s == "" || len(s) > maxWord }

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// clock is how long after midnight 13:30 is.
func clock(s string) (time.Duration, bool) {
	t, err := time.Parse("15:04", s)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err == nil && len(s) == 5
}

func (s Sensor) called(code string) bool {
	return slices.ContainsFunc(s.Codes, func(c string) bool { return strings.EqualFold(c, code) })
}

// Sensor finds a satellite by name.
func (c Constellation) Sensor(name Satellite) (Sensor, bool) {
	i := c.place(name)
	if i == len(c.Sensors) {
		return Sensor{}, false
	}
	return c.Sensors[i], true
}

// place is where a satellite stands in the list, behind all others if it does not.
func (c Constellation) place(name Satellite) int {
	for i := range c.Sensors {
		if c.Sensors[i].Satellite == name {
			return i
		}
	}
	return len(c.Sensors)
}

// called finds a satellite by what a file of its instrument calls it.
func (c Constellation) called(i Instrument, code string) (Satellite, bool) {
	for _, s := range c.Sensors {
		if s.Instrument == i && s.called(code) {
			return s.Satellite, true
		}
	}
	return "", false
}

// Wanted is the part of the constellation to be asked about a day: what is
// wanted and in service then.
func (c Constellation) Wanted(day string) Constellation {
	out := Constellation{Version: c.Version}
	for _, s := range c.Sensors {
		if s.Wanted && s.Serves(day) {
			out.Sensors = append(out.Sensors, s)
		}
	}
	return out
}

// Power is a detection's fire radiative power in MW, brought into line with the
// other satellites by its own satellite's factor. That of a satellite which is
// not in the constellation is not a number.
func (c Constellation) Power(d Detection) float64 {
	i := c.place(d.Satellite)
	if i == len(c.Sensors) {
		return math.NaN()
	}
	return d.FRP * c.Sensors[i].Factor
}
