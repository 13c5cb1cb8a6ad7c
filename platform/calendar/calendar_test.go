package calendar_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/calendar"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestTheNextMomentIsTheFirstAfterNow promises when things come, in their zone, also
// where clocks change and months end.
func TestTheNextMomentIsTheFirstAfterNow(t *testing.T) {
	const la, havana, santiago = "America/Los_Angeles", "America/Havana", "America/Santiago"
	for _, c := range []struct {
		what, zone string
		plan       calendar.Plan

		after, month, day string
	}{
		{"before the hour", la, calendar.Plan{Day: 1, Hour: 6},
			"2026-11-01T05:59:00-08:00", "2026-11-01T06:00:00-08:00", "2026-11-01T06:00:00-08:00"},
		{"at the hour it is the next", la, calendar.Plan{Day: 1, Hour: 6},
			"2026-11-01T06:00:00-08:00", "2026-12-01T06:00:00-08:00", "2026-11-02T06:00:00-08:00"},
		{"over the end of the year", la, calendar.Plan{Day: 28, Hour: 23},
			"2026-12-31T23:30:00-08:00", "2027-01-28T23:00:00-08:00", "2027-01-01T23:00:00-08:00"},
		{"the day is that of the zone, still in summer time", la, calendar.Plan{Day: 1},
			"2026-11-01T04:00:00Z", "2026-11-01T07:00:00Z", "2026-11-01T07:00:00Z"},
		{"an hour that is left out is the one after it", la, calendar.Plan{Day: 14, Hour: 2},
			"2027-03-14T00:00:00-08:00", "2027-03-14T03:00:00-07:00", "2027-03-14T03:00:00-07:00"},
		{"a day without midnight has its first hour", havana, calendar.Plan{Day: 14},
			"2027-03-13T12:00:00-05:00", "2027-03-14T01:00:00-04:00", "2027-03-14T01:00:00-04:00"},
		{"and the day after it its midnight", havana, calendar.Plan{Day: 14},
			"2027-03-14T01:00:00-04:00", "2027-04-14T00:00:00-04:00", "2027-03-15T00:00:00-04:00"},
		{"also in the south", santiago, calendar.Plan{Day: 6},
			"2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00", "2026-09-06T01:00:00-03:00"},
	} {
		zone := zoneOf(t, c.zone)
		for each, want := range map[calendar.Unit]string{calendar.Months: c.month, calendar.Days: c.day} {
			c.plan.Each = each
			if got := c.plan.After(moment(t, c.after), zone); !got.Equal(moment(t, want)) {
				t.Errorf("%s: each %s it is %s, want %s", c.what, each, got.In(zone), want)
			}
		}
	}
	six := calendar.Plan{Each: calendar.Hours, Hours: 6}
	for after, want := range map[string]string{"2026-11-14T05:59:59Z": "2026-11-14T06:00:00Z",
		"2026-11-14T06:00:00Z":      "2026-11-14T12:00:00Z",
		"2026-11-14T23:30:00+05:30": "2026-11-15T00:00:00Z"} {
		if got := six.After(moment(t, after), zoneOf(t, "Asia/Kolkata")); !got.Equal(moment(t, want)) {
			t.Errorf("every six hours: after %s comes %s, want %s", after, got, want)
		}
	}
}

// plans draws a plan that is in order.
func plans() *rapid.Generator[calendar.Plan] {
	return rapid.Custom(func(t *rapid.T) calendar.Plan {
		return calendar.Plan{Each: rapid.SampledFrom([]calendar.Unit{calendar.Hours, calendar.Days, calendar.Months}).Draw(t, "each"),
			Hours: rapid.SampledFrom([]int{1, 2, 3, 4, 6, 8, 12, 24}).Draw(t, "hours"),
			Day:   rapid.IntRange(1, 28).Draw(t, "day"), Hour: rapid.IntRange(0, 23).Draw(t, "hour")}
	})
}

func zones() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"UTC", "Asia/Kolkata", "America/Los_Angeles", "America/Havana",
		"America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Europe/Berlin", "Africa/Casablanca"})
}

func moments() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(1_600_000_000, 2_200_000_000).Draw(t, "seconds"), 0).UTC()
	})
}

