package shift_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/oracle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

// someWeek is a random schedule whose starts crowd around each other, so that
// fitting and not fitting both happen.
func someWeek(t *rapid.T, label string) []fleet.Slot {
	var out []fleet.Slot
	base := rapid.SampledFrom([]int{0, 415, 420, 1320, 1425}).Draw(t, label+" start")
	length := rapid.SampledFrom([]int{420, 480, 540}).Draw(t, label+" length")
	for day := range 7 {
		if !rapid.Bool().Draw(t, label+" works") {
			continue
		}
		at := base + rapid.IntRange(0, 70).Draw(t, label+" later")
		s := fleet.Slot{Day: fleet.DayName(day + at/fleet.DayMinutes), Start: fleet.Clock(at), End: fleet.Clock(at + length)}
		if rapid.IntRange(0, 4).Draw(t, label+" flex") == 0 {
			s.LatestStart = fleet.Clock(at + rapid.IntRange(1, 90).Draw(t, label+" band"))
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		out = madeup.Slots("Wed", fleet.Clock(base), fleet.Clock(base+length))
	}
	return out
}

// TestFormulaAgreesWithCountingMinutes promises that the overlap found by formula
// on the circle of the week is the one found by walking through the calendar
// minute by minute, for random hours, rotations and days off.
func TestFormulaAgreesWithCountingMinutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		who := madeup.Worker(1, "SHIFT_A")
		if rapid.Bool().Draw(t, "rotates") {
			turn := today + fleet.Date(rapid.IntRange(1, 13).Draw(t, "turn"))
			who.Shifts[0].Until = turn - 1
			who.Shifts = append(who.Shifts, fleet.Assignment{Shift: "SHIFT_B", From: turn})
		}
		if rapid.Bool().Draw(t, "has days off") {
			from := today + fleet.Date(rapid.IntRange(-3, 12).Draw(t, "off"))
			who.Away = []fleet.Span{{From: from, Until: from + fleet.Date(rapid.IntRange(0, 6).Draw(t, "days off"))}}
		}
		van := madeup.Van(who)
		van.Schedule = someWeek(t, "van")
		r := madeup.Records(van, []fleet.Employee{who},
			fleet.Shift{ID: "SHIFT_A", Slots: someWeek(t, "a")}, fleet.Shift{ID: "SHIFT_B", Slots: someWeek(t, "b")})
		book, err := fleet.NewBook(r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := book.Group("VP-101", madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		v, want := check.Run(shift.New(shift.Standard()), g, check.Exceptions{}), oracle.Shift(r, madeup.Now())
		if (v.Label == check.Fail) != want.Fails {
			t.Fatalf("got %s, oracle says fails=%v (%v, %s)", v.Label, want.Fails, want.Overlap, want.Reason)
		}
		if minutes, ok := want.Overlap["EMP-0001"]; ok {
			if got := about(v, "EMP-0001").Data.Get("overlap_minutes"); got != max(0, minutes) {
				t.Fatalf("overlap %v, oracle counts %d", got, minutes)
			}
		}
	})
}

// TestFittingIsMutual promises that two people with one block each fit each
// other's vans alike, and that moving both by the same time changes nothing.
func TestFittingIsMutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minute := rapid.IntRange(0, fleet.DayMinutes-1)
		day := rapid.IntRange(0, 6)
		slot := func(at, length int) []fleet.Slot {
			at = (at + fleet.WeekMinutes) % fleet.WeekMinutes
			return []fleet.Slot{{Day: fleet.DayName(at / fleet.DayMinutes), Start: fleet.Clock(at), End: fleet.Clock(at + length)}}
		}
		a := day.Draw(t, "day")*fleet.DayMinutes + minute.Draw(t, "a")
		b := a + rapid.IntRange(-90, 90).Draw(t, "apart")
		la, lb := rapid.IntRange(400, 560).Draw(t, "la"), rapid.IntRange(400, 560).Draw(t, "lb")
		moved := rapid.IntRange(0, fleet.WeekMinutes).Draw(t, "moved")
		one := overlapOf(t, slot(a, la), slot(b, lb))
		if other := overlapOf(t, slot(b, lb), slot(a, la)); other != one {
			t.Fatalf("%v one way, %v the other", one, other)
		}
		if later := overlapOf(t, slot(a+moved, la), slot(b+moved, lb)); later != one {
			t.Fatalf("%v, but %v %d minutes later", one, later, moved)
		}
	})
}

func overlapOf(t *rapid.T, van, rider []fleet.Slot) any {
	who := madeup.Worker(1, "SHIFT_TESTED")
	v := madeup.Van(who)
	v.Schedule = van
	book, err := fleet.NewBook(madeup.Records(v, []fleet.Employee{who}, fleet.Shift{ID: "SHIFT_TESTED", Slots: rider}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", madeup.Now())
	if err != nil {
		t.Fatal(err)
	}
	return about(check.Run(shift.New(shift.Standard()), g, check.Exceptions{}), "EMP-0001").Data.Get("overlap_minutes")
}
