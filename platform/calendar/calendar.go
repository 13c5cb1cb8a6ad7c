// Package calendar says when something that comes again and again comes next: every few
// hours, or every day or month at an hour of a zone. It only computes; package timetable
// keeps what it says.
//
// Read Plan.After, then Slot: what comes by itself, what is owed of it, and what is not.
package calendar

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Unit is what a plan counts in.
type Unit string

// The units.
const (
	Hours  Unit = "hours"
	Days   Unit = "day"
	Months Unit = "month"
)

// A Plan says when something comes.
type Plan struct {
	Each  Unit
	Hours int // for Hours: at midnight UTC, and every so many hours after; a day has a whole number of them
	Day   int // for Months: 1 to 28, which every month has
	Hour  int // for Days and Months: 0 to 23, in a zone that is told when it is asked
}

// Check says what is wrong with a plan.
func (p Plan) Check() error {
	switch {
	case p.Each == Hours && (p.Hours < 1 || 24%p.Hours != 0):
		return fault.New(fault.Invalid, "a day is not made of pieces of %d hours", p.Hours)
	case p.Each == Months && (p.Day < 1 || p.Day > 28):
		return fault.New(fault.Invalid, "the day of the month is 1 to 28, which every month has, not %d", p.Day)
	case p.Each != Hours && (p.Hour < 0 || p.Hour > 23):
		return fault.New(fault.Invalid, "the hour is 0 to 23, not %d", p.Hour)
	}
	return nil
}

// After is the first moment of the plan after another.
func (p Plan) After(at time.Time, zone *time.Location) time.Time {
	if p.Each == Hours {
		every := time.Duration(p.Hours) * time.Hour
		return at.UTC().Truncate(every).Add(every)
	}
	y, m, d := at.In(zone).Date()
	for n := 0; ; n++ {
		next := p.hourOf(y, m, d+n, zone)
		if p.Each == Months {
			next = p.hourOf(y, m+time.Month(n), p.Day, zone)
		}
		if next.After(at) {
			return next.UTC()
		}
	}
}

// hourOf is the plan's hour on a day. An hour that a change of clocks leaves out is the one
// after it, also where that is the first of the day.
func (p Plan) hourOf(y int, m time.Month, d int, zone *time.Location) time.Time {
	at := time.Date(y, m, d, p.Hour, 0, 0, 0, zone)
	if at.Hour() < p.Hour || at.Day() != time.Date(y, m, d, 12, 0, 0, 0, zone).Day() {
		at = at.Add(time.Hour)
	}
	return at
}

// again is when something that was put off is tried next: the next day, or sooner where
// it comes more often.
func (p Plan) again(at time.Time, zone *time.Location) time.Time {
	if p.Each == Months {
		p.Each = Days
	}
	return p.After(at, zone)
}
