package intake

import (
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
	table "github.com/gavelhq/gavel/platform/intake"
)

// A Site is a workplace.
type Site struct {
	ID   fleet.SiteID `json:"site_id"`
	Name string       `json:"name,omitempty"`
	Zone string       `json:"tz"`
	At   *fleet.Point `json:"coords,omitempty"`
}

// SiteTable is the workplaces.
func SiteTable() Table[Site] {
	return Table[Site]{Table: of(Sites, func(s *Site) string { return string(s.ID) },
		table.Ident("site_id", fleet.ParseSite, func(s *Site) *fleet.SiteID { return &s.ID }),
		table.Words("name", 200, func(s *Site) *string { return &s.Name }),
		table.Required(table.Words("tz", 64, func(s *Site) *string { return &s.Zone })),
		place("coords", "lat", "lng", func(s *Site) **fleet.Point { return &s.At }),
	),
		known: func(s *Site, k Known) error {
			if !k.Zone(s.Zone) {
				return fault.New(fault.Invalid, "tz %.64q is no time zone; use a name as America/Los_Angeles", s.Zone)
			}
			return nil
		},
		leaves: func(*Site, fleet.Date) bool { return false },
	}
}

// A Shift is a weekly pattern of work.
type Shift struct {
	ID    fleet.ShiftID `json:"shift_id"`
	Name  string        `json:"name,omitempty"`
	Slots []fleet.Slot  `json:"schedule"`
}

// ShiftTable is the shifts.
func ShiftTable() Table[Shift] {
	return Table[Shift]{Table: of(Shifts, func(s *Shift) string { return string(s.ID) },
		table.Ident("shift_id", fleet.ParseShift, func(s *Shift) *fleet.ShiftID { return &s.ID }),
		table.Words("name", 200, func(s *Shift) *string { return &s.Name }),
		table.Required(slots(func(s *Shift) *[]fleet.Slot { return &s.Slots })),
	),
		check: func(s *Shift) error {
			_, err := fleet.ReadWeek(s.Slots)
			return err
		},
		leaves: func(*Shift, fleet.Date) bool { return false },
	}
}

// A Vanpool is a van without its riders.
type Vanpool struct {
	ID          fleet.VanpoolID  `json:"vanpool_id"`
	Site        fleet.SiteID     `json:"site_id"`
	Pickup      *fleet.Point     `json:"pickup_coords,omitempty"`
	Capacity    int              `json:"capacity,omitempty"`
	Coordinator fleet.EmployeeID `json:"coordinator_id,omitempty"`
	Status      fleet.Standing   `json:"status"`
	Slots       []fleet.Slot     `json:"schedule,omitempty"`
}

// VanpoolTable is the vans.
func VanpoolTable() Table[Vanpool] {
	type V = Vanpool
	return Table[V]{Table: of(Vanpools, func(v *V) string { return string(v.ID) },
		table.Ident("vanpool_id", fleet.ParseVanpool, func(v *V) *fleet.VanpoolID { return &v.ID }),
		table.Ident("site_id", fleet.ParseSite, func(v *V) *fleet.SiteID { return &v.Site }),
		table.Required(table.Choice("status", func(v *V) *fleet.Standing { return &v.Status }, fleet.Active, fleet.Inactive,
			fleet.Suspended)),
		place("pickup_coords", "pickup_lat", "pickup_lng", func(v *V) **fleet.Point { return &v.Pickup }),
		table.Count("capacity", 100, func(v *V) *int { return &v.Capacity }),
		table.Reference("coordinator_id", fleet.ParseEmployee, func(v *V) *fleet.EmployeeID { return &v.Coordinator }),
		slots(func(v *V) *[]fleet.Slot { return &v.Slots }),
	),
		check: func(v *V) error {
			if len(v.Slots) == 0 {
				return nil
			}
			_, err := fleet.ReadWeek(v.Slots)
			return err
		},
		known: func(v *V, k Known) error { return knownSite(v.Site, k) },
		leaves: func(v *V, _ fleet.Date) bool {
			was := v.Status
			v.Status = fleet.Inactive
			return was != fleet.Inactive
		},
	}
}

// A Rider is somebody's seat in a van.
type Rider struct {
	Vanpool     fleet.VanpoolID  `json:"vanpool_id"`
	Employee    fleet.EmployeeID `json:"employee_id"`
	Participant string           `json:"participant_id,omitempty"` // the other system's own
	Since       fleet.Date       `json:"since,omitzero"`
	Removed     fleet.Date       `json:"removed,omitzero"`

	ByCase bool `json:"-"` // a case removed them
}

