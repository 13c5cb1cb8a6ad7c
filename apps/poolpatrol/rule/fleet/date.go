package fleet

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Date is a calendar day, counted from 1 January 1970. The zero Date is none.
type Date int32

// The years a date may lie in. What lies outside is a slip of the pen.
const (
	firstYear = 1990
	lastYear  = 2199
)

const dateForm = "2006-01-02"

// NewDate is a day of the calendar.
func NewDate(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

// ParseDate reads a day written as 2026-03-08.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(dateForm, s)
	if err != nil || t.Year() < firstYear || t.Year() > lastYear {
		return 0, fault.New(fault.Invalid, "date %.40q: use the form 2026-03-08, from %d to %d", s, firstYear, lastYear)
	}
	return NewDate(t.Date()), nil
}

// DateAt is the day it is somewhere at a moment.
func DateAt(t time.Time, zone *time.Location) Date { return NewDate(t.In(zone).Date()) }

// Day is the date's midnight in UTC, for its year, month and day.
func (d Date) Day() time.Time { return time.Unix(int64(d)*86_400, 0).UTC() }

// Weekday is the day of the week, Monday first: 0 to 6.
func (d Date) Weekday() int { return ((int(d)+3)%7 + 7) % 7 }

// String is the form ParseDate reads, and nothing for the zero date.
func (d Date) String() string {
	if d == 0 {
		return ""
	}
	return d.Day().Format(dateForm)
}

// MarshalText is String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Date) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = 0
		return nil
	}
	got, err := ParseDate(string(b))
	*d = got
	return err
}

// A Point is a place on the ground in degrees.
type Point struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// Valid reports whether the point is on the globe. Latitude and longitude both
// exactly zero is how feeds write "unknown".
func (p Point) Valid() bool {
	return p.Lat >= -90 && p.Lat <= 90 && p.Lng >= -180 && p.Lng <= 180 && p != (Point{})
}
