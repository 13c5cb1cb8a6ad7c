package feed

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Share is what the forecast system of the tropical meteorology institute says
// of stubble burning in Delhi's PM2.5. It publishes pages and pictures and no
// table: a person enters the figure, with the hash of what they looked at.
type Share struct {
	IssuedAt   time.Time `json:"issued_at"`             // of the forecast
	ValidDate  string    `json:"valid_date"`            // the day in India it is for, as 2026-11-13
	Percent    float64   `json:"stubble_percent"`       // of Delhi's PM2.5, 0 to 100
	SourceURL  string    `json:"source_url"`            // where it was read
	SHA256     string    `json:"captured_bytes_sha256"` // of the page or picture as it was kept
	CapturedBy string    `json:"captured_by"`           // who entered it
}

// Bounds of an entry.
const (
	maxShareBytes = 16 << 10
	maxShareURL   = 1000
)

// ParseShare reads an entry and refuses one that lacks anything: a figure without
// the bytes it was read from proves nothing.
func ParseShare(body []byte) (Share, error) {
	if len(body) > maxShareBytes {
		return Share{}, fault.New(fault.TooLarge, "an entry of the stubble share has more than %d kB", maxShareBytes>>10)
	}
	var in struct {
		Share
		Percent *float64 `json:"stubble_percent"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Share{}, fault.From(fault.Invalid, err, "the entry of the stubble share cannot be read")
	}
	if d.More() {
		return Share{}, fault.New(fault.Invalid, "something follows the entry of the stubble share")
	}
	if in.Percent == nil {
		return Share{}, fault.New(fault.Invalid, "the entry says no stubble_percent")
	}
	in.Share.Percent = *in.Percent
	return in.Share, in.Check()
}

// Check refuses an entry that lacks something or that cannot be right.
func (s Share) Check() error {
	at, err := url.Parse(s.SourceURL)
	switch {
	case !(s.Percent >= 0 && s.Percent <= 100):
		return fault.New(fault.Invalid, "a stubble share is 0 to 100 percent")
	case s.IssuedAt.IsZero() || !believed(s.IssuedAt.UTC()):
		return fault.New(fault.Invalid, "the entry does not say when the forecast was issued")
	case !isDay(s.ValidDate) || len(s.ValidDate) != len(time.DateOnly):
		return fault.New(fault.Invalid, "the entry does not say which day the share is for, as 2026-11-13")
	case err != nil || len(s.SourceURL) > maxShareURL || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" ||
		at.User != nil:
		return fault.New(fault.Invalid,
			"the entry does not say where the share was read: an address with http or https, without a password")
	case len(s.SHA256) != 64 || strings.Trim(s.SHA256, "0123456789abcdef") != "":
		return fault.New(fault.Invalid, "the entry lacks the SHA-256 of what was looked at, in 64 small hex digits")
	case name(s.CapturedBy) == "":
		return fault.New(fault.Invalid, "the entry does not say who made it")
	}
	return nil
}

// A Warning is a reason to look at an entry again. It refuses nothing.
type Warning string

// The warnings.
const (
	ImplausibleShare Warning = "above_70_percent"     // single events have reached 65 to 69
	OutOfSeason      Warning = "out_of_season"        // above 5 percent outside 25 September to 5 December
	SystemSilent     Warning = "system_out_of_season" // the system runs from about October to February
	NotThatForecast  Warning = "day_not_of_forecast"  // forecasts reach five days ahead
)

// Limits of what is expected of the figure.
const (
	mostExpected  = 70.0
	offSeasonMost = 5.0
	forecastDays  = 5
)

// Warnings say what is odd about an entry that Check passes.
func (s Share) Warnings() []Warning {
	day, err := time.Parse(time.DateOnly, s.ValidDate)
	if err != nil {
		return nil
	}
	var out []Warning
	if s.Percent > mostExpected {
		out = append(out, ImplausibleShare)
	}
	if md := s.ValidDate[5:]; s.Percent > offSeasonMost && (md < "09-25" || md > "12-05") {
		out = append(out, OutOfSeason)
	}
	if m := day.Month(); m > time.February && m < time.October {
		out = append(out, SystemSilent)
	}
	issued := s.IssuedAt.In(india()).Format(time.DateOnly)
	first, _ := time.Parse(time.DateOnly, issued) // just written so
	if ahead := math.Round(day.Sub(first).Hours() / 24); ahead < 0 || ahead > forecastDays {
		out = append(out, NotThatForecast)
	}
	return out
}

func india() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

// Caveats are what must be printed wherever the share is used.
func Caveats() []string {
	return []string{
		"The share is a forecast of a model, not a measurement.",
		"It is of Delhi as a whole: it says nothing of one station, and nothing of which state the smoke came from.",
		"The model's inventory of emissions is of 2021.",
		"The system was suspended in 2024 over its accuracy and runs again since 5 October 2025.",
	}
}
