package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// MostRuns bounds how many runs of a van are shown with it.
const MostRuns = 20

// A VanFilter is what narrows the list of vans.
type VanFilter struct {
	Site    fleet.SiteID   `query:"site_id" page:"site" maxLength:"40" pattern:"^[A-Z0-9_-]*$" doc:"Only those of a site."`
	Status  fleet.Standing `query:"status" page:"-" enum:"active,inactive,suspended"`
	Outcome audit.Outcome  `query:"outcome" enum:"verified,failed,error" doc:"Of the newest audit."`
	Begins  string         `query:"begins" page:"van" maxLength:"15" pattern:"^[A-Z0-9-]*$" doc:"The beginning of an id."`
}

// A VanpoolRow is a van in a list.
type VanpoolRow struct {
	ID       fleet.VanpoolID
	Site     fleet.SiteID
	SiteName string
	Status   fleet.Standing
	Capacity int // 0 is unknown
	Riders   int
	Outcome  audit.Outcome // of the last audit run; empty where there was none
	Checks   []string      // that failed in it
	RunAt    *time.Time
}

// Vanpools lists vans in order of id. next is where the following page begins,
// empty on the last.
func (s *Records) Vanpools(ctx context.Context, actor identity.Actor, q VanFilter, after string,
	limit int) (all []VanpoolRow, next string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	limit = list.Size(limit)
	const page = `select v.id, v.site_id, w.name, v.status, v.capacity,
			(select count(*) from poolpatrol.rider r where r.org = v.org and r.vanpool_id = v.id and r.removed_on is null)::int,
			coalesce(a.outcome, ''), coalesce(a.checks, '{}'), a.at
		from poolpatrol.vanpool v join poolpatrol.site w on w.org = v.org and w.id = v.site_id
		left join lateral (select outcome, checks, at from poolpatrol.audit_run a where a.org = v.org and a.vanpool_id = v.id
		order by a.at desc, a.id desc limit 1) a on true
		where v.org = $1 and v.id > $2 and ($3 = '' or v.site_id = $3) and ($4 = '' or v.status = $4) and ($5 = '' or a.outcome = $5)
			and ($6 = '' or starts_with(v.id, $6))
		order by v.id limit $7`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, after, q.Site, q.Status, q.Outcome, q.Begins, limit+1)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[VanpoolRow])
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list vanpools: %w", err)
	}
	all, next = list.Cut(all, limit, func(v VanpoolRow) string { return string(v.ID) })
	return all, next, nil
}

// A VanpoolView is one van with the people in it.
type VanpoolView struct {
	intake.Vanpool

	SiteName  string
	Zone      string
	ChangedAt time.Time
	Riders    []RiderView // those who ride first, then those who left
	Runs      []RunRow    // the newest first
}

// A RiderView is somebody's seat. Names are personal.
type RiderView struct {
	Employee    fleet.EmployeeID
	Known       bool // whether there is such an employee
	Name        string
	Status      fleet.Standing
	Shift       fleet.ShiftID // today's
	ShiftName   string
	Participant string
	Since       fleet.Date
	Removed     fleet.Date
	RemovedCase string
	Erased      bool
}

// A RunRow is one audit of a van.
type RunRow struct {
	ID      fleet.RunID
	Pass    string
	Outcome audit.Outcome
	Checks  []string // that failed
	Reason  string   // why it is an error
	Recheck fleet.Date
	At      time.Time
}

// Vanpool reads one van.
func (s *Records) Vanpool(ctx context.Context, actor identity.Actor, id fleet.VanpoolID) (v VanpoolView, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return v, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		found, err := vanpools().load(ctx, tx, intake.File[intake.Vanpool]{}, []string{string(id)})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.NotFound, "vanpool %.40q", id).WithNext("see the list of vanpools").Because("no_van", "id", string(id))
		}
		v.Vanpool = found[0]
		const more = `select w.name, w.zone, v.changed_at from poolpatrol.vanpool v join poolpatrol.site w on w.org = v.org
			and w.id = v.site_id where v.id = $1`
		if err := tx.QueryRow(ctx, more, id).Scan(&v.SiteName, &v.Zone, &v.ChangedAt); err != nil {
			return err
		}
		if v.Riders, err = ridersOf(ctx, tx, id, s.todayIn(v.Zone)); err != nil {
			return err
		}
		v.Runs, err = runsOf(ctx, tx, id)
		return err
	})
	return v, err
}

