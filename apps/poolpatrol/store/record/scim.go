package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/scim"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// NoSuchUser is all that is said of somebody a provisioning system does not see.
func NoSuchUser() error { return fault.New(fault.NotFound, "there is no such user") }

// scimSeen picks the employees a provisioning system sees: not those who were erased,
// nor those it has deleted and nobody has made active since.
const scimSeen = ` from poolpatrol.employee e left join poolpatrol.scim_user u on u.employee_id = e.id
	where e.erased_at is null and (u.deleted_at is null or e.status <> 'inactive')`

// A provisioned employee is one on record with what the other system knows of them.
type provisioned struct {
	intake.Employee

	external string
	created  *time.Time
	changed  time.Time
}

func (p provisioned) user() scim.User {
	u := scim.Of(p.Employee, p.external)
	u.Meta = &scim.Meta{Created: utc(p.created), LastModified: p.changed.UTC()}
	return u
}

// ScimUser is one employee, for who may read the staff records.
func (s *Records) ScimUser(ctx context.Context, actor identity.Actor, id fleet.EmployeeID) (u scim.User, err error) {
	if err := s.rules.May(actor, programme.ActStaff); err != nil {
		return u, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		one, err := provisionedBy(ctx, tx, id)
		u = one.user()
		return err
	})
	return u, err
}

