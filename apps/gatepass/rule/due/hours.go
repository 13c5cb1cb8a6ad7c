package due

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Hours is when a site is at work. Where no day has any it is at work always: a clock that never runs would
// remind nobody.
type Hours struct {
	Zone *time.Location
	Week [7][]Span // by time.Weekday, in order; a shift through the night is one span before midnight and one after
}

// A Span is a part of a day, from its first moment to before its last: 9h to 17h30m. Both are hours of the clock on
// the wall.
type Span struct {
	From, Until time.Duration
}

// Check says what is wrong with hours.
func (h Hours) Check() error {
	if h.Zone == nil {
		return fault.New(fault.Invalid, "hours of a site without its time zone").On("zone", "required", "")
	}
	for day, spans := range h.Week {
		end := time.Duration(-1)
		for _, s := range spans {
			if s.From < 0 || s.Until > 24*time.Hour || s.From >= s.Until || s.From < end {
				return fault.New(fault.Invalid, "the hours of %s overlap, or end before they begin", time.Weekday(day)).
					On("hours", "order", time.Weekday(day).String())
			}
			end = s.Until
		}
	}
	return nil
}

func (h Hours) always() bool {
	for _, spans := range h.Week {
		if len(spans) > 0 {
			return false
		}
	}
	return true
}

// After is the moment by which a site has been at work for so long since another. Time counts only while it is.
func (h Hours) After(start time.Time, worked time.Duration) time.Time {
	if worked <= 0 {
		return start
	}
	if h.always() {
		return start.Add(worked)
	}
	for day := 0; ; day++ {
		for _, open := range h.on(start, day) {
			from := later(open.from, start)
			if length := open.until.Sub(from); length >= worked {
				return from.Add(worked).UTC()
			} else if length > 0 {
				worked -= length
			}
		}
	}
}

// Worked is how long a site was at work between two moments.
func (h Hours) Worked(start, end time.Time) time.Duration {
	if !end.After(start) {
		return 0
	}
	if h.always() {
		return end.Sub(start)
	}
	var worked time.Duration
	for day := 0; ; day++ {
		y, m, d := start.In(h.Zone).Date()
		if time.Date(y, m, d+day, 0, 0, 0, 0, h.Zone).After(end) {
			return worked
		}
		for _, open := range h.on(start, day) {
			until := open.until
			if end.Before(until) {
				until = end
			}
			if length := until.Sub(later(open.from, start)); length > 0 {
				worked += length
			}
		}
	}
}

type opening struct{ from, until time.Time }

// on is when the site is at work on the day of a moment, or so many days after.
func (h Hours) on(start time.Time, after int) []opening {
	y, m, d := start.In(h.Zone).Date()
	wall := func(t time.Duration) time.Time {
		return time.Date(y, m, d+after, 0, 0, 0, 0, h.Zone).Add(t - h.shift(y, m, d+after, t))
	}
	var all []opening
	for _, s := range h.Week[time.Date(y, m, d+after, 12, 0, 0, 0, time.UTC).Weekday()] {
		all = append(all, opening{wall(s.From), wall(s.Until)})
	}
	return all
}

// shift is by how much the clocks of a day were put forward before an hour of it.
func (h Hours) shift(y int, m time.Month, d int, t time.Duration) time.Duration {
	begin := time.Date(y, m, d, 0, 0, 0, 0, h.Zone)
	_, before := begin.Zone()
	_, then := begin.Add(t).Zone()
	return time.Duration(then-before) * time.Second
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
