package mind

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/mask"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// inKey begins the key of a mail that came in.
const inKey = "in:"

// ReplyFor is the reply that something left to do is about: by its own key where it
// is to be read, else the newest of the person it is about.
func ReplyFor(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, key string) (r Reply, err error) {
	var action []byte
	if err := tx.QueryRow(ctx, `select action from poolpatrol.case_todo where case_id = $1 and key = $2`, id, key).
		Scan(&action); err != nil {
		return r, err
	}
	var what lifecycle.Action
	if err := json.Unmarshal(action, &what); err != nil {
		return r, err
	}
	mails, err := inbound.OfCase(ctx, tx, org, id)
	if err != nil {
		return r, err
	}
	mail, byKey := strings.CutPrefix(key, inKey)
	r.Employee = what.Employee
	for _, m := range slices.Backward(mails) {
		its := byKey && m.ID == mail || !byKey && m.Sender == store.RiderType+":"+string(what.Employee)
		if m.State == inbound.Accepted && its {
			r.Mail = m.ID
			if r.Words, err = inbound.NewText(ctx, tx, m); err != nil {
				return r, err
			}
			break
		}
	}
	if r.Mail == "" {
		return r, fault.New(fault.NotFound, "nothing that %s wrote to the case is left", what.Employee)
	}
	people, err := namesAround(ctx, tx, id, r.Employee)
	r.Masked = mask.Words(r.Words, people...)
	return r, err
}

// namesAround are the people whose names a reply is most likely to hold: who wrote
// it, who they ride with, and who they report to.
func namesAround(ctx context.Context, tx pgx.Tx, id casefile.CaseID, who fleet.EmployeeID) ([]mask.Person, error) {
	const near = `select e.id, e.name, e.home_address from poolpatrol.employee e where e.name <> '' and (e.id = $2
			or e.id in (select r.employee_id from poolpatrol.rider r join poolpatrol.case c on c.vanpool_id = r.vanpool_id where c.id = $1)
			or e.id in (select manager_id from poolpatrol.employee where id = $2)) order by e.id`
	rows, _ := tx.Query(ctx, near, id, who)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[mask.Person])
}

// A Reply is what somebody wrote to the case.
type Reply struct {
	Mail     string
	Employee fleet.EmployeeID
	Words    string // what is new in it
	Masked   string // the same without names
}
