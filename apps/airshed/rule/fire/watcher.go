package fire

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// The instruments of satellites that stay over one place.
const (
	SEVIRI Instrument = "SEVIRI"
	AHI    Instrument = "AHI"
)

// A Watcher is a satellite that stays over one place and looks at all it sees every few
// minutes. It sees what burns between passes, in coarse pixels in which small fires do not
// show. So it is no Sensor: no pass of it is due, and that it saw nothing says nothing.
type Watcher struct {
	Satellite   Satellite  `json:"satellite"`
	Instrument  Instrument `json:"instrument"`
	Codes       []string   `json:"codes"`         // what the files call it
	Source      string     `json:"source"`        // to ask for its rows; watchers share one
	Every       int        `json:"every_minutes"` // between two looks
	Scan        float64    `json:"scan_km"`       // the pixel over the region, where rows do not say
	Track       float64    `json:"track_km"`
	NominalFrom int        `json:"nominal_from"` // the percentages at which the classes of confidence begin
	HighFrom    int        `json:"high_from"`
	From        string     `json:"from"` // first day of service
	Until       string     `json:"until,omitempty"`
	Factor      float64    `json:"frp_factor"`
	Note        string     `json:"note,omitempty"`
}

// A Watch is the watchers that are known, in the order in which, of equals, they are
// believed.
type Watch struct {
	Version  string    `json:"version"`
	Watchers []Watcher `json:"watchers"`
}

//go:embed watchers.json
var watchersFile []byte

// KnownWatch is the watchers this version of the program was made with.
func KnownWatch() (Watch, error) { return ReadWatchers(watchersFile) }

// ReadWatchers reads a list of watchers and refuses one that could count a row for the
// wrong satellite.
func ReadWatchers(file []byte) (Watch, error) {
	var w Watch
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return Watch{}, fault.From(fault.Invalid, err, "the list of geostationary satellites cannot be read")
	}
	if w.Version == "" || len(w.Watchers) == 0 || len(w.Watchers) > maxSensors {
		return Watch{}, fault.New(fault.Invalid, "the list says no version, or names %d geostationary satellites", len(w.Watchers))
	}
	for i, s := range w.Watchers {
		if err := s.check(); err != nil {
			return Watch{}, err
		}
		for _, o := range w.Watchers[:i] {
			if o.Satellite == s.Satellite || slices.ContainsFunc(s.Codes, o.called) {
				return Watch{}, fault.New(fault.Invalid, "satellites %.40q and %.40q have a name in common", o.Satellite, s.Satellite)
			}
		}
	}
	return w, nil
}

func (w Watcher) check() error {
	const day = 24 * 60 // minutes
	switch {
	case badWord(string(w.Satellite)) || len(w.Codes) == 0 || slices.ContainsFunc(w.Codes, badWord) || len(w.Note) > maxNote:
		return fault.New(fault.Invalid, "a geostationary satellite has no name or code, or too long a one")
	case w.Instrument != SEVIRI && w.Instrument != AHI:
		return fault.New(fault.Invalid, "satellite %.40q: rows of instrument %.40q cannot be read", w.Satellite, w.Instrument)
	case badWord(w.Source) || w.Every < 1 || w.Every > day:
		return fault.New(fault.Invalid, "satellite %.40q: a source, and 1 to %d minutes between two looks", w.Satellite, day)
	case !(w.Scan > 0 && w.Scan <= maxPixel && w.Track > 0 && w.Track <= maxPixel):
		return fault.New(fault.Invalid, "satellite %.40q: the sides of its pixel are above 0 and at most %d km", w.Satellite, maxPixel)
	case w.NominalFrom < 0 || w.HighFrom < w.NominalFrom || w.HighFrom > 100:
		return fault.New(fault.Invalid, "satellite %.40q: confidence is nominal from %d and high from %d", w.Satellite, w.NominalFrom,
			w.HighFrom)
	case !isDay(w.From) || w.Until != "" && (!isDay(w.Until) || w.Until < w.From):
		return fault.New(fault.Invalid, "satellite %.40q: its service is from %.20q until %.20q", w.Satellite, w.From, w.Until)
	case !(w.Factor > 0 && w.Factor <= maxFactor):
		return fault.New(fault.Invalid, "satellite %.40q: frp_factor is above 0 and at most %d", w.Satellite, maxFactor)
	}
	return nil
}

// Serves reports whether the satellite is in service on a day, as 2026-11-13.
func (w Watcher) Serves(day string) bool { return day >= w.From && (w.Until == "" || day <= w.Until) }

func (w Watcher) called(code string) bool {
	return strings.EqualFold(code, string(w.Satellite)) ||
		slices.ContainsFunc(w.Codes, func(c string) bool { return strings.EqualFold(c, code) })
}

// Class is the class of a percentage of confidence.
func (w Watcher) Class(percent int) Confidence {
	switch {
	case percent < w.NominalFrom:
		return Low
	case percent < w.HighFrom:
		return Nominal
	}
	return High
}

// Called finds a watcher by its name or by what files call it.
func (w Watch) Called(code string) (Watcher, bool) {
	i := slices.IndexFunc(w.Watchers, func(s Watcher) bool { return s.called(code) })
	if i < 0 {
		return Watcher{}, false
	}
	return w.Watchers[i], true
}

// Only is the watchers of the names; one that is not known is refused.
func (w Watch) Only(names ...string) (Watch, error) {
	out := Watch{Version: w.Version}
	for _, name := range names {
		s, ok := w.Called(strings.TrimSpace(name))
		if !ok {
			return Watch{}, fault.New(fault.Invalid, "no geostationary satellite is called %.40q", name)
		}
		out.Watchers = append(out.Watchers, s)
	}
	return out, nil
}

// Power is a look's power in MW, brought into line by its satellite's factor.
func (w Watch) Power(d Detection) float64 {
	s, _ := w.Called(string(d.Satellite))
	return d.FRP * s.Factor
}
