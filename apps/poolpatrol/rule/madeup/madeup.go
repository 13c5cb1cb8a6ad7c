// Package madeup makes up fleets, for the demonstration, tests and benchmarks.
// Nobody in them exists; ids, places and hours are drawn from a seed, so the
// same seed is the same town.
package madeup

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Now is the moment the made-up records are taken: a Monday morning.
func Now() time.Time { return time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC) }

// Began is when everything in the made-up records began.
func Began() fleet.Date { return fleet.NewDate(2025, 1, 6) }

// Site is the made-up workplace all small examples are at.
func Site() fleet.Site {
	return fleet.Site{ID: "PLANT-1", Name: "Plant One", Zone: "America/Los_Angeles", At: &fleet.Point{Lat: 37.495, Lng: -121.941}}
}

// Slots is the same hours on several days: Slots("Mon Tue", "07:00", "16:00").
func Slots(days, start, end string) []fleet.Slot {
	var out []fleet.Slot
	for day := range strings.FieldsSeq(days) {
		out = append(out, fleet.Slot{Day: day, Start: start, End: end})
	}
	return out
}

// Join puts slots together.
func Join(parts ...[]fleet.Slot) []fleet.Slot {
	var out []fleet.Slot
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// Day is the day shift.
func Day() fleet.Shift {
	return fleet.Shift{ID: "SHIFT_DAY", Name: "Day shift",
		Slots: Join(Slots("Mon Tue Wed Thu", "07:00", "16:00"), Slots("Fri", "07:00", "15:00"))}
}

// Swing is the late shift: two hours of work in common with the day shift, and
// seven hours between their starts.
func Swing() fleet.Shift {
	return fleet.Shift{ID: "SHIFT_SWING", Name: "Swing shift", Slots: Slots("Tue Wed Thu Fri Sat", "14:00", "22:00")}
}

// Night is the night shift.
func Night() fleet.Shift {
	return fleet.Shift{ID: "SHIFT_NIGHT", Name: "Night shift", Slots: Slots("Mon Tue Wed Thu", "22:00", "06:00")}
}

// Worker is somebody with one shift, who lives ten miles from the site.
func Worker(n int, shift fleet.ShiftID) fleet.Employee {
	at := Site().At
	return fleet.Employee{
		ID: Employee(n), Standing: fleet.Active, Site: Site().ID, Manager: "EMP-9001",
		Home:   fleet.Home{ZIP: "94000", At: &fleet.Point{Lat: at.Lat + 0.14, Lng: at.Lng}},
		Shifts: []fleet.Assignment{{Shift: shift, From: Began()}},
	}
}

// Employee is the id of the n-th made-up employee.
func Employee(n int) fleet.EmployeeID { return fleet.EmployeeID(fmt.Sprintf("EMP-%04d", n)) }

// Van is a van with these riders, half full or fuller.
func Van(riders ...fleet.Employee) fleet.Vanpool {
	v := fleet.Vanpool{ID: "VP-101", Site: Site().ID, Pickup: Site().At, Capacity: max(7, len(riders)+1), Standing: fleet.Active}
	for _, e := range riders {
		v.Riders = append(v.Riders, fleet.Rider{Employee: e.ID, Since: Began()})
	}
	return v
}

// Records are one van, its riders and the shifts they have.
func Records(van fleet.Vanpool, riders []fleet.Employee, more ...fleet.Shift) fleet.Records {
	return fleet.Records{
		Taken: Now(), Sites: []fleet.Site{Site()}, Shifts: append([]fleet.Shift{Day(), Swing(), Night()}, more...),
		Employees: riders, Vanpools: []fleet.Vanpool{van},
	}
}
