package fire

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// MaxDays is how many days one request to the fire service may cover.
const MaxDays = 5

// A Span is the days of one request: so many from one on, in UTC.
type Span struct {
	From string `json:"from"` // as 2026-11-13
	Days int    `json:"days"`
}

// maxAsked bounds what is asked for at once: a year.
const maxAsked = 366

// Spans cuts the UTC days that touch a time, its end not included, into requests
// the service will answer. The service counts in UTC days, so a day in India
// needs two of them.
func Spans(from, to time.Time) ([]Span, error) { return SpansOf(from, to, MaxDays) }

// SpansOf is Spans for requests of so many days at most.
func SpansOf(from, to time.Time, most int) ([]Span, error) {
	if !from.Before(to) {
		return nil, fault.New(fault.Invalid, "the end of what is asked for comes before its beginning")
	}
	first := from.UTC().Truncate(24 * time.Hour)
	last := to.UTC().Add(-1).Truncate(24 * time.Hour)
	days := int(last.Sub(first)/(24*time.Hour)) + 1
	if days > maxAsked || from.UTC().Year() < firstYear || to.UTC().Year() > lastYear {
		return nil, fault.New(fault.TooLarge, "fires are asked for at most %d days at once, in the years %d to %d", maxAsked, firstYear,
			lastYear)
	}
	var out []Span
	for at := 0; at < days; at += most {
		out = append(out, Span{From: first.AddDate(0, 0, at).Format(time.DateOnly), Days: min(most, days-at)})
	}
	return out, nil
}
