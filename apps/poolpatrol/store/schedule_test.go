package store

import (
	"testing"
	"time"
)

// TestTheNextTurnIsTheFirstAfterNow promises when passes are due, in the zone of the
// programme, also where clocks change and months end.
func TestTheNextTurnIsTheFirstAfterNow(t *testing.T) {
	la, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, after, month, day string
		table                   Timetable
	}{
		{"before the hour", "2026-11-01T05:59:00-08:00", "2026-11-01T06:00:00-08:00", "2026-11-01T06:00:00-08:00", Timetable{Day: 1, Hour: 6}},
		{"at the hour it is the next", "2026-11-01T06:00:00-08:00", "2026-12-01T06:00:00-08:00", "2026-11-02T06:00:00-08:00", Timetable{Day: 1, Hour: 6}},
		{"over the end of the year", "2026-12-31T23:30:00-08:00", "2027-01-28T23:00:00-08:00", "2027-01-01T23:00:00-08:00", Timetable{Day: 28, Hour: 23}},
		{"the day is that of the zone, still in summer time", "2026-11-01T04:00:00Z", "2026-11-01T07:00:00Z", "2026-11-01T07:00:00Z", Timetable{Day: 1, Hour: 0}},
		{"an hour that is left out is the one after it", "2027-03-14T00:00:00-08:00", "2027-03-14T03:00:00-07:00", "2027-03-14T03:00:00-07:00", Timetable{Day: 14, Hour: 2}},
	} {
		after, wantMonth, wantDay := moment(t, c.after), moment(t, c.month), moment(t, c.day)
		if got := c.table.nextMonth(after, la); !got.Equal(wantMonth) {
			t.Errorf("%s: the month's is %s, want %s", c.what, got, wantMonth)
		}
		if got := c.table.nextDay(after, la); !got.Equal(wantDay) {
			t.Errorf("%s: the day's is %s, want %s", c.what, got, wantDay)
		}
	}
}

// TestADayWithoutMidnightHasItsTurn promises the first hour there is where clocks
// change at midnight, and not one of the day before.
func TestADayWithoutMidnightHasItsTurn(t *testing.T) {
	for _, c := range []struct{ zone, after, want, then string }{
		{"America/Havana", "2027-03-13T12:00:00-05:00", "2027-03-14T01:00:00-04:00", "2027-03-15T00:00:00-04:00"},
		{"America/Santiago", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		after, want, then := moment(t, c.after), moment(t, c.want), moment(t, c.then)
		table := Timetable{Day: want.Day()}
		if got := table.nextMonth(after, zone); !got.Equal(want) {
			t.Errorf("%s: the month's is %s, want %s", c.zone, got.In(zone), want)
		}
		if got := table.nextDay(after, zone); !got.Equal(want) {
			t.Errorf("%s: the day's is %s, want %s", c.zone, got.In(zone), want)
		}
		if got := table.nextDay(want, zone); !got.Equal(then) {
			t.Errorf("%s: the day's after that is %s, want %s", c.zone, got.In(zone), then)
		}
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
