package rest

import (
	"context"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// A vanpoolRow is a van as lists show it.
type vanpoolRow struct {
	ID           fleet.VanpoolID `json:"vanpool_id"`
	Site         fleet.SiteID    `json:"site_id"`
	SiteName     string          `json:"site_name"`
	Status       fleet.Standing  `json:"status" enum:"active,inactive,suspended"`
	Capacity     int             `json:"capacity" doc:"Seats with the driver's; 0 is unknown."`
	Riders       int             `json:"rider_count"`
	Outcome      audit.Outcome   `json:"outcome" doc:"Of the newest audit: verified, failed or error; empty where there was none."`
	FailedChecks []string        `json:"failed_checks"`
	AuditedAt    *time.Time      `json:"audited_at"`
	Links        api.Links       `json:"links"`
}

type listVanpoolsInput struct {
	api.Paging
	record.VanFilter
}

func (s *answers) vanpools(ctx context.Context, who identity.Actor, in *listVanpoolsInput, after string,
	limit int) ([]vanpoolRow, string, error) {
	if !store.Ours(after) {
		return nil, "", store.NotOurs()
	}
	all, next, err := s.store.Vanpools(ctx, who, in.VanFilter, after, limit)
	return list.Each(all, func(v record.VanpoolRow) vanpoolRow {
		return vanpoolRow{ID: v.ID, Site: v.Site, SiteName: v.SiteName, Status: v.Status, Capacity: v.Capacity, Riders: v.Riders,
			Outcome: v.Outcome, FailedChecks: listed(v.Checks), AuditedAt: api.UTC(v.RunAt), Links: s.page("vanpools/" + string(v.ID))}
	}), next, err
}

// A vanpoolBody is a van with the people in it.
type vanpoolBody struct {
	vanpoolRow

	Zone        string           `json:"tz" doc:"Of its site: schedules are told in it."`
	Pickup      *fleet.Point     `json:"pickup_coords" doc:"Null: riders meet at the site."`
	Coordinator fleet.EmployeeID `json:"coordinator_id"`
	Schedule    []fleet.Slot     `json:"schedule"`
	ChangedAt   time.Time        `json:"changed_at"`
	Riders      []riderBody      `json:"riders" doc:"Those who ride; then those who left."`
	Runs        []vanRunBody     `json:"runs" doc:"Its newest audits, the newest first."`
}

// A riderBody is somebody's seat in a van.
type riderBody struct {
	Employee    fleet.EmployeeID `json:"employee_id"`
	Known       bool             `json:"known" doc:"Whether there is such an employee on record."`
	Name        string           `json:"name"`
	Status      fleet.Standing   `json:"status" doc:"active, inactive or on_leave; empty where they are not on record."`
	Shift       fleet.ShiftID    `json:"shift_id" doc:"Today's."`
	ShiftName   string           `json:"shift_name"`
	Participant string           `json:"participant_id"`
	Since       *string          `json:"since"`
	Removed     *string          `json:"removed" doc:"Null: they ride."`
	RemovedCase string           `json:"removed_case_id"`
}

// A vanRunBody is one audit of a van.
type vanRunBody struct {
	ID           fleet.RunID   `json:"id"`
	Pass         string        `json:"pass_id"`
	Outcome      audit.Outcome `json:"outcome" enum:"verified,failed,error"`
	FailedChecks []string      `json:"failed_checks"`
	Reason       string        `json:"reason"`
	Recheck      *string       `json:"recheck_on"`
	At           time.Time     `json:"at"`
}

type vanpoolOutput struct {
	ETag string `header:"ETag"`
	Body vanpoolBody
}

func (s *answers) vanpool(ctx context.Context, who identity.Actor, in *api.Named) (*vanpoolOutput, error) {
	id, err := fleet.ParseVanpool(in.ID)
	if err != nil {
		return nil, err
	}
	tag, err := s.store.Tag(ctx, who, intake.Vanpools, string(id)) // first: a change that comes between is not hidden by it
	if err != nil {
		return nil, err
	}
	v, err := s.store.Vanpool(ctx, who, id)
	if err != nil {
		return nil, err
	}
	b := vanpoolBody{vanpoolRow: vanpoolRow{ID: v.ID, Site: v.Site, SiteName: v.SiteName, Status: v.Status, Capacity: v.Capacity,
		FailedChecks: []string{}, Links: s.page("vanpools/" + string(v.ID))},
		Zone: v.Zone, Pickup: v.Pickup, Coordinator: v.Coordinator, Schedule: listed(v.Slots), ChangedAt: v.ChangedAt.UTC(),
		Riders: []riderBody{}, Runs: []vanRunBody{}}
	for _, r := range v.Riders {
		if r.Removed == 0 {
			b.vanpoolRow.Riders++
		}
		b.Riders = append(b.Riders, riderBody{Employee: r.Employee, Known: r.Known, Name: r.Name, Status: r.Status, Shift: r.Shift,
			ShiftName:   r.ShiftName,
			Participant: r.Participant, Since: day(r.Since), Removed: day(r.Removed), RemovedCase: r.RemovedCase})
	}
	for _, r := range v.Runs {
		b.Runs = append(b.Runs, vanRunBody{r.ID, r.Pass, r.Outcome, listed(r.Checks), r.Reason, day(r.Recheck), r.At.UTC()})
	}
	if len(b.Runs) > 0 {
		b.Outcome, b.FailedChecks, b.AuditedAt = b.Runs[0].Outcome, b.Runs[0].FailedChecks, &b.Runs[0].At
	}
	return &vanpoolOutput{strconv.Quote(tag), b}, nil
}

// An employeeBody is what the programme knows of somebody. Where their home lies
// is used by audits and shown nowhere.
type employeeBody struct {
	ID        fleet.EmployeeID `json:"employee_id"`
	Status    fleet.Standing   `json:"status" enum:"active,inactive,on_leave"`
	TimeType  string           `json:"time_type"`
	Site      fleet.SiteID     `json:"site_id"`
	Manager   fleet.EmployeeID `json:"manager_id"`
	Name      string           `json:"name"`
	Email     string           `json:"email"`
	Language  string           `json:"language"`
	Address   string           `json:"home_address"`
	ZIP       string           `json:"home_zip"`
	Located   bool             `json:"home_located" doc:"Whether coordinates of the home are on record; they are not shown."`
	ZIPOnly   bool             `json:"zip_only" doc:"They are the middle of the ZIP area."`
	Shifts    []assignmentBody `json:"shifts"`
	Away      []spanOfDays     `json:"away" doc:"Leave and days off."`
	Vans      []seatBody       `json:"vanpools" doc:"Those they ride in; then those they left."`
	ChangedAt time.Time        `json:"changed_at"`
	ErasedAt  *time.Time       `json:"erased_at" doc:"Null unless what was personal was erased."`
	Links     api.Links        `json:"links"`
}

// An assignmentBody is a shift from one day to another, both included.
type assignmentBody struct {
	Shift fleet.ShiftID `json:"shift_id"`
	From  *string       `json:"from"`
	Until *string       `json:"until" doc:"Null: it has no end."`
}

// A spanOfDays is days from one to another, both included.
type spanOfDays struct {
	From  *string `json:"from"`
	Until *string `json:"until" doc:"Null: it has no end."`
}

// A seatBody is a van somebody rides or rode in.
type seatBody struct {
	Vanpool fleet.VanpoolID `json:"vanpool_id"`
	Since   *string         `json:"since"`
	Removed *string         `json:"removed" doc:"Null: they ride in it."`
}

type employeeOutput struct {
	ETag string `header:"ETag"`
	Body employeeBody
}

func (s *answers) employee(ctx context.Context, who identity.Actor, in *api.Named) (*employeeOutput, error) {
	id, err := fleet.ParseEmployee(in.ID)
	if err != nil {
		return nil, err
	}
	tag, err := s.store.Tag(ctx, who, intake.Employees, string(id))
	if err != nil {
		return nil, err
	}
	e, err := s.store.Employee(ctx, who, id)
	if err != nil {
		return nil, err
	}
	b := employeeBody{ID: e.ID, Status: e.Status, TimeType: e.TimeType, Site: e.Site, Manager: e.Manager, Name: e.Name, Email: e.Email,
		Language: e.Language,
		Address:  e.Address, ZIP: e.ZIP, Located: e.Home != nil, ZIPOnly: e.ZIPOnly, Shifts: []assignmentBody{}, Away: []spanOfDays{},
		Vans: []seatBody{}, ChangedAt: e.ChangedAt.UTC(), ErasedAt: api.UTC(e.ErasedAt), Links: s.page("employees/" + string(e.ID))}
	for _, a := range e.Shifts {
		b.Shifts = append(b.Shifts, assignmentBody{a.Shift, day(a.From), day(a.Until)})
	}
	for _, a := range e.Away {
		b.Away = append(b.Away, spanOfDays{day(a.From), day(a.Until)})
	}
	for _, r := range e.Vans {
		b.Vans = append(b.Vans, seatBody{r.Vanpool, day(r.Since), day(r.Removed)})
	}
	return &employeeOutput{strconv.Quote(tag), b}, nil
}

// A gapBody is something missing from the records.
type gapBody struct {
	Vanpool  fleet.VanpoolID  `json:"vanpool_id"`
	Employee fleet.EmployeeID `json:"employee_id" doc:"Empty: it is missing of the van itself."`
	Check    string           `json:"check" doc:"Who could not judge without it."`
	Field    string           `json:"field"`
	Pass     string           `json:"pass_id"`
	SeenAt   time.Time        `json:"seen_at"`
}

type listGapsInput struct{ api.Paging }

func (s *answers) gaps(ctx context.Context, who identity.Actor, _ *listGapsInput, after string,
	limit int) (out []gapBody, next string, err error) {
	if !store.Ours(after) {
		return nil, "", store.NotOurs()
	}
	all, next, err := s.store.Gaps(ctx, who, after, limit)
	for _, g := range all {
		out = append(out, gapBody{g.Vanpool, g.Employee, g.Check, g.Field, g.Pass, g.SeenAt.UTC()})
	}
	return out, next, err
}