// ScimUsers are the employees a filter finds, in order of id, from the one of an
// index on, and how many it finds in all.
func (s *Records) ScimUsers(ctx context.Context, actor identity.Actor, f scim.Filter, start,
	count int) (out []scim.User, total int, err error) {
	if err := s.rules.May(actor, programme.ActStaff); err != nil {
		return nil, 0, err
	}
	where := map[scim.Attribute]string{"": ` and $1 = ''`, scim.ByID: ` and e.id = $1`, scim.ByUserName: ` and e.id = upper($1)`,
		scim.ByExternalID: ` and u.external_id = $1`}[f.By]
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select count(*)`+scimSeen+where, f.Value).Scan(&total); err != nil || count == 0 {
			return err
		}
		rows, _ := tx.Query(ctx, `select e.id`+scimSeen+where+` order by e.id collate "C" limit $2 offset $3`, f.Value, count, start-1)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(ids) == 0 {
			return err
		}
		all, err := loadProvisioned(ctx, tx, ids)
		for _, id := range ids {
			out = append(out, all[fleet.EmployeeID(id)].user())
		}
		return err
	})
	return out, total, err
}

// provisionedBy is one employee a provisioning system sees; NotFound where it sees
// none.
func provisionedBy(ctx context.Context, tx pgx.Tx, id fleet.EmployeeID) (one provisioned, err error) {
	var seen bool
	if err := tx.QueryRow(ctx, `select exists (select`+scimSeen+` and e.id = $1)`, id).Scan(&seen); err != nil {
		return one, err
	}
	if !seen {
		return one, NoSuchUser()
	}
	all, err := loadProvisioned(ctx, tx, []string{string(id)})
	return all[id], err
}

func loadProvisioned(ctx context.Context, tx pgx.Tx, ids []string) (map[fleet.EmployeeID]provisioned, error) {
	staff, err := loadEmployees(ctx, tx, intake.File[intake.Employee]{}, ids)
	if err != nil {
		return nil, fmt.Errorf("read employees: %w", err)
	}
	all := map[fleet.EmployeeID]provisioned{}
	for _, e := range staff {
		all[e.ID] = provisioned{Employee: e}
	}
	const more = `select e.id, e.changed_at, coalesce(u.external_id, ''), u.created_at from poolpatrol.employee e
		left join poolpatrol.scim_user u on u.employee_id = e.id where e.id = any($1)`
	rows, _ := tx.Query(ctx, more, ids)
	var id fleet.EmployeeID
	var p provisioned
	_, err = pgx.ForEachRow(rows, []any{&id, &p.changed, &p.external, &p.created}, func() error {
		p.Employee = all[id].Employee
		all[id] = p
		return nil
	})
	return all, err
}

// ScimCreate makes somebody known to the provisioning system: a new employee, or one
// it had deleted. One it sees already is taken.
func (s *Records) ScimCreate(ctx context.Context, actor identity.Actor, c scim.Change) (u scim.User, err error) {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return u, err
	}
	if c.UserName == nil {
		return u, fault.New(fault.Invalid, "userName: say the employee's id, as EMP-1006")
	}
	id, err := fleet.ParseEmployee(strings.ToUpper(*c.UserName))
	if err != nil {
		return u, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := Hold(ctx, tx); err != nil {
			return err
		}
		_, err := provisionedBy(ctx, tx, id)
		if err == nil {
			return scim.Taken("there is a user %s already", id)
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		there, err := loadProvisioned(ctx, tx, []string{string(id)})
		if err != nil {
			return err
		}
		one := there[id]
		one.ID, one.Status = id, fleet.Active
		u, err = s.provision(ctx, tx, actor, one, c)
		return err
	})
	return u, err
}

// ScimChange changes somebody, if they are as the one who asks has them.
func (s *Records) ScimChange(ctx context.Context, actor identity.Actor, id fleet.EmployeeID, match string,
	c scim.Change) (u scim.User, err error) {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return u, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		one, err := s.provisionedNow(ctx, tx, id, match)
		if err != nil {
			return err
		}
		u, err = s.provision(ctx, tx, actor, one, c)
		return err
	})
	return u, err
}

// provisionedNow is one employee, whom nobody changes until the transaction ends.
func (s *Records) provisionedNow(ctx context.Context, tx pgx.Tx, id fleet.EmployeeID, match string) (provisioned, error) {
	if err := Hold(ctx, tx); err != nil {
		return provisioned{}, err
	}
	one, err := provisionedBy(ctx, tx, id)
	if err == nil && match != "" && !scim.Matches(match, one.user().Version()) {
		return one, fault.New(fault.Stale, "the user has changed since you read them").WithNext("read them again")
	}
	return one, err
}

// provision writes somebody as an import of one row does, and what the other system
// knows them by.
func (s *Records) provision(ctx context.Context, tx pgx.Tx, actor identity.Actor, one provisioned, c scim.Change) (u scim.User, err error) {
	if err := c.Apply(&one.Employee, &one.external, s.today()); err != nil {
		return u, err
	}
	p, err := putIn(ctx, tx, s, actor, employees(), string(one.ID), one.Employee)
	if err != nil {
		return u, err
	}
	if p.Kept > 0 {
		return u, scim.Taken("what was known of %s was erased, and is not taken in again", one.ID)
	}
	if err := s.keepProvisioned(ctx, tx, actor.Org, one, nil); err != nil {
		return u, err
	}
	after, err := provisionedBy(ctx, tx, one.ID)
	return after.user(), err
}

func (s *Records) keepProvisioned(ctx context.Context, tx pgx.Tx, org identity.Org, one provisioned, deleted *time.Time) error {
	const put = `insert into poolpatrol.scim_user (org, employee_id, external_id, created_at, deleted_at) values ($1, $2, $3, $4, $5)
		on conflict (org, employee_id) do update set external_id = excluded.external_id, deleted_at = excluded.deleted_at`
	_, err := tx.Exec(ctx, put, org, one.ID, one.external, s.clock.Now(), deleted)
	if postgres.Violates(err, "scim_user_external") {
		return scim.Taken("another user has this externalId")
	}
	return err
}

// ScimDelete makes somebody inactive, and the provisioning system sees them no more.
// Their record stays.
func (s *Records) ScimDelete(ctx context.Context, actor identity.Actor, id fleet.EmployeeID, match string) error {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		one, err := s.provisionedNow(ctx, tx, id, match)
		if err != nil {
			return err
		}
		one.Status = fleet.Inactive
		if _, err := putIn(ctx, tx, s, actor, employees(), string(id), one.Employee); err != nil {
			return err
		}
		now := s.clock.Now()
		one.external = "" // theirs to give to somebody else
		return s.keepProvisioned(ctx, tx, actor.Org, one, &now)
	})
}
