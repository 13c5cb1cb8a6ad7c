package poolpatrol

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/mask"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
)

// inKey begins the key of a mail that came in.
const inKey = "in:"

// replyFor is the reply that something left to do is about: by its own key where it
// is to be read, else the newest of the person it is about.
func replyFor(ctx context.Context, tx pgx.Tx, id casefile.CaseID, key string) (r response, err error) {
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
	err = tx.QueryRow(ctx, one, id, mail, RiderType+":"+string(what.Employee)).Scan(&r.Mail, &r.words)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fault.New(fault.NotFound, "nothing that %s wrote to the case is left", what.Employee)
	}
	if err != nil {
		return r, err
	}
	people, err := namesAround(ctx, tx, id, r.Employee)
	r.masked = mask.Words(r.words, people...)
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

// readBy lets a reply happen to the case as an agent has read it, as far as code
// follows. Where it said nothing of use a person reads it.
func (a *app) readBy(ctx context.Context, in casefile.Input, what lifecycle.Action, run, said string) error {
	return a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		s, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil {
			return err
		}
		var reading post.Reading
		var kept []byte
		if said != "" && json.Unmarshal([]byte(said), &reading) == nil {
			kept = []byte(said)
		}
		r, err := replyFor(ctx, tx, in.Case, what.Key)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		c, why := post.Heed(post.Mail{Text: r.words, Verified: true}, reading)
		const note = `insert into poolpatrol.reading (org, case_id, key, employee_id, run_id, said, bucket, sub_label, why, no_draft, at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`
		if _, err := tx.Exec(ctx, note, in.Org, in.Case, what.Key, what.Employee, run, kept, c.Bucket, c.SubLabel, why, c.NoDraft, s.at); err != nil {
			return err
		}
		return s.take(ctx, happening{"read:" + what.Key, lifecycle.Event{Kind: lifecycle.Replied, At: s.at, Employee: what.Employee, Bucket: c.Bucket}})
	})
}

// draftBy puts an answer before a person, in an agent's words where they are fit
// for it.
func (a *app) draftBy(ctx context.Context, in casefile.Input, what lifecycle.Action, said string) error {
	var draft struct {
		Body string `json:"body"`
	}
	worded := said != "" && json.Unmarshal([]byte(said), &draft) == nil
	var own []string
	err := a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		life, err := lifeIn(ctx, tx, in.Case)
		if err != nil {
			return err
		}
		own = []string{string(life.ID), string(life.Vanpool), string(what.Employee)}
		return nil
	})
	if err != nil {
		return err
	}
	return a.ask(ctx, in, what, func(s *step) (any, error) {
		args := holdingReply(s, what)
		if body, fit := post.Drafted(draft.Body, own...); worded && fit {
			args.Body = body
		}
		return args, nil
	}, toolReview)
}