// todayIn is the day it is in a zone.
func (s *Records) todayIn(zone string) fleet.Date {
	at, err := time.LoadLocation(zone)
	if err != nil {
		at = time.UTC
	}
	return fleet.DateAt(s.clock.Now(), at)
}

func ridersOf(ctx context.Context, tx pgx.Tx, id fleet.VanpoolID, today fleet.Date) ([]RiderView, error) {
	query := `select r.employee_id, e.id is not null, coalesce(e.name, ''), coalesce(e.status, ''), coalesce(a.shift_id, ''),
		coalesce(h.name, ''),
			r.participant_id, ` + dayColumn("r.since") + `, ` + dayColumn("r.removed_on") + `, coalesce(r.removed_case_id, ''), e.erased_at is not null
		from poolpatrol.rider r left join poolpatrol.employee e on e.org = r.org and e.id = r.employee_id
		left join lateral (select shift_id from poolpatrol.assignment a where a.org = r.org and a.employee_id = r.employee_id
			and date '1970-01-01' + $2::int between a.from_day and coalesce(a.until_day, 'infinity')
			order by a.from_day desc, a.shift_id collate "C" desc limit 1) a on true
		left join poolpatrol.shift h on h.org = r.org and h.id = a.shift_id
		where r.vanpool_id = $1 order by r.removed_on is not null, r.employee_id limit 1000`
	rows, _ := tx.Query(ctx, query, id, int(today))
	return pgx.CollectRows(rows, pgx.RowToStructByPos[RiderView])
}

func runsOf(ctx context.Context, tx pgx.Tx, id fleet.VanpoolID) ([]RunRow, error) {
	query := `select id, pass, outcome, checks, reason, ` + dayColumn("recheck_on") + `, at from poolpatrol.audit_run where vanpool_id = $1
		order by at desc, id desc limit $2`
	rows, _ := tx.Query(ctx, query, id, MostRuns)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[RunRow])
}

// An EmployeeView is one person with the vans they ride or rode in.
type EmployeeView struct {
	intake.Employee

	ChangedAt time.Time
	ErasedAt  *time.Time
	Vans      []intake.Rider
}

// Employee reads one person. What it shows is personal.
func (s *Records) Employee(ctx context.Context, actor identity.Actor, id fleet.EmployeeID) (v EmployeeView, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return v, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		found, err := loadEmployees(ctx, tx, intake.File[intake.Employee]{}, []string{string(id)})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.NotFound, "employee %.40q", id).Because("no_rider", "id", string(id))
		}
		v.Employee = found[0]
		const more = `select changed_at, erased_at from poolpatrol.employee where id = $1`
		if err := tx.QueryRow(ctx, more, id).Scan(&v.ChangedAt, &v.ErasedAt); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `select vanpool_id, employee_id, participant_id, `+dayColumn("since")+`, `+dayColumn("removed_on")+`, removed_case_id is not null
			from poolpatrol.rider where employee_id = $1 order by removed_on is not null, vanpool_id limit 1000`, id)
		v.Vans, err = pgx.CollectRows(rows, pgx.RowToStructByPos[intake.Rider])
		return err
	})
	return v, err
}

// A Gap is something missing from the records. It accuses nobody.
type Gap struct {
	Vanpool  fleet.VanpoolID
	Employee fleet.EmployeeID // empty for the van itself
	Check    string
	Field    string
	Pass     string
	SeenAt   time.Time
}

// Gaps lists what audits found missing, in order of van and person. next is where
// the following page begins, empty on the last.
func (s *Records) Gaps(ctx context.Context, actor identity.Actor, after string, limit int) (all []Gap, next string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	limit = list.Size(limit)
	const page = `select vanpool_id, employee_id, check_name, field, pass, seen_at from poolpatrol.gap
		where org = $1 and (vanpool_id, employee_id, check_name, field) > ($2, $3, $4, $5)
		order by vanpool_id, employee_id, check_name, field limit $6`
	from := append(strings.SplitN(after, "|", 4), "", "", "")
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, from[0], from[1], from[2], from[3], limit+1)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Gap])
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list gaps: %w", err)
	}
	all, next = list.Cut(all, limit, func(g Gap) string { return fmt.Sprintf("%s|%s|%s|%s", g.Vanpool, g.Employee, g.Check, g.Field) })
	return all, next, nil
}
