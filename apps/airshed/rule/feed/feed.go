// Package feed knows how the services outside are asked and what they answer, so
// that a reading, a fire or a wind of theirs is taken for what it is.
//
// Read request.go for how a request is made whose key no log can show. Then there
// is a file for each: firms.go (fires), datagov.go (the country's index),
// openaq.go (hourly concentrations), meteo.go and weather.go (wind, mixing height,
// cloud), dss.go (the forecast's stubble share, as a person entered it) and
// event.go (the notice that something new lies in the data lake).
//
// Nothing is sent here: the package above does that. Whatever comes in has a
// bound, and what cannot be used is counted or refused, never guessed.
package feed

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxName is how many bytes a name that is kept may have.
const maxName = 200

// decode reads one JSON value and refuses what follows it.
func decode(body []byte, limit int, what string, into any) error {
	if len(body) > limit {
		return fault.New(fault.TooLarge, "%s has more than %d kB", what, limit>>10)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return fault.From(fault.Invalid, err, "%s cannot be read as JSON", what)
	}
	if d.More() {
		return fault.New(fault.Invalid, "something follows %s", what)
	}
	return nil
}

// name is a text that came from outside, or nothing where it is too long or holds
// characters that would break a line.
func name(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) {
		return ""
	}
	return s
}

// onGlobe reports whether two numbers are a place in degrees.
func onGlobe(lat, lon float64) bool {
	return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180
}

// believed is a moment in the years that data can be of.
func believed(t time.Time) bool { return t.Year() >= 1990 && t.Year() <= 2200 }

// moment reads RFC 3339, and is the zero time where there is none to believe.
func moment(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !believed(t.UTC()) {
		return time.Time{}
	}
	return t.UTC()
}
