package record

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// A RemovalFilter is what narrows the list of memberships that ended.
type RemovalFilter struct {
	Van   fleet.VanpoolID `query:"vanpool_id" page:"van" maxLength:"15" pattern:"^(VP-[0-9]{3,12})?$"`
	Since string          `query:"since" maxLength:"10" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" doc:"Only those decided on this day or later."`
}

// A Removal is a membership that people ended: what the van's vendor and payroll go by.
type Removal struct {
	Vanpool     fleet.VanpoolID
	Employee    fleet.EmployeeID
	Participant string    // the other system's own id of the seat
	Effective   time.Time // the last day of the membership
	DecidedAt   time.Time
	Case        casefile.CaseID
	Ref         string
	Checks      []string // that did not pass
}

func (r Removal) place() list.Cursor {
	return list.Cursor{At: r.DecidedAt, ID: string(r.Case) + string(r.Employee)}
}

// Removals lists memberships that people ended and that were not given back, the newest
// first.
func (s *Records) Removals(ctx context.Context, actor identity.Actor, f RemovalFilter, after string, limit int) (
	all []Removal, next string, err error,
) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	const page = `select r.vanpool_id, r.employee_id, r.participant_id, r.removed_on, x.cancelled_at, c.id, c.ref, x.failed_checks
		from poolpatrol.case_subject x join poolpatrol.case c on c.org = x.org and c.id = x.case_id
			join poolpatrol.rider r on r.org = x.org and r.removed_case_id = x.case_id and r.employee_id = x.employee_id
		where x.cancelled_at is not null and r.removed_on is not null and ($1 = '' or r.vanpool_id = $1)
			and ($2 = '' or x.cancelled_at >= nullif($2, '')::date)
			and ($3::timestamptz is null or (x.cancelled_at, c.id || x.employee_id) < ($3, $4))
		order by x.cancelled_at desc, c.id || x.employee_id desc limit $5`
	return list.Part(after, limit, Removal.place, func(from list.Cursor, most int) (rows []Removal, err error) {
		err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
			found, _ := tx.Query(ctx, page, f.Van, f.Since, from.Moment(), from.ID, most)
			rows, err = pgx.CollectRows(found, pgx.RowToStructByPos[Removal])
			return err
		})
		return rows, err
	})
}
