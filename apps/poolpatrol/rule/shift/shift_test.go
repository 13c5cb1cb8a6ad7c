package shift_test

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

func workers(shifts ...fleet.ShiftID) []fleet.Employee {
	out := make([]fleet.Employee, len(shifts))
	for i, s := range shifts {
		out[i] = madeup.Worker(i+1, s)
	}
	return out
}

func kinds(v check.Verdict) []string {
	var out []string
	for _, e := range v.Evidence() {
		if !slices.Contains(out, e.Type) {
			out = append(out, e.Type)
		}
	}
	return out
}

var today = fleet.NewDate(2026, 3, 2) // at madeup.Now, a Monday

// TestEachKindOfRosterGetsItsVerdict holds the table of inputs and answers: what
// the roster is like, and the verdict, confidence and evidence it must get.
func TestEachKindOfRosterGetsItsVerdict(t *testing.T) {
	const day, night, swing = "SHIFT_DAY", "SHIFT_NIGHT", "SHIFT_SWING"
	off := func(from, until fleet.Date) []fleet.Span { return []fleet.Span{{From: from, Until: until}} }
	for _, tt := range []struct {
		name       string
		riders     []fleet.Employee
		change     func(r *fleet.Records)
		label      check.Label
		confidence check.Confidence
		evidence   string
		route      check.Route
		findings   int
	}{
		{"all fit", workers(day, day, day), nil, check.Pass, 5, "vanpool_majority_shift", "", 0},
		{"one of four does not", workers(day, day, day, night), nil, check.Fail, 5, shift.Mismatch, check.ToRider, 1},
		{"one of three does not: a weaker majority", workers(day, day, swing), nil, check.Fail, 4, shift.Mismatch, check.ToRider, 1},
		{"one of three against a schedule", workers(day, day, swing),
			func(r *fleet.Records) { r.Vanpools[0].Schedule = madeup.Day().Slots }, check.Fail, 5, shift.Mismatch, check.ToRider, 1},
		{"a schedule counts before a majority", workers(day, day, day),
			func(r *fleet.Records) { r.Vanpools[0].Schedule = madeup.Night().Slots }, check.Fail, 5, shift.Mismatch, check.ToRider, 3},
		{"one rider", workers(night), nil, check.Pass, 4, "single_rider", "", 0},
		{"no riders", nil, nil, check.Fail, 1, check.EmptyRoster, check.ToData, 1},
		{"a tie", workers(day, day, night, night), nil, check.Fail, 2, shift.NoMajority, check.ToDesk, 1},
		{"a largest group that is not more than half", workers(day, day, night, swing), nil, check.Fail, 2, shift.NoMajority, check.ToDesk,
			1},
		{"no shift", workers(day, day, day), func(r *fleet.Records) { r.Employees[1].Shifts = nil }, check.Fail, 1, check.DataMissing,
			check.ToData, 1},
		{"a shift nobody knows", workers(day, day, "SHIFT_GONE"), nil, check.Fail, 1, check.DataMissing, check.ToData, 1},
		{"a time that cannot be read", workers(day, day, "SHIFT_ODD"), func(r *fleet.Records) {
			r.Shifts = append(r.Shifts, fleet.Shift{ID: "SHIFT_ODD", Slots: madeup.Slots("Mon", "7am", "16:00")})
		}, check.Fail, 1, check.DataMissing, check.ToData, 1},
		{"a schedule that cannot be read", workers(day, day),
			func(r *fleet.Records) { r.Vanpools[0].Schedule = madeup.Slots("Mon", "25:00", "16:00") }, check.Fail, 1, check.DataMissing,
			check.ToData, 1},
		{"somebody who has left", workers(day, day, day),
			func(r *fleet.Records) { r.Employees[2].Standing = fleet.Inactive }, check.Fail, 5, "separated_employee", check.ToDesk, 1},
		{"away throughout", workers(day, day, night),
			func(r *fleet.Records) { r.Employees[2].Away = off(today-3, today+20) }, check.Pass, 5, "pto", "", 0},
		{"on leave", workers(day, day, night),
			func(r *fleet.Records) { r.Employees[2].Standing = fleet.OnLeave }, check.Pass, 5, "pto", "", 0},
		{"all away", workers(day, day), func(r *fleet.Records) {
			r.Employees[0].Away, r.Employees[1].Standing = off(today, today+15), fleet.OnLeave
		}, check.Pass, 2, "pto", "", 0},
		{"away for some days", workers(day, day, day),
			func(r *fleet.Records) { r.Employees[2].Away = off(today, today+2) }, check.Pass, 4, "pto", "", 0},
		{"away for some days and not fitting", workers(day, day, day, night),
			func(r *fleet.Records) { r.Employees[3].Away = off(today, today+2) }, check.Fail, 4, "pto", check.ToRider, 1},
		{"changes shift next week, most days fit", workers(day, day, day, day), rotate(3, today+9, night), check.Pass, 3, "rotation", "",
			0},
		{"changes shift at once, most days do not fit", workers(day, day, day, day), rotate(3, today+2, night), check.Fail, 3,
			"rotation", check.ToRider, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := madeup.Records(madeup.Van(tt.riders...), tt.riders)
			if tt.change != nil {
				tt.change(&r)
			}
			v := run(t, shift.Standard(), r)
			if v.Label != tt.label || v.Confidence != tt.confidence || len(v.Findings) != tt.findings {
				t.Errorf("got %s %d with %d findings, want %s %d with %d: %+v", v.Label, v.Confidence, len(v.Findings), tt.label,
					tt.confidence, tt.findings, v)
			}
			if !slices.Contains(kinds(v), tt.evidence) {
				t.Errorf("evidence is %v, want %s among it", kinds(v), tt.evidence)
			}
			for _, f := range v.Findings {
				if f.Route != tt.route {
					t.Errorf("finding %s goes to %q, want %q", f.Kind, f.Route, tt.route)
				}
			}
			if v.Rule != shift.Version || v.Vanpool != "VP-101" || len(v.Evidence()) == 0 {
				t.Errorf("verdict does not say by which rule, on which van and on what: %+v", v)
			}
		})
	}
}

