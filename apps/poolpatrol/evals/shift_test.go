package evals_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

// A scene is a made-up van with what the rule says of it, worked out by hand.
type scene struct {
	kind    string
	want    check.Label
	sure    check.Confidence
	overlap int    // the least of anybody; none: -1
	shows   string // evidence of this type
	build   func(*maker)
}

// A maker builds the records of one scene.
type maker struct {
	n       int
	at      time.Time
	records fleet.Records
}

const none = -1

var (
	monday   = time.Date(2026, 4, 6, 12, 0, 0, 0, time.UTC)
	today    = fleet.NewDate(2026, 4, 6)
	weekdays = "Mon Tue Wed Thu Fri"
)

func newMaker(n int) *maker {
	m := &maker{n: n, at: monday}
	m.records = fleet.Records{Taken: monday, Sites: []fleet.Site{madeup.Site()},
		Shifts: []fleet.Shift{madeup.Day(), madeup.Swing(), madeup.Night()}}
	m.records.Vanpools = []fleet.Vanpool{{ID: fleet.VanpoolID(fmt.Sprintf("VP-%d", 2000+n)), Site: madeup.Site().ID,
		Pickup:   madeup.Site().At,
		Capacity: 12, Standing: fleet.Active, Riders: []fleet.Rider{}}}
	return m
}

// riders adds people with one shift each.
func (m *maker) riders(shifts ...fleet.ShiftID) *maker {
	for _, s := range shifts {
		e := madeup.Worker(m.n*100+len(m.records.Employees)+10001, s)
		m.records.Employees = append(m.records.Employees, e)
		m.records.Vanpools[0].Riders = append(m.records.Vanpools[0].Riders, fleet.Rider{Employee: e.ID, Since: madeup.Began()})
	}
	return m
}

func (m *maker) last() *fleet.Employee { return &m.records.Employees[len(m.records.Employees)-1] }

// odd adds somebody with hours of their own.
func (m *maker) odd(name string, slots ...[]fleet.Slot) *maker {
	id := fleet.ShiftID("SHIFT_" + strings.ToUpper(name))
	m.records.Shifts = append(m.records.Shifts, fleet.Shift{ID: id, Name: name, Slots: madeup.Join(slots...)})
	return m.riders(id)
}

func (m *maker) schedule(slots ...[]fleet.Slot) *maker {
	m.records.Vanpools[0].Schedule = madeup.Join(slots...)
	return m
}

// off gives the last rider days off, counted from today.
func (m *maker) off(from, days int) *maker {
	m.last().Away = append(m.last().Away, fleet.Span{From: today + fleet.Date(from), Until: today + fleet.Date(from+days-1)})
	return m
}

// turns changes the last rider's shift so many days from today.
func (m *maker) turns(in int, to fleet.ShiftID) *maker {
	e := m.last()
	day := today + fleet.Date(in)
	e.Shifts[len(e.Shifts)-1].Until = day - 1
	e.Shifts = append(e.Shifts, fleet.Assignment{Shift: to, From: day})
	return m
}

func flexible(start, latest, end string) []fleet.Slot {
	s := madeup.Slots(weekdays, start, end)
	for i := range s {
		s[i].LatestStart = latest
	}
	return s
}

const day, swing, night = "SHIFT_DAY", "SHIFT_SWING", "SHIFT_NIGHT"

func on(days, start, end string) []fleet.Slot { return madeup.Slots(days, start, end) }

// shiftScenes are the sixty vans of the shift set. Labels and minutes were
// worked out by hand from the programme's rule, not taken from the code.
func shiftScenes() []scene {
	return append(append(validShifts(), conflictingShifts()...), edgeShifts()...)
}

