package poolpatrol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// What the case itself says on the cards that people decide: it is computed when they are
// asked, when one of them is about to approve, and when it is carried out. Whoever asks
// names the rider, and the rest is the record's.

// bindCancel is a request to end a membership as the case has it: its van, what the rider
// fails, and how many replies there are.
func (a *app) bindCancel(ctx context.Context, tx pgx.Tx, e tool.Env, in cancelArgs) (cancelArgs, error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	x, _ := s.life.Subject(fleet.EmployeeID(in.Employee))
	if s.life.State != lifecycle.PreCancel || x.Standing != lifecycle.CancelPending {
		return in, fault.New(fault.Conflict, "case %s asks for no end of the membership of %.60s", s.file.Ref, in.Employee).
			WithNext("look at the case: it asks by itself once everybody was heard")
	}
	in.Vanpool, in.Because = theVan(s.life.Vanpool), append(checksFailed{}, x.FailedChecks()...)
	in.Replies = replyCount(s.life.Inbound)
	in.Asked, err = s.stepAsking(ctx, in.Asked, lifecycle.AskCancel, x.Employee)
	return in, err
}

// bindReview is an answer to a rider as the case has it: to somebody it is about, after
// so many replies.
func (a *app) bindReview(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (reviewArgs, error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	x, there := s.life.Subject(fleet.EmployeeID(in.Employee))
	if !there {
		return in, fault.New(fault.Conflict, "case %s is not about %.60s", s.file.Ref, in.Employee).WithNext("name somebody the case is about")
	}
	in.Replies = replyCount(s.life.Inbound)
	in.Asked, err = s.stepAsking(ctx, in.Asked, lifecycle.SaveDraft, x.Employee)
	return in, err
}

// bindSettle is the question what becomes of a case, as the case has it: what brought it
// there, what became of the question before, and how many replies there are.
func (a *app) bindSettle(ctx context.Context, tx pgx.Tx, e tool.Env, in settleArgs) (settleArgs, error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	in.Why, in.Replies = whyAsked(s.life.Why), replyCount(s.life.Inbound)
	if in.Asked, err = s.stepAsking(ctx, in.Asked, lifecycle.AskPerson, ""); err != nil {
		return in, err
	}
	before, err := s.saidBefore(ctx, e)
	if err != nil || e.Proposal != "" && slices.Contains(before, said{in.Again, in.Said}) {
		return in, err
	}
	in.Again, in.Said = before[0].again, before[0].said
	return in, nil
}

// asking is the case that people are asked about.
func (a *app) asking(ctx context.Context, tx pgx.Tx, e tool.Env) (*step, error) {
	if e.Case == "" {
		return nil, fault.New(fault.Invalid, "say which case it is about").WithNext("name a case of Pool Patrol")
	}
	return a.hold(ctx, tx, casefile.CaseID(e.Case), a.now())
}

// stepAsking is the step of the case that asks: the one that is named, if it is one of
// that kind about that person, else the newest; none where the case has none.
func (s *step) stepAsking(ctx context.Context, named stepKey, kind lifecycle.ActionKind, who fleet.EmployeeID) (key stepKey, err error) {
	const one = `select key from poolpatrol.case_todo where case_id = $1 and action->>'kind' = $2 and coalesce(action->>'employee_id', '') = $3
		order by key = $4 desc, n desc limit 1`
	err = s.tx.QueryRow(ctx, one, s.file.ID, kind, who, named).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("which step of %s asks: %w", s.file.Ref, err)
	}
	return key, nil
}
