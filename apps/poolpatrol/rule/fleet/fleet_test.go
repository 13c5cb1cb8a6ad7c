package fleet_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestIDsHaveOneForm promises which ids are taken.
func TestIDsHaveOneForm(t *testing.T) {
	ok := func(_ any, err error) bool { return err == nil }
	for _, tt := range []struct {
		id   string
		got  bool
		want bool
	}{
		{"EMP-1006", ok(fleet.ParseEmployee("EMP-1006")), true}, {"EMP-106", ok(fleet.ParseEmployee("EMP-106")), false},
		{"emp-1006", ok(fleet.ParseEmployee("emp-1006")), false}, {"EMP-1006\n", ok(fleet.ParseEmployee("EMP-1006\n")), false},
		{"VP-101", ok(fleet.ParseVanpool("VP-101")), true}, {"VP-11", ok(fleet.ParseVanpool("VP-11")), false},
		{"SHIFT_DAY_2", ok(fleet.ParseShift("SHIFT_DAY_2")), true}, {"SHIFT_day", ok(fleet.ParseShift("SHIFT_day")), false},
		{"PLANT-1", ok(fleet.ParseSite("PLANT-1")), true}, {"1", ok(fleet.ParseSite("1")), false},
		{"CASE-A3F8B291", ok(fleet.ParseCase("CASE-A3F8B291")), true}, {"CASE-a3f8b291", ok(fleet.ParseCase("CASE-a3f8b291")), false},
		{"CASE-A3F8B29", ok(fleet.ParseCase("CASE-A3F8B29")), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%q: taken %v, want %v", tt.id, tt.got, tt.want)
		}
	}
	if got := fleet.NewCase([4]byte{0xA3, 0xF8, 0xB2, 0x91}); got != "CASE-A3F8B291" {
		t.Errorf("got %s", got)
	}
}

// FuzzParse promises that whatever is parsed prints as it was written.
func FuzzParse(f *testing.F) {
	f.Add("07:05", "2026-03-08", "CASE-A3F8B291")
	f.Add("24:00", "2026-02-30", "case")
	f.Fuzz(func(t *testing.T, clock, date, id string) {
		if m, err := fleet.ParseClock(clock); err == nil && fleet.Clock(m) != clock {
			t.Errorf("time %q became %q", clock, fleet.Clock(m))
		}
		if d, err := fleet.ParseDate(date); err == nil && d.String() != date {
			t.Errorf("date %q became %q", date, d)
		}
		if c, err := fleet.ParseCase(id); err == nil && string(c) != id {
			t.Errorf("case %q became %q", id, c)
		}
	})
}

// TestDatesAreDaysOfTheCalendar promises weekdays, arithmetic and the day it is
// somewhere, also in the night the clocks change.
func TestDatesAreDaysOfTheCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := fleet.NewDate(1990, 1, 1) + fleet.Date(rapid.IntRange(0, 76_000).Draw(t, "day"))
		day := d.Day()
		if want := (int(day.Weekday()) + 6) % 7; d.Weekday() != want {
			t.Fatalf("%s is day %d, want %d", d, d.Weekday(), want)
		}
		if next := (d + 1).Day(); !next.Equal(day.AddDate(0, 0, 1)) {
			t.Fatalf("after %s comes %s", d, next)
		}
		var back fleet.Date
		if b, err := d.MarshalText(); err != nil || back.UnmarshalText(b) != nil || back != d {
			t.Fatalf("%s came back as %s", d, back)
		}
	})
	west, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"2026-03-08T07:59:59Z": "2026-03-07", "2026-03-08T08:00:00Z": "2026-03-08", // still winter time at midnight
		"2026-03-09T06:59:59Z": "2026-03-08", "2026-03-09T07:00:00Z": "2026-03-09", // summer time
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := fleet.DateAt(moment, west).String(); got != want {
			t.Errorf("at %s it is %s, want %s", at, got, want)
		}
	}
}