func validShifts() []scene {
	days := on(weekdays, "07:00", "16:00")
	return []scene{
		{"same_day", check.Pass, 5, 60, "vanpool_majority_shift", func(m *maker) { m.riders(day, day) }},
		{"same_day", check.Pass, 5, 60, "vanpool_majority_shift", func(m *maker) { m.riders(day, day, day, day, day, day, day, day) }},
		{"same_day", check.Pass, 5, 60, "vanpool_schedule", func(m *maker) { m.riders(day, day, day).schedule(madeup.Day().Slots) }},
		{"same_day", check.Pass, 5, 50, "employee_shift", func(m *maker) {
			m.riders(day, day).
				odd("ten_later", on(weekdays, "07:10", "16:10"))
		}},
		{"same_day", check.Pass, 5, 40, "employee_shift",
			func(m *maker) { m.riders(day, day, day).odd("office", on("Mon Tue Wed Thu", "07:20", "16:20")) }},
		{"same_night", check.Pass, 5, 60, "vanpool_majority_shift", func(m *maker) { m.riders(night, night, night) }},
		{"same_night", check.Pass, 5, 40, "employee_shift",
			func(m *maker) { m.riders(night, night).odd("late_night", on("Mon Tue Wed Thu", "22:20", "06:20")) }},
		{"same_night", check.Pass, 5, 45, "vanpool_schedule", func(m *maker) {
			m.schedule(on("Tue Wed Thu Fri Sat", "00:00", "08:00")).odd("quarter", on(weekdays, "23:45", "07:45"))
		}},
		{"same_night", check.Pass, 5, 60, "vanpool_majority_shift", func(m *maker) { m.riders(night, night, night, night, night, night) }},
		{"same_swing", check.Pass, 5, 60, "vanpool_majority_shift", func(m *maker) { m.riders(swing, swing, swing) }},
		{"same_swing", check.Pass, 5, 35, "employee_shift",
			func(m *maker) { m.riders(swing, swing).odd("swing_early", on("Tue Wed Thu Fri Sat", "13:35", "21:35")) }},
		{"flexible", check.Pass, 3, 60, "flex", func(m *maker) { m.schedule(days).odd("flexi", flexible("06:00", "09:00", "15:00")) }},
		{"flexible", check.Pass, 3, 40, "flex", func(m *maker) { m.schedule(days).odd("flexi", flexible("05:00", "06:40", "14:00")) }},
		{"flexible", check.Pass, 3, 60, "flex",
			func(m *maker) { m.schedule(days).odd("flexi", flexible("06:30", "07:30", "15:30")).riders(day) }},
		{"split", check.Pass, 4, 60, "split", func(m *maker) {
			m.schedule(days).odd("split", on(weekdays, "07:00", "11:00"), on(weekdays, "12:00", "16:00"))
		}},
		{"split", check.Pass, 4, 45, "split", func(m *maker) {
			m.schedule(days).odd("split", on(weekdays, "13:00", "16:15"), on(weekdays, "07:00", "10:00"))
		}},
		{"split", check.Pass, 4, 60, "split", func(m *maker) {
			m.schedule(on(weekdays, "18:00", "02:00")).odd("split", on(weekdays, "18:00", "20:00"), on(weekdays, "22:00", "02:00"))
		}},
		{"exactly_30", check.Pass, 5, 30, "employee_shift",
			func(m *maker) { m.riders(day, day, day).odd("half_later", on(weekdays, "07:30", "16:30")) }},
		{"exactly_30", check.Pass, 5, 30, "employee_shift", func(m *maker) {
			m.riders(night, night, night).odd("half_sooner", on("Mon Tue Wed Thu", "21:30", "05:30"))
		}},
		{"single_rider", check.Pass, 4, none, "single_rider", func(m *maker) { m.riders(swing) }},
	}
}

func conflictingShifts() []scene {
	left := func(m *maker) *maker { m.last().Standing = fleet.Inactive; return m }
	return []scene{
		{"night_in_day_van", check.Fail, 5, 0, "shift_mismatch", func(m *maker) { m.riders(day, day, day, night) }},
		{"night_in_day_van", check.Fail, 4, 0, "shift_mismatch", func(m *maker) { m.riders(day, day, night) }},
		{"night_in_day_van", check.Fail, 5, 0, "shift_mismatch", func(m *maker) { m.riders(day, night).schedule(madeup.Day().Slots) }},
		{"night_in_day_van", check.Fail, 5, 0, "shift_mismatch", func(m *maker) {
			m.riders(night, night, night).
				schedule(madeup.Day().Slots)
		}},
		{"night_in_day_van", check.Fail, 5, 0, "shift_mismatch", func(m *maker) { m.riders(day, day, day, day, day, day, night, night) }},
		{"night_in_day_van", check.Fail, 5, 0, "shift_mismatch", func(m *maker) { m.riders(night, night, night, day) }},
		{"day_swing_work_overlap", check.Fail, 5, 0, "shift_mismatch", func(m *maker) { m.riders(day, day, day, swing) }},
		{"day_swing_work_overlap", check.Fail, 4, 0, "shift_mismatch", func(m *maker) { m.riders(swing, swing, day) }},
		{"day_swing_work_overlap", check.Fail, 5, 0, "shift_mismatch", func(m *maker) {
			m.riders(day, swing).
				schedule(madeup.Day().Slots)
		}},
		{"day_swing_work_overlap", check.Fail, 5, 0, "shift_mismatch",
			func(m *maker) { m.riders(day, day, day, day).odd("late_day", on(weekdays, "09:00", "18:00")) }},
		{"31_minutes", check.Fail, 5, 29, "shift_mismatch",
			func(m *maker) { m.riders(day, day, day).odd("past_half", on(weekdays, "07:31", "16:31")) }},
		{"31_minutes", check.Fail, 5, 29, "shift_mismatch",
			func(m *maker) { m.riders(day, day, day).odd("too_soon", on(weekdays, "06:29", "15:29")) }},
		{"31_minutes", check.Fail, 5, 29, "shift_mismatch", func(m *maker) {
			m.riders(night, night, night).odd("past_midnight", on("Mon Tue Wed Thu", "22:31", "06:31"))
		}},
		{"disjoint_days", check.Fail, 5, 0, "shift_mismatch",
			func(m *maker) { m.riders(day, day, day).odd("weekend", on("Sat Sun", "07:00", "16:00")) }},
		{"disjoint_days", check.Fail, 5, 0, "shift_mismatch",
			func(m *maker) { m.riders(day, day, day).odd("mostly_weekend", on("Mon Sat Sun", "07:00", "16:00")) }},
		{"disjoint_days", check.Fail, 5, 0, "shift_mismatch", func(m *maker) {
			m.schedule(on("Mon Tue Wed", "07:00", "16:00")).riders(day).odd("thu_sun", on("Thu Fri Sat Sun", "07:00", "16:00"))
		}},
		{"three_shifts", check.Fail, 4, 0, "shift_mismatch", func(m *maker) { m.riders(day, day, day, swing, night) }},
		{"three_shifts", check.Fail, 4, 0, "shift_mismatch", func(m *maker) { m.riders(night, night, night, night, day, swing) }},
		{"separated", check.Fail, 5, 60, "separated_employee", func(m *maker) { left(m.riders(day, day, day)) }},
		{"separated", check.Fail, 5, 0, "separated_employee", func(m *maker) { left(m.riders(day, day, day, night, day)) }},
	}
}