// RiderTable is the seats.
func RiderTable() Table[Rider] {
	type R = Rider
	return Table[R]{Table: of(Riders, func(r *R) string { return string(r.Vanpool) + " " + string(r.Employee) },
		table.Ident("vanpool_id", fleet.ParseVanpool, func(r *R) *fleet.VanpoolID { return &r.Vanpool }),
		table.Ident("employee_id", fleet.ParseEmployee, func(r *R) *fleet.EmployeeID { return &r.Employee }),
		table.Words("participant_id", 100, func(r *R) *string { return &r.Participant }),
		day("since", func(r *R) *fleet.Date { return &r.Since }),
		table.Implied(day("removed", func(r *R) *fleet.Date { return &r.Removed })),
	),
		about: func(r *R) fleet.EmployeeID { return r.Employee },
		today: func(r *R, today fleet.Date) {
			if r.Removed > today {
				r.Removed = 0
			}
		},
		known: func(r *R, k Known) error {
			if !k.Vanpools[r.Vanpool] {
				return fault.New(fault.Invalid, "vanpool %s is not on record", r.Vanpool)
			}
			return nil
		},
		leaves: func(r *R, today fleet.Date) bool {
			if r.Removed != 0 {
				return false
			}
			r.Removed = today
			return true
		},
		// Whom a case removed the other system may list for some days yet. They are
		// back when it says that they joined again.
		keeps:  func(was, now *R) bool { return was.ByCase && now.Since <= was.Removed },
		crowds: crowded,
	}
}

// crowded reports whether a van has more riders than any van can have.
func crowded(all map[string]*Rider) bool {
	riding := map[fleet.VanpoolID]int{}
	for _, r := range all {
		if r.Removed == 0 {
			if riding[r.Vanpool]++; riding[r.Vanpool] > fleet.MaxRiders {
				return true
			}
		}
	}
	return false
}

// A Reading says that somebody's badge was read at a site on a day.
type Reading struct {
	Employee fleet.EmployeeID `json:"employee_id"`
	Site     fleet.SiteID     `json:"site_id"`
	On       fleet.Date       `json:"date"`
}

// BadgeTable is the badge readings.
func BadgeTable() Table[Reading] {
	type R = Reading
	key := func(r *R) string {
		return strings.Join([]string{string(r.Employee), string(r.Site), r.On.String()}, " ")
	}
	return Table[R]{Table: of(Badges, key,
		table.Ident("employee_id", fleet.ParseEmployee, func(r *R) *fleet.EmployeeID { return &r.Employee }),
		table.Ident("site_id", fleet.ParseSite, func(r *R) *fleet.SiteID { return &r.Site }),
		table.Required(day("date", func(r *R) *fleet.Date { return &r.On })),
	),
		check: func(r *R) error {
			if r.On == 0 {
				return fault.New(fault.Invalid, "date: a reading has a day")
			}
			return nil
		},
		about:  func(r *R) fleet.EmployeeID { return r.Employee },
		leaves: func(*R, fleet.Date) bool { return true },
	}
}

// A Permit is one parking permit of one person.
type Permit struct {
	ID       string           `json:"permit_id"`
	Employee fleet.EmployeeID `json:"employee_id"`
	Kind     string           `json:"kind"`
	From     fleet.Date       `json:"from"`
	Until    fleet.Date       `json:"until,omitzero"`
}

// PermitTable is the parking permits.
func PermitTable() Table[Permit] {
	type P = Permit
	return Table[P]{Table: of(Permits, func(p *P) string { return p.ID },
		table.Required(table.Words("permit_id", 60, func(p *P) *string { return &p.ID })),
		table.Ident("employee_id", fleet.ParseEmployee, func(p *P) *fleet.EmployeeID { return &p.Employee }),
		table.Required(table.Choice("kind", func(p *P) *string { return &p.Kind }, "daily", "monthly", "annual", "accessible")),
		table.Required(day("from", func(p *P) *fleet.Date { return &p.From })),
		day("until", func(p *P) *fleet.Date { return &p.Until }),
	),
		check: func(p *P) error {
			if p.ID == "" || p.From == 0 || p.Until != 0 && p.Until < p.From {
				return fault.New(fault.Invalid, "a permit has an id and a first day, and does not end before it")
			}
			return nil
		},
		about:  func(p *P) fleet.EmployeeID { return p.Employee },
		leaves: func(*P, fleet.Date) bool { return true },
	}
}
