package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/tool"
)

// The arguments of what people decide. Each type says its own form: what can be
// picked is picked and not typed, and what the case itself says cannot be edited.

// A settlement is what a person may choose for a case that code cannot take further.
type settlement lifecycle.Choice

// JSONSchema lists them, the mildest first.
func (settlement) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(lifecycle.LookAgain), string(lifecycle.WasReached),
		string(lifecycle.GrantUntil), string(lifecycle.WasRight), string(lifecycle.AskToCancel)},
		Description: "exception: allow until a day; false_positive: nothing was wrong; re_audit: check again; proceed: ask to end " +
			"memberships; reached: contacted by phone or in person."}
}

// outcomes are the same as a page shows them, each with what it needs to know.
func outcomes() tool.Choices {
	return tool.Choices{Arg: "choice", All: []tool.Choice{
		{Value: string(lifecycle.LookAgain)},
		{Value: string(lifecycle.WasReached), Fields: []string{"employee_id", "reason"}, Must: []string{"employee_id", "reason"}},
		{Value: string(lifecycle.GrantUntil), Fields: []string{"until", "employee_id", "reason"}, Must: []string{"until", "reason"}},
		{Value: string(lifecycle.WasRight), Fields: []string{"employee_id", "reason"}, Must: []string{"reason"}},
		{Value: string(lifecycle.AskToCancel)},
	}}
}

// A lastDay is the last day of an exception.
type lastDay string

// JSONSchema says that it is a date, which is picked.
func (lastDay) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "date", Description: "The last day of an exception, as 2026-12-31."}
}

// A whyAsked is what brought a case before a person.
type whyAsked lifecycle.Why

// JSONSchema says that it is the case's to say.
func (whyAsked) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "What brought the case here."}
}

// JSONSchema says that it is the case's to say.
func (whyAgain) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "Why it is asked once more.",
		Enum: []any{string(againRejected), string(againSentBack), string(againExpired), string(againFailed), string(againUndone),
			string(againLooked), string(againNotLooked)}}
}

// A saidThen is what was said to the question before this one: by a person who said
// no, or by the act that could not be done.
type saidThen string

// JSONSchema says that it is the case's to say.
func (saidThen) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "What was said to the question before."}
}

// A stepKey is the step of the case that asks. It keeps one question apart from the
// next, and says nothing to a person.
type stepKey string

// JSONSchema says that it is the case's to say, and not shown.
func (stepKey) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The step of the case that asks.",
		Extra: map[string]any{form.HiddenWord: true}}
}

// A replyCount is how many replies there were when something was asked.
type replyCount int

// JSONSchema says that it is the case's to say.
func (replyCount) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Description: "How many replies there were when it was asked."}
}

// checksFailed are the checks that somebody does not pass.
type checksFailed []check.Name

// JSONSchema says that all of the list is the case's to say: no row of it is edited,
// added or dropped.
func (checksFailed) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", ReadOnly: true, Items: &jsonschema.Schema{Type: "string", ReadOnly: true},
		Description: "What does not pass."}
}

// A theVan and a theRider are whom it is about, where nobody chooses that.
type (
	theVan   fleet.VanpoolID
	theRider fleet.EmployeeID
)

// JSONSchema says that it is the case's to say.
func (theVan) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The van."}
}

// JSONSchema says that it is the case's to say.
func (theRider) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The rider it is about."}
}

// What the case itself says on the cards that people decide: it is computed when they are
// asked, when one of them is about to approve, and when it is carried out. Whoever asks
// names the rider, and the rest is the record's.

// bindCancel is a request to end a membership as the case has it: its van, what the rider
// fails, and how many replies there are.
func (a *Work) bindCancel(ctx context.Context, tx pgx.Tx, e tool.Env, in cancelArgs) (cancelArgs, error) {
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
func (a *Work) bindReview(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (reviewArgs, error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	x, there := s.life.Subject(fleet.EmployeeID(in.Employee))
	if !there {
		return in, fault.New(fault.Conflict, "case %s is not about %.60s", s.file.Ref, in.Employee).
			WithNext("name somebody the case is about")
	}
	in.Replies = replyCount(s.life.Inbound)
	in.Asked, err = s.stepAsking(ctx, in.Asked, lifecycle.SaveDraft, x.Employee)
	return in, err
}

// bindSettle is the question what becomes of a case, as the case has it: what brought it
// there, what became of the question before, and how many replies there are.
func (a *Work) bindSettle(ctx context.Context, tx pgx.Tx, e tool.Env, in settleArgs) (settleArgs, error) {
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
func (a *Work) asking(ctx context.Context, tx pgx.Tx, e tool.Env) (*step, error) {
	if e.Case == "" {
		return nil, fault.New(fault.Invalid, "say which case it is about").WithNext("name a case of Pool Patrol")
	}
	return a.hold(ctx, tx, casefile.CaseID(e.Case), a.now())
}

// stepAsking is the step of the case that asks: the one that is named, if it is one of
// that kind about that person, else the newest; none where the case has none.
func (s *step) stepAsking(ctx context.Context, named stepKey, kind lifecycle.ActionKind, who fleet.EmployeeID) (key stepKey, err error) {
	const one = `select key from poolpatrol.case_todo where case_id = $1 and action->>'kind' = $2
		and coalesce(action->>'employee_id', '') = $3
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