func edgeShifts() []scene {
	return []scene{
		{"rotating", check.Pass, 3, 60, "rotation", func(m *maker) { m.riders(day, day, day, day).turns(9, night) }},
		{"rotating", check.Fail, 3, 0, "rotation", func(m *maker) { m.riders(day, day, day, day).turns(3, night) }},
		{"rotating", check.Pass, 3, 60, "rotation", func(m *maker) { m.riders(night, night, night, night).turns(10, swing) }},
		{"rotating", check.Pass, 5, 60, "employee_shift", func(m *maker) {
			m.schedule(madeup.Day().Slots).odd("three_and_two", on("Mon Tue Wed", "07:00", "16:00"), on("Thu Fri", "22:00", "06:00"))
		}},
		{"pto_partial", check.Pass, 4, 60, "pto", func(m *maker) { m.riders(day, day, day).off(0, 4) }},
		{"pto_partial", check.Fail, 4, 0, "pto", func(m *maker) { m.riders(day, day, day, night).off(2, 5) }},
		{"pto_partial", check.Pass, 4, 60, "pto", func(m *maker) {
			m.schedule(madeup.Day().Slots).odd("two_and_three", on("Mon Tue", "07:00", "16:00"),
				on("Wed Thu Fri", "22:00", "06:00")).off(2, 3).off(9, 3)
		}},
		{"pto_full", check.Pass, 5, 60, "pto", func(m *maker) { m.riders(day, day, night).off(-2, 20) }},
		{"pto_full", check.Pass, 2, none, "pto", func(m *maker) { m.riders(day).off(0, 14).riders(night).off(-1, 30) }},
		{"leave", check.Pass, 5, 60, "pto", func(m *maker) { m.riders(day, day, night).last().Standing = fleet.OnLeave }},
		{"tie", check.Fail, 2, none, "shift_no_majority", func(m *maker) { m.riders(day, night) }},
		{"tie", check.Fail, 2, none, "shift_no_majority", func(m *maker) { m.riders(day, day, night, night) }},
		{"tie", check.Fail, 2, none, "shift_no_majority", func(m *maker) { m.riders(day, day, day, swing, swing, night) }},
		{"missing_shift", check.Fail, 1, 60, "data_missing", func(m *maker) { m.riders(day, day, day).last().Shifts = nil }},
		{"missing_shift", check.Fail, 1, 60, "data_missing", func(m *maker) { m.riders(day, day, "SHIFT_NOBODY_KNOWS") }},
		{"bad_time", check.Fail, 1, 60, "data_missing", func(m *maker) { m.riders(day, day).odd("typo", on("Mon", "7:00am", "16:00")) }},
		{"dst_week", check.Pass, 5, 60, "employee_shift", func(m *maker) {
			m.at = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC) // clocks go forward in the night to Sunday
			m.riders(night, night, night)
		}},
		{"week_wrap", check.Pass, 5, 50, "employee_shift",
			func(m *maker) { m.schedule(on("Mon", "00:00", "08:00")).odd("sunday", on("Sun", "23:50", "08:00")) }},
		{"week_wrap", check.Fail, 5, 20, "shift_mismatch",
			func(m *maker) { m.schedule(on("Mon", "00:10", "08:10")).odd("sunday", on("Sun", "23:30", "07:30")) }},
		{"empty_list", check.Fail, 1, none, "empty_roster", func(*maker) {}},
	}
}