// TestAWeekIsReadAsWritten promises midnight, split days, flexible starts and the
// refusal of what cannot be read.
func TestAWeekIsReadAsWritten(t *testing.T) {
	slot := func(day, start, end, latest string) fleet.Slot {
		return fleet.Slot{Day: day, Start: start, End: end, LatestStart: latest}
	}
	for _, tt := range []struct {
		name  string
		slots []fleet.Slot
		want  string
		flags string
	}{
		{"a day", []fleet.Slot{slot("Mon", "07:00", "16:00", "")}, "Mon 07:00-16:00", ""},
		{"over midnight", []fleet.Slot{slot("Sun", "22:00", "06:00", "")}, "Sun 22:00-06:00", ""},
		{"all round the clock", []fleet.Slot{slot("Tue", "08:00", "08:00", "")}, "Tue 08:00-08:00", ""},
		{"split", []fleet.Slot{slot("Mon", "13:00", "17:00", ""), slot("Mon", "08:00", "11:00", "")}, "Mon 08:00-17:00", "split"},
		{"split over midnight", []fleet.Slot{slot("Mon", "18:00", "20:00", ""), slot("Mon", "22:00", "02:00", "")}, "Mon 18:00-02:00",
			"split"},
		{"flexible", []fleet.Slot{slot("Fri", "07:00", "15:00", "09:30")}, "Fri 07:00-15:00 (start up to 09:30)", "flex"},
		{"days in any order", []fleet.Slot{slot("Fri", "07:00", "15:00", ""), slot("Mon", "07:00", "16:00", ""),
			slot("Tue", "07:00", "16:00", "")},
			"Mon Tue 07:00-16:00, Fri 07:00-15:00", ""},
		{"no such day", []fleet.Slot{slot("Monday", "07:00", "16:00", "")}, "", ""},
		{"no such time", []fleet.Slot{slot("Mon", "7:00", "16:00", "")}, "", ""},
		{"no such end", []fleet.Slot{slot("Mon", "07:00", "24:00", "")}, "", ""},
		{"no such latest start", []fleet.Slot{slot("Mon", "07:00", "16:00", "noon")}, "", ""},
		{"nothing", nil, "", ""},
		{"too much", make([]fleet.Slot, 29), "", ""},
	} {
		w, err := fleet.ReadWeek(tt.slots)
		if (err != nil) != (tt.want == "") || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := w.Hours(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		for _, b := range w.Blocks {
			if b.Length < 1 {
				t.Errorf("%s: a day of %d minutes", tt.name, b.Length)
			}
		}
		if w.Split != (tt.flags == "split") || w.Flex != (tt.flags == "flex") {
			t.Errorf("%s: split %v, flexible %v", tt.name, w.Split, w.Flex)
		}
	}
}

// TestTheLaterAssignmentHolds promises which shift counts on a day.
func TestTheLaterAssignmentHolds(t *testing.T) {
	e := fleet.Employee{Shifts: []fleet.Assignment{{Shift: "SHIFT_B", From: 120, Until: 130}, {Shift: "SHIFT_A", From: 100}}}
	for d, want := range map[fleet.Date]fleet.ShiftID{99: "", 100: "SHIFT_A", 119: "SHIFT_A", 120: "SHIFT_B", 130: "SHIFT_B",
		131: "SHIFT_A"} {
		if got, ok := e.ShiftOn(d); got != want || ok != (want != "") {
			t.Errorf("on day %d: got %q, want %q", d, got, want)
		}
	}
}

// TestBackIsTheFirstDayNotAway promises that absences in a row count as one, and
// that one without an end has none.
func TestBackIsTheFirstDayNotAway(t *testing.T) {
	e := fleet.Employee{Away: []fleet.Span{{From: 110, Until: 112}, {From: 100, Until: 109}, {From: 120}}}
	for d, want := range map[fleet.Date]fleet.Date{99: 99, 100: 113, 111: 113, 113: 113, 125: 0} {
		if got := e.BackAfter(d); got != want {
			t.Errorf("from day %d: back on %d, want %d", d, got, want)
		}
	}
}

// TestRecordsThatDoNotHangTogetherAreRefused promises what a book is not made of.
func TestRecordsThatDoNotHangTogetherAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*fleet.Records){
		"bad employee id":   func(r *fleet.Records) { r.Employees[0].ID = "E1" },
		"bad shift id":      func(r *fleet.Records) { r.Shifts[0].ID = "day" },
		"bad site id":       func(r *fleet.Records) { r.Sites[0].ID = "" },
		"bad vanpool id":    func(r *fleet.Records) { r.Vanpools[0].ID = "101" },
		"an employee twice": func(r *fleet.Records) { r.Employees = append(r.Employees, r.Employees[0]) },
		"a vanpool twice":   func(r *fleet.Records) { r.Vanpools = append(r.Vanpools, r.Vanpools[0]) },
		"a bus":             func(r *fleet.Records) { r.Vanpools[0].Riders = make([]fleet.Rider, fleet.MaxRiders+1) },
	} {
		who := madeup.Worker(1, "SHIFT_DAY")
		r := madeup.Records(madeup.Van(who), []fleet.Employee{who})
		spoil(&r)
		if _, err := fleet.NewBook(r); err == nil {
			t.Errorf("%s: a book was made", name)
		}
	}
}