// TestMomentsOfAPlanAreInOrderAndNoneIsLost promises that the next moment is after now, that
// asking from any time before it gives the same, that it has the plan's hour and day, and
// that it comes within the plan's time.
func TestMomentsOfAPlanAreInOrderAndNoneIsLost(t *testing.T) {
	const day = 24 * time.Hour
	most := map[calendar.Unit]time.Duration{calendar.Hours: day, calendar.Days: 2*day + time.Hour, calendar.Months: 32 * day}
	rapid.Check(t, func(t *rapid.T) {
		p, at := plans().Draw(t, "plan"), moments().Draw(t, "at")
		zone, err := time.LoadLocation(zones().Draw(t, "zone"))
		if err != nil || p.Check() != nil {
			t.Fatal(err, p.Check())
		}
		next := p.After(at, zone)
		if wait := next.Sub(at); wait <= 0 || wait > most[p.Each] {
			t.Fatalf("after %s comes %s", at, next)
		}
		between := at.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(at)-1)).Draw(t, "between")))
		if again := p.After(between, zone); !again.Equal(next) {
			t.Fatalf("from %s it is %s, from %s it is %s", at, next, between, again)
		}
		if !p.After(next, zone).After(next) {
			t.Fatalf("after %s comes %s", next, p.After(next, zone))
		}
		local := next.In(zone)
		if p.Each == calendar.Months && local.Day() != p.Day {
			t.Fatalf("on day %d it comes at %s", p.Day, local)
		}
		if p.Each != calendar.Hours && local.Hour() != p.Hour && local.Hour() != (p.Hour+1)%24 {
			t.Fatalf("at hour %d it comes at %s", p.Hour, local)
		}
	})
}

// TestWhatIsMissedIsTakenOnceAndWhatIsOwedStays promises, of any course of events, that what
// is due is due until it is taken or left out, that afterwards nothing is until the next
// moment, that a pause ends everything and is not made up for, and that a change of plan
// loses nothing that is owed.
func TestWhatIsMissedIsTakenOnceAndWhatIsOwedStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(zones().Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := moments().Draw(t, "at")
		s := calendar.Slot{On: true, Plan: plans().Draw(t, "plan")}
		s.Look(at, zone)
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			at = at.Add(time.Duration(rapid.Int64Range(1, 90*24*3600).Draw(t, "seconds")) * time.Second)
			due, owed := s.Due(at), s.Owed
			switch rapid.SampledFrom([]string{"take", "leave", "put off", "change", "pause"}).Draw(t, "event") {
			case "take":
				s.Take("x", at, zone)
			case "leave":
				s.LeaveOut("running", at, zone)
			case "put off":
				if s.PutOff("stale", at, zone); s.Next.Sub(at) > 49*time.Hour || !s.Owed {
					t.Fatalf("put off at %s: %+v", at, s)
				}
			case "change":
				s.Change(true, plans().Draw(t, "another"), at, zone)
				if due != s.Due(at) || owed != s.Owed || owed && !due && s.Next.Sub(at) > 49*time.Hour {
					t.Fatalf("changed at %s: %+v", at, s)
				}
				continue
			case "pause":
				s.Change(false, s.Plan, at, zone)
				if s.Due(at.AddDate(9, 0, 0)) || s.Next != nil || s.Note != "" {
					t.Fatalf("paused: %+v", s)
				}
				s.Change(true, s.Plan, at, zone)
			}
			if s.Due(at) || s.Next == nil || !s.Due(*s.Next) {
				t.Fatalf("at %s: %+v", at, s)
			}
		}
	})
}

// TestAPlanThatCannotBeKeptIsRefused promises words for what is wrong.
func TestAPlanThatCannotBeKeptIsRefused(t *testing.T) {
	for _, p := range []calendar.Plan{{Each: calendar.Hours}, {Each: calendar.Hours, Hours: 5}, {Each: calendar.Months, Hour: 3},
		{Each: calendar.Months, Day: 29},
		{Each: calendar.Days, Hour: 24}, {Each: calendar.Days, Hour: -1}} {
		if p.Check() == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
