// Package poolpatroltest is what tests of several rooms of Pool Patrol share: somebody
// who may, and a town as other systems would hand it over.
package poolpatroltest

import (
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
)

// Manager is who looks after the programme of an organisation.
func Manager(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:manager", Name: "Test Manager", Org: org,
		Roles: []identity.Role{identity.ProgrammeManager}}
}

// Files are a town as other systems would hand it over.
func Files(r fleet.Records) []record.Handover {
	var sites []intake.Site
	for _, s := range r.Sites {
		sites = append(sites, intake.Site{ID: s.ID, Name: s.Name, Zone: s.Zone, At: s.At})
	}
	var shifts []intake.Shift
	for _, s := range r.Shifts {
		shifts = append(shifts, intake.Shift{ID: s.ID, Name: s.Name, Slots: s.Slots})
	}
	var people []intake.Employee
	for _, e := range r.Employees {
		people = append(people, intake.Employee{ID: e.ID, Status: e.Standing, TimeType: e.TimeType, Site: e.Site, Manager: e.Manager,
			Name: "Person " + string(e.ID), Email: string(e.ID) + "@staff.example", Address: "1 Made-up Road, " + string(e.ID),
			ZIP: e.Home.ZIP, Home: e.Home.At, ZIPOnly: e.Home.ByZIP, Radius: e.Home.Radius, Shifts: e.Shifts, Away: e.Away})
	}
	var vans []intake.Vanpool
	var seats []intake.Rider
	for _, v := range r.Vanpools {
		vans = append(vans, intake.Vanpool{ID: v.ID, Site: v.Site, Pickup: v.Pickup, Capacity: v.Capacity, Coordinator: v.Coordinator,
			Status: v.Standing, Slots: v.Schedule})
		for _, s := range v.Riders {
			seats = append(seats, intake.Rider{Vanpool: v.ID, Employee: s.Employee, Since: s.Since, Removed: s.Removed})
		}
	}
	return []record.Handover{
		{Kind: intake.Sites, File: intake.Write(intake.SiteTable(), sites...), Whole: true},
		{Kind: intake.Shifts, File: intake.Write(intake.ShiftTable(), shifts...), Whole: true},
		{Kind: intake.Employees, File: intake.Write(intake.EmployeeTable(), people...), Whole: true},
		{Kind: intake.Vanpools, File: intake.Write(intake.VanpoolTable(), vans...), Whole: true},
		{Kind: intake.Riders, File: intake.Write(intake.RiderTable(), seats...), Whole: true},
	}
}