// TestAGroupIsWhoRidesNow promises that removed riders are left out, and that
// somebody can be thought in without changing the group.
func TestAGroupIsWhoRidesNow(t *testing.T) {
	riders := []fleet.Employee{madeup.Worker(1, "SHIFT_DAY"), madeup.Worker(2, "SHIFT_DAY"), madeup.Worker(3, "SHIFT_DAY")}
	van := madeup.Van(riders...)
	van.Riders[1].Removed = 20_000
	book, err := fleet.NewBook(madeup.Records(van, riders))
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", madeup.Now())
	if err != nil || len(g.Riders) != 2 || g.Riders[1].ID != "EMP-0003" {
		t.Fatalf("got %d riders, %v", len(g.Riders), err)
	}
	e, _ := book.Employee("EMP-0002")
	if more := g.With(e); len(more.Riders) != 3 || len(g.Riders) != 2 {
		t.Errorf("with one more there are %d, without %d", len(more.Riders), len(g.Riders))
	}
	if _, err := book.Group("VP-999", madeup.Now()); !fault.Is(err, fault.NotFound) {
		t.Errorf("a van that does not exist: %v", err)
	}
}

// TestMilesPrintWhatIsCompared promises hundredths, and that what is no distance
// is none.
func TestMilesPrintWhatIsCompared(t *testing.T) {
	for in, want := range map[float64]string{0: "0", 50: "50", 50.004: "50", 50.006: "50.01", 6.1: "6.1", -1: "-0.01", 40_000: "-0.01"} {
		if got := fleet.ToMiles(in).String(); got != want {
			t.Errorf("%f: got %s, want %s", in, got, want)
		}
	}
	var m fleet.Miles
	b, err := json.Marshal(fleet.ToMiles(61.25))
	if err != nil || string(b) != "61.25" || json.Unmarshal(b, &m) != nil || m != 6125 {
		t.Errorf("got %s, %d, %v", b, m, err)
	}
}

// TestRecordsSurviveJSON promises that a snapshot read back is the same snapshot.
func TestRecordsSurviveJSON(t *testing.T) {
	town := madeup.Plan{Seed: 4, Vans: 5, Riders: 4, Percent: 50}.Build()
	one, err := json.Marshal(town.Records)
	if err != nil {
		t.Fatal(err)
	}
	var back fleet.Records
	dec := json.NewDecoder(strings.NewReader(string(one)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&back); err != nil {
		t.Fatal(err)
	}
	if two, _ := json.Marshal(back); string(two) != string(one) {
		t.Error("records changed on the way")
	}
}