// rotate gives somebody another shift from a day on.
func rotate(i int, from fleet.Date, to fleet.ShiftID) func(*fleet.Records) {
	return func(r *fleet.Records) {
		r.Employees[i].Shifts[0].Until = from - 1
		r.Employees[i].Shifts = append(r.Employees[i].Shifts, fleet.Assignment{Shift: to, From: from})
	}
}

// TestAnUnknownRiderIsAnErrorAndNoVerdict promises that a typing error in a
// roster accuses nobody.
func TestAnUnknownRiderIsAnErrorAndNoVerdict(t *testing.T) {
	riders := workers("SHIFT_DAY")
	r := madeup.Records(madeup.Van(riders...), riders)
	r.Vanpools[0].Riders = append(r.Vanpools[0].Riders, fleet.Rider{Employee: "EMP-7777"})
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Group("VP-101", madeup.Now()); err == nil {
		t.Error("a group with an unknown rider was put together")
	}
}

// TestFlexibleHoursMoveAsAWhole promises that somebody who may begin later also
// ends later: a band does not stretch the day.
func TestFlexibleHoursMoveAsAWhole(t *testing.T) {
	flex := func(end string) []fleet.Slot {
		s := madeup.Slots(weekdays, "06:00", end)
		for i := range s {
			s[i].LatestStart = "10:00"
		}
		return s
	}
	for _, tt := range []struct {
		name     string
		end, van string
		overlap  int
		label    check.Label
	}{
		{"nine hours, van runs nine hours later in the band", "15:00", "17:00", 60, check.Pass},
		{"eight hours, van nine: half an hour off at each end", "14:00", "17:00", 30, check.Pass},
		{"seven hours, van nine: an hour off at each end", "13:00", "17:00", 0, check.Fail},
	} {
		v := judge(t, madeup.Slots(weekdays, "08:00", tt.van), flex(tt.end))
		if got := about(v, "EMP-0001").Data.Get("overlap_minutes"); got != tt.overlap || v.Label != tt.label {
			t.Errorf("%s: got %s with %v minutes, want %s with %d", tt.name, v.Label, got, tt.label, tt.overlap)
		}
		if v.Confidence != 3 {
			t.Errorf("%s: confidence %d, want 3", tt.name, v.Confidence)
		}
	}
}

