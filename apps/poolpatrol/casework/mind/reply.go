package mind

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/mask"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
)

// inKey begins the key of a mail that came in.
const inKey = "in:"

// ReplyFor is the reply that something left to do is about: by its own key where it
// is to be read, else the newest of the person it is about.
func ReplyFor(ctx context.Context, tx pgx.Tx, id casefile.CaseID, key string) (r Reply, err error) {
	var action []byte
	if err := tx.QueryRow(ctx, `select action from poolpatrol.case_todo where case_id = $1 and key = $2`, id, key).Scan(&action); err != nil {
		return r, err
	}
	var what lifecycle.Action
	if err := json.Unmarshal(action, &what); err != nil {
		return r, err
	}
	const one = `select m.id, e.body from gavel.mail_in m join gavel.case_entry e on e.case_id = m.case_id and e.key = 'mail_in:' || m.id
		where m.case_id = $1 and m.state = 'accepted' and (m.id = $2 or $2 = '' and m.sender = $3) order by m.received_at desc, m.id desc limit 1`
	mail, byKey := strings.CutPrefix(key, inKey)
	if !byKey {
		mail = ""
	}
	r.Employee = what.Employee
	err = tx.QueryRow(ctx, one, id, mail, store.RiderType+":"+string(what.Employee)).Scan(&r.Mail, &r.Words)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fault.New(fault.NotFound, "nothing that %s wrote to the case is left", what.Employee)
	}
	if err != nil {
		return r, err
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
