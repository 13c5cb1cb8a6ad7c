package aqi

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Hour is sixty minutes of the world, named by their start and counted in half
// hours since 1970: India's clock stands at half past when the world's strikes,
// so an hour there begins at minute 30 in UTC. The zero Hour is none.
type Hour int64

const (
	halfHour = 1800 // seconds
	// step is from one hour to the next.
	step Hour = 2
	// The years an hour may lie in. What lies outside is a slip of the pen.
	firstYear, lastYear = 1990, 2199

	hourForm = "2006-01-02T15:04Z"
	feedForm = "02-01-2006 15:04:05"
)

// India is the time stations and their feeds live by: five and a half hours
// ahead, the whole year.
func India() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

// HourFrom is the hour that begins at a moment, which must be a full or a half one.
func HourFrom(t time.Time) (Hour, error) {
	s := t.Unix()
	if y := t.UTC().Year(); y < firstYear || y > lastYear || s%halfHour != 0 || t.Nanosecond() != 0 {
		return 0, fault.New(fault.Invalid, "no hour of measurement begins at %s", t.UTC().Format(time.RFC3339Nano))
	}
	return Hour(s / halfHour), nil
}

// HourUntil is the hour that ends at a moment, which is how feeds name hours.
func HourUntil(t time.Time) (Hour, error) {
	h, err := HourFrom(t)
	if err != nil {
		return 0, fault.New(fault.Invalid, "no hour of measurement ends at %s", t.UTC().Format(time.RFC3339Nano))
	}
	return h - step, nil
}

// ParseHour reads the form 2025-11-13T12:30Z, the start in UTC.
func ParseHour(s string) (Hour, error) {
	t, err := time.Parse(hourForm, s)
	if err != nil || len(s) != len(hourForm) {
		return 0, fault.New(fault.Invalid, "hour %.40q: use the form 2025-11-13T12:30Z", s)
	}
	return HourFrom(t)
}

// ParseIndian reads the time of the open data feed, "21-09-2026 18:00:00". It
// carries no offset and is India's.
func ParseIndian(s string) (time.Time, error) {
	t, err := time.ParseInLocation(feedForm, s, India())
	if err != nil || len(s) != len(feedForm) || t.Year() < firstYear || t.Year() > lastYear {
		return time.Time{}, fault.New(fault.Invalid, "time %.40q: the feed writes 21-09-2026 18:00:00", s)
	}
	return t, nil
}

// Start is the moment the hour begins.
func (h Hour) Start() time.Time { return time.Unix(int64(h)*halfHour, 0).UTC() }

// End is the moment the hour is over and its readings can be known.
func (h Hour) End() time.Time { return (h + step).Start() }

// Plus is the hour so many hours later, or earlier.
func (h Hour) Plus(hours int) Hour { return h + step*Hour(hours) }

// Since is how many whole hours lie between the starts of an earlier hour and
// this one.
func (h Hour) Since(earlier Hour) int { return int((h - earlier) / step) }

// InStep reports whether two hours begin at the same minute of the clock, so that
// one can be in the same series as the other.
func (h Hour) InStep(o Hour) bool { return (h-o)%step == 0 }

// String is the form ParseHour reads, and nothing for the zero hour.
func (h Hour) String() string {
	if h == 0 {
		return ""
	}
	return h.Start().Format(hourForm)
}

// MarshalText is String.
func (h Hour) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (h *Hour) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*h = 0
		return nil
	}
	got, err := ParseHour(string(b))
	*h = got
	return err
}