// TestASplitDayCountsFromFirstStartToLastEnd promises that a pause at noon makes
// nobody a different commuter.
func TestASplitDayCountsFromFirstStartToLastEnd(t *testing.T) {
	split := madeup.Join(madeup.Slots(weekdays, "12:30", "16:00"), madeup.Slots(weekdays, "07:00", "11:00"))
	v := judge(t, madeup.Slots(weekdays, "07:00", "16:00"), split)
	if got := about(v, "EMP-0001").Data.Get("overlap_minutes"); got != 60 || v.Label != check.Pass || v.Confidence != 4 {
		t.Errorf("got %s %d with %v minutes, want pass 4 with 60", v.Label, v.Confidence, got)
	}
}

// TestTheClockChangeChangesNothingWithinOneZone promises that the night on which
// clocks jump makes nobody late: van and riders live by the same clock.
func TestTheClockChangeChangesNothingWithinOneZone(t *testing.T) {
	west := zone(t, "America/Los_Angeles")
	riders := workers("SHIFT_NIGHT", "SHIFT_NIGHT")
	r := madeup.Records(madeup.Van(riders...), riders)
	r.Sites[0].Time = west
	r.Employees[1].Away = []fleet.Span{{From: 1, Until: 2}} // long ago; forces nothing
	for _, at := range []time.Time{time.Date(2026, 3, 7, 20, 0, 0, 0, west), time.Date(2026, 10, 31, 20, 0, 0, 0, west)} {
		v := runAt(t, r, at)
		if v.Label != check.Pass || v.Confidence != 5 || about(v, "EMP-0002").Data.Get("overlap_minutes") != 60 {
			t.Errorf("at %s: got %s %d, %v", at, v.Label, v.Confidence, about(v, "EMP-0002").Data)
		}
	}
}

// TestSitesWithDifferentClocksAreComparedAtTheSameMoment promises that a rider
// of a site in another zone is compared with the van by the same moments: a
// desert site that never changes its clock fits a coastal van in summer only.
func TestSitesWithDifferentClocksAreComparedAtTheSameMoment(t *testing.T) {
	west, desert := zone(t, "America/Los_Angeles"), zone(t, "America/Phoenix")
	riders := workers("SHIFT_DAY", "SHIFT_DAY", "SHIFT_DAY")
	riders[2].Site = "DESERT-1"
	r := madeup.Records(madeup.Van(riders...), riders)
	r.Sites[0].Time = west
	r.Sites = append(r.Sites, fleet.Site{ID: "DESERT-1", Zone: "America/Phoenix", Time: desert})
	for _, tt := range []struct {
		at      time.Time
		overlap int
	}{
		{time.Date(2026, 7, 6, 12, 0, 0, 0, west), 60},
		{time.Date(2026, 12, 7, 12, 0, 0, 0, west), 0},
	} {
		if got := about(runAt(t, r, tt.at), "EMP-0003").Data.Get("overlap_minutes"); got != tt.overlap {
			t.Errorf("at %s: overlap %v, want %d", tt.at, got, tt.overlap)
		}
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func runAt(t *testing.T, r fleet.Records, at time.Time) check.Verdict {
	t.Helper()
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", at)
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(shift.New(shift.Standard()), g, check.Exceptions{})
}

// TestAVanIsLookedAtAgainWhenItsRidersAreBack promises a day for the next look
// where somebody could not be judged.
func TestAVanIsLookedAtAgainWhenItsRidersAreBack(t *testing.T) {
	riders := workers("SHIFT_DAY", "SHIFT_DAY", "SHIFT_DAY")
	riders[1].Away = []fleet.Span{{From: today, Until: today + 15}, {From: today + 16, Until: today + 18}}
	riders[2].Standing = fleet.OnLeave
	v := run(t, shift.Standard(), madeup.Records(madeup.Van(riders...), riders))
	if want := today + 14; v.Recheck != want {
		t.Errorf("got %s, want %s: the one without an end is looked at after the horizon", v.Recheck, want)
	}
	riders[2].Standing = fleet.Active
	v = run(t, shift.Standard(), madeup.Records(madeup.Van(riders...), riders))
	if want := today + 19; v.Recheck != want {
		t.Errorf("got %s, want %s: the day after both absences", v.Recheck, want)
	}
}
