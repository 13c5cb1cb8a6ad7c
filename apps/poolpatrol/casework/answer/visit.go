package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Visit is what somebody's own page shows: of the case only what is theirs.
type Visit struct {
	Ticket

	Ref      string
	State    lifecycle.State
	Me       lifecycle.Subject
	Deadline time.Time // by when they are asked to answer; zero while no clock runs
	Looking  bool      // the van is looked at again at a moment that is set
	Due      time.Time // that moment, where they said themselves that the records change; else zero
	Ended    time.Time
	Zone     *time.Location
	Own      post.Own  // what we hold about them that the case is about
	AsOf     time.Time // when it was looked at
	Portal   string    // where records are corrected, contact and appeal; empty where nobody has said
	Contact  string
	Appeal   string
	Answers  []Answer // theirs, the newest first
}

// An Answer is one that somebody gave on their page.
type Answer struct {
	ID       string
	Employee fleet.EmployeeID
	post.Said
	At       time.Time
	ErasedAt *time.Time
}

// Visit reads what a ticket opens now. It changes nothing.
func (a *Door) Visit(ctx context.Context, t Ticket) (v Visit, err error) {
	err = a.db.InOrg(ctx, t.Org, func(tx pgx.Tx) error {
		if v, err = readVisit(ctx, tx, t, a.now()); err != nil {
			return err
		}
		v.Answers, err = answersIn(ctx, tx, `case_id = $2 and employee_id = $3`, t.File, t.Who)
		return err
	})
	if err != nil {
		return Visit{}, fmt.Errorf("open somebody's page: %w", err)
	}
	return v, nil
}

func readVisit(ctx context.Context, tx pgx.Tx, t Ticket, now time.Time) (v Visit, err error) {
	const one = `select c.ref, c.life, c.terms_version, r.id, r.at
		from poolpatrol.case c join poolpatrol.audit_run r on r.id = c.audit_run
		where c.id = $1 and not exists (select from poolpatrol.employee e where e.id = $2 and e.erased_at is not null)`
	v.Ticket = t
	var life []byte
	var run string
	var version int64
	err = tx.QueryRow(ctx, one, t.File, t.Who).Scan(&v.Ref, &life, &version, &run, &v.AsOf)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, errNoPage()
	}
	if err != nil {
		return v, err
	}
	var c lifecycle.Case
	if err := json.Unmarshal(life, &c); err != nil {
		return v, fmt.Errorf("read the life of %s: %w", t.File, err)
	}
	mine, ok := c.Subject(t.Who)
	if !ok || c.State.Ended() && now.After(c.EndedAt.Add(pageOutlast)) {
		return v, errNoPage()
	}
	v.State, v.Me, v.Deadline, v.Looking, v.Ended = c.State, mine, c.Deadline, !c.Due.IsZero(), c.EndedAt
	rules, unit, err := term.RulesOf(ctx, tx, t.Org, c.Vanpool, version)
	if err != nil {
		return v, err
	}
	v.Zone = rules.Zone
	if v.Due, err = dueFor(ctx, tx, t, c, rules); err != nil {
		return v, err
	}
	v.Own = post.Own{Case: fleet.CaseID(v.Ref), Vanpool: c.Vanpool, Employee: t.Who, Unit: unit}
	if err := v.turn(ctx, tx); err != nil {
		return v, err
	}
	return v, v.hold(ctx, tx, run)
}

// turn notes where they can turn, where somebody has said so.
func (v *Visit) turn(ctx context.Context, tx pgx.Tx) error {
	o, err := store.OfficeIn(ctx, tx, v.Org)
	if err == nil && o.Version > 0 {
		v.Portal, v.Contact, v.Appeal = o.Portal, o.Contact, o.Appeal
	}
	return err
}

// dueFor is until when the records are waited for that somebody said will change. The
// clock is the case's: where another said so it is none of theirs, and zero.
func dueFor(ctx context.Context, tx pgx.Tx, t Ticket, c lifecycle.Case, rules lifecycle.Rules) (time.Time, error) {
	if c.Due.IsZero() || c.DueTrigger != lifecycle.ByUpdate {
		return time.Time{}, nil
	}
	const said = `select exists (select from poolpatrol.case_event where case_id = $1 and refused = '' and at >= $3
		and event->>'kind' = 'replied' and event->>'employee_id' = $2 and event->>'bucket' = 'update')`
	var theirs bool
	begun := c.Due.Add(-rules.Grace).Truncate(time.Second)
	if err := tx.QueryRow(ctx, said, t.File, t.Who, begun).Scan(&theirs); err != nil || !theirs {
		return time.Time{}, err
	}
	return c.Due, nil
}

// hold notes what their letters say that we hold about them, and as of when.
func (v *Visit) hold(ctx context.Context, tx pgx.Tx, run string) error {
	if !v.Asks() {
		return nil
	}
	own, at, err := store.LastFound(ctx, tx, run, v.File, v.Own)
	if fault.Is(err, fault.Invalid) {
		return nil // nothing that may be told: a person writes to them
	}
	if err == nil {
		own.Unit = v.Own.Unit
		v.Own, v.AsOf = own, at
	}
	return err
}

// Asks reports whether anything is still asked of them: the case is open and turns
// on them.
func (v Visit) Asks() bool {
	return !v.State.Ended() && (v.Me.Standing == lifecycle.SubjectOpen || v.Me.Standing == lifecycle.CancelPending)
}

// mostAnswers bounds how many answers are read at once: more than a van's riders may
// give on one case.
const mostAnswers = 1000

// answersIn reads answers, the newest first. Arguments begin with $2.
func answersIn(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]Answer, error) {
	rows, _ := tx.Query(ctx, `select id, employee_id, held, wish, body, at, erased_at from poolpatrol.answer where `+where+` order by at desc, id limit $1`, append([]any{mostAnswers}, args...)...)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (one Answer, err error) {
		err = row.Scan(&one.ID, &one.Employee, &one.Held, &one.Wish, &one.Text, &one.At, &one.ErasedAt)
		return one, err
	})
}

// Standing names where the matter stands for this person, for the words of the page.
func (v Visit) Standing() string {
	switch {
	case v.Me.Standing == lifecycle.SubjectCancelled:
		return "removed"
	case v.State.Ended():
		return "closed"
	case !v.Asks():
		return "settled"
	}
	switch v.State {
	case lifecycle.ReAudit:
		return "again"
	case lifecycle.PreCancel:
		return "deciding"
	case lifecycle.Review:
		return "person"
	}
	switch {
	case !v.Due.IsZero():
		return "records"
	case v.Looking:
		return "looking"
	case v.Deadline.IsZero():
		return "resting"
	}
	return "waiting"
}

// Given are the answers that people on a case gave on their pages, the newest first.
func (a *Door) Given(ctx context.Context, one casefile.Case) (all []Answer, err error) {
	err = a.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		all, err = answersIn(ctx, tx, `case_id = $2`, one.ID)
		return err
	})
	return all, err
}
