// Package fleet holds the words of a commuter programme: sites, shifts,
// employees and vanpools as the records give them, and how the group of one van
// is put together for those who judge it.
//
// Read Records first, then Book, which checks them and finds things by id, then
// Group, which is what a specialist is handed. Names, addresses and e-mail
// addresses are not here: no rule needs them.
package fleet

import "time"

// Records are what one audit reads: everything the programme knew at one moment.
type Records struct {
	Taken     time.Time  `json:"taken,omitzero"` // when the snapshot was taken
	Sites     []Site     `json:"sites"`
	Shifts    []Shift    `json:"shifts"`
	Employees []Employee `json:"employees"`
	Vanpools  []Vanpool  `json:"vanpools"`
}

// MaxAge is how old records may be when somebody is judged on them. Nightly
// feeds miss a night now and then; they do not miss two.
const MaxAge = 48 * time.Hour

// Fresh reports whether the records may be audited at a moment. Records from the
// future are not fresh: one of the two clocks is wrong.
func (r Records) Fresh(now time.Time) bool {
	age := now.Sub(r.Taken)
	return age >= 0 && age <= MaxAge
}

// A Site is a workplace. Shifts are told in its zone.
type Site struct {
	ID   SiteID         `json:"id"`
	Name string         `json:"name,omitempty"`
	Zone string         `json:"tz"` // IANA name, for pages
	At   *Point         `json:"coords,omitempty"`
	Time *time.Location `json:"-"` // Zone, loaded by the caller; nil counts as UTC
}

func (s Site) clock() *time.Location {
	if s.Time == nil {
		return time.UTC
	}
	return s.Time
}

// A Standing says whether somebody still works here, or a van still runs.
type Standing string

// The standings. OnLeave is for employees, Suspended for vans.
const (
	Active    Standing = "active"
	Inactive  Standing = "inactive"
	OnLeave   Standing = "on_leave"
	Suspended Standing = "suspended"
)

// An Employee is one person in the staff records.
type Employee struct {
	ID       EmployeeID   `json:"id"`
	Standing Standing     `json:"status"`
	TimeType string       `json:"time_type,omitempty"` // full_time, part_time, contract
	Site     SiteID       `json:"site_id,omitempty"`
	Manager  EmployeeID   `json:"manager_id,omitempty"`
	Home     Home         `json:"home,omitzero"`
	Shifts   []Assignment `json:"shifts,omitempty"`
	Away     []Span       `json:"away,omitempty"` // leave and days off
}

// A Home is what is known of where somebody lives. Coordinates are personal
// data: they are used here and shown nowhere.
type Home struct {
	ZIP    string  `json:"zip,omitempty"`
	At     *Point  `json:"coords,omitempty"`
	ByZIP  bool    `json:"zip_only,omitempty"`         // At is the middle of the ZIP area, not the address
	Radius float64 `json:"zip_radius_miles,omitempty"` // how far from At the home may be; 0 is unknown
}

// An Assignment gives somebody a shift from one day to another, both included.
// A zero Until has no end.
type Assignment struct {
	Shift ShiftID `json:"shift_id"`
	From  Date    `json:"from"`
	Until Date    `json:"until,omitzero"`
}

// A Span is days from one to another, both included. A zero Until has no end.
type Span struct {
	From  Date `json:"from"`
	Until Date `json:"until,omitzero"`
}

// Covers reports whether a day lies in the span.
func (s Span) Covers(d Date) bool { return d >= s.From && (s.Until == 0 || d <= s.Until) }

// A Vanpool is one van with its riders.
type Vanpool struct {
	ID          VanpoolID  `json:"id"`
	Site        SiteID     `json:"site_id"`
	Pickup      *Point     `json:"pickup_coords,omitempty"` // nil: riders meet at the site
	Capacity    int        `json:"capacity,omitempty"`      // seats with the driver's; 0 is unknown
	Coordinator EmployeeID `json:"coordinator_id,omitempty"`
	Schedule    []Slot     `json:"schedule,omitempty"` // when it brings people to work and back; may be empty
	Standing    Standing   `json:"status"`
	Riders      []Rider    `json:"riders"`
}

// A Rider is somebody's seat in a van.
type Rider struct {
	Employee EmployeeID `json:"employee_id"`
	Since    Date       `json:"since,omitzero"`
	Removed  Date       `json:"removed,omitzero"` // zero while they ride
}

// ShiftOn is the shift somebody has on a day. Where two assignments cover it the
// one that began later holds, as an amendment does.
func (e *Employee) ShiftOn(d Date) (ShiftID, bool) {
	var found Assignment
	for _, a := range e.Shifts {
		if (Span{a.From, a.Until}).Covers(d) && (found.Shift == "" || a.From >= found.From) {
			found = a
		}
	}
	return found.Shift, found.Shift != ""
}

// AwayOn reports whether somebody is off work on a day by leave or days off.
func (e *Employee) AwayOn(d Date) bool {
	for _, s := range e.Away {
		if s.Covers(d) {
			return true
		}
	}
	return false
}

// BackAfter is the first day from d on which somebody is not away. It is zero
// where no end is known.
func (e *Employee) BackAfter(d Date) Date {
	for moved := true; moved; {
		moved = false
		for _, s := range e.Away {
			if !s.Covers(d) {
				continue
			}
			if s.Until == 0 {
				return 0
			}
			d, moved = s.Until+1, true
		}
	}
	return d
}
