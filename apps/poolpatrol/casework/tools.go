package casework

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// The tools that people hold the gavel over.
const (
	toolCancel = "cancel_membership"
	toolReview = "send_email_for_review"
	toolSettle = "settle_case"
)

// cancelArgs ask for the end of one membership.
type cancelArgs struct {
	Vanpool  theVan       `json:"vanpool_id"`
	Employee theRider     `json:"employee_id"`
	Because  checksFailed `json:"failed_checks"`
	Asked    stepKey      `json:"asked"`
	Replies  replyCount   `json:"replies"`
}

// reviewArgs are an answer to somebody, for a person to approve or to edit.
type reviewArgs struct {
	Employee theRider   `json:"employee_id"`
	Subject  string     `json:"subject" jsonschema:"The subject of the mail."`
	Body     string     `json:"body" jsonschema:"The text, without greeting and signature."`
	Asked    stepKey    `json:"asked"`
	Replies  replyCount `json:"replies"`
}

// settleArgs are what is to become of a case that code cannot take further.
type settleArgs struct {
	Choice   settlement       `json:"choice"`
	Employee fleet.EmployeeID `json:"employee_id,omitempty" jsonschema:"One rider; left out, everybody on the case."`
	Until    lastDay          `json:"until,omitempty"`
	Reason   string           `json:"reason,omitempty" jsonschema:"Why, or how they were told."`
	Why      whyAsked         `json:"why"`
	Again    whyAgain         `json:"again,omitempty"`
	Said     saidThen         `json:"said,omitempty"`
	Asked    stepKey          `json:"asked"`
	Replies  replyCount       `json:"replies"`
}

// came is how the case stands after a decision was carried out.
type came struct {
	State  string `json:"state"`
	Reason string `json:"sub_reason,omitempty"`
}

// gate is a tool that asks a programme manager, and asks all of them where one let it lie:
// nobody else may decide.
func gate(name, line string) tool.Tool {
	manager := []identity.Role{identity.ProgrammeManager}
	return tool.Tool{App: programme.Name, Name: name, Line: line, Effect: tool.Write, Gate: tool.Approve, Roles: manager, Deciders: manager,
		EscalateTo: manager, RemindAfter: 24 * time.Hour, EscalateAfter: store.LongAsked, ExpireAfter: lifecycle.Standard().Approval}
}

// TermsTool is the tool by which another programme manager decides what the terms become.
func TermsTool(k setting.Kind) tool.Tool { return amend.Tool[terms.Terms](gate("", ""), k) }

// Tools are those that people hold the gavel over. All of them ask.
func (a *Work) Tools() []tool.Tool {
	ends := gate(toolCancel, "End one rider's membership in a van, after the records were checked once more.")
	ends.Class = tool.Weighty // somebody loses their seat
	settles := gate(toolSettle, "Decide what happens next in a case that the rules can't settle.")
	settles.Choices = outcomes()
	return []tool.Tool{
		tool.Finds(tool.Binds(tool.Writes(ends, a.cancel), a.bindCancel), a.findCancel),
		tool.Finds(tool.Binds(tool.Writes(gate(toolReview, "Send a rider an answer to their reply."), a.sendReviewed), a.bindReview),
			a.findReview),
		tool.Finds(tool.Binds(tool.Foresees(tool.Writes(settles, a.settleCase), a.foreseeSettled),
			a.bindSettle), a.findSettle),
	}
}

// cancel carries out an approved cancellation. The records are looked at once more
// in the same transaction; who passes by now is cleared instead.
func (a *Work) cancel(ctx context.Context, tx pgx.Tx, e tool.Env, in cancelArgs) (came, error) {
	return a.carryOut(ctx, tx, e, func(s *step, by lifecycle.Decider) (lifecycle.Decision, error) {
		p, g, err := store.GroundsNow(ctx, tx, e.Org, s.life.Vanpool, s.terms, e.Key, s.at)
		if err != nil {
			return lifecycle.Decision{}, err
		}
		// Roads that were measured before: a router that hangs must not hold the act.
		if g.Inputs.Roads, err = a.store.Distances(ctx, e.Org, s.at, g.Ways(s.at)); err != nil {
			return lifecycle.Decision{}, err
		}
		run := audit.Of(g.Book, s.life.Vanpool, s.at, g.Judges(), g.Granted)
		if run.Outcome == audit.Errored {
			return lifecycle.Decision{}, fault.New(fault.Conflict, "%s cannot be looked at: %s", in.Vanpool, store.ReasonOf(run))
		}
		if err := audit.Fresh(g.Book.Taken(), s.at); err != nil {
			return lifecycle.Decision{}, err
		}
		who := fleet.EmployeeID(in.Employee)
		about := func(f check.Finding) bool { return f.Employee == who }
		if slices.ContainsFunc(run.Gaps(), about) && !slices.ContainsFunc(run.Findings(), about) {
			return lifecycle.Decision{}, fault.New(fault.Conflict, "the records do not say enough about %s any more", in.Employee)
		}
		look, err := store.WriteLook(ctx, tx, e.Org, p, run, s.file.ID)
		if err != nil {
			return lifecycle.Decision{}, err
		}
		s.looked = look
		return lifecycle.Decision{Choice: lifecycle.ApproveCancel, By: by, Employee: who, Seen: s.seen, Verified: s.at,
			Findings: s.judged(run)}, nil
	})
}

// sendReviewed sends an answer as a person approved it.
func (a *Work) sendReviewed(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (came, error) {
	return a.carryOut(ctx, tx, e, func(s *step, by lifecycle.Decider) (lifecycle.Decision, error) {
		s.draft = in
		return lifecycle.Decision{Choice: lifecycle.SendDraft, By: by, Employee: fleet.EmployeeID(in.Employee), Seen: s.seen}, nil
	})
}

// settleCase does what a person chose.
func (a *Work) settleCase(ctx context.Context, tx pgx.Tx, e tool.Env, in settleArgs) (came, error) {
	return a.carryOut(ctx, tx, e, func(s *step, by lifecycle.Decider) (lifecycle.Decision, error) {
		return in.decision(by, s.seen)
	})
}

// decision is what a person chose, as the lifecycle takes it. A rider who is left
// out is one of whom only blanks were typed, too.
func (in settleArgs) decision(by lifecycle.Decider, seen int) (lifecycle.Decision, error) {
	d := lifecycle.Decision{Choice: lifecycle.Choice(in.Choice), By: by, Employee: fleet.EmployeeID(strings.TrimSpace(string(in.Employee))),
		Reason: in.Reason, Seen: seen}
	if strings.TrimSpace(string(in.Until)) == "" {
		return d, nil
	}
	var err error
	if d.Until, err = fleet.ParseDate(strings.TrimSpace(string(in.Until))); err != nil {
		return d, fault.From(fault.Invalid, err, "the last day is not a day as 2026-12-31").WithNext("fill in the last day").
			On("until", "settle_day", "")
	}
	return d, nil
}

// foreseeSettled says why what a person is about to choose could not be done to the
// case as it stands. What they will be refused over later they are told now.
func (a *Work) foreseeSettled(ctx context.Context, tx pgx.Tx, e tool.Env, in settleArgs) error {
	s, err := a.hold(ctx, tx, casefile.CaseID(e.Case), e.At)
	if err != nil {
		return err
	}
	by, err := s.decider(ctx, e.Actor.ID, e.Actor.Roles)
	if err != nil {
		return err
	}
	d, err := in.decision(by, int(in.Replies))
	if err != nil {
		return err
	}
	_, _, err = lifecycle.Step(s.life, lifecycle.Event{Kind: lifecycle.Decided, At: s.at, Employee: d.Employee, Decision: &d}, s.rules)
	return err
}

// carryOut lets a decision happen to its case. The lifecycle says whether it may
// be taken, by this person and now; where it may not, nothing is done and the act
// says why.
func (a *Work) carryOut(ctx context.Context, tx pgx.Tx, e tool.Env,
	decide func(*step, lifecycle.Decider) (lifecycle.Decision, error)) (came, error) {
	s, err := a.hold(ctx, tx, casefile.CaseID(e.Case), a.now())
	if err != nil {
		return came{}, err
	}
	by, err := s.approver(ctx, e.Key)
	if err != nil {
		return came{}, err
	}
	// What has happened since the person looked comes first: a reply, leave, a mail
	// that came back.
	since, err := s.gather(ctx)
	if err != nil {
		return came{}, err
	}
	if err := s.take(ctx, since...); err != nil {
		return came{}, err
	}
	d, err := decide(s, by)
	if err != nil {
		return came{}, err
	}
	event := lifecycle.Event{Kind: lifecycle.Decided, At: s.at, Employee: d.Employee, Decision: &d}
	if _, _, err := lifecycle.Step(s.life, event, s.rules); err != nil {
		return came{}, err
	}
	if err := s.take(ctx, happening{"proposal:" + s.proposal, event}); err != nil {
		return came{}, err
	}
	return came{State: string(s.life.State), Reason: string(s.life.SubReason)}, a.cases.Rouse(ctx, tx, s.file)
}

// approver is who approved the act of a key, and by which proposal. How many replies
// they had before them is what the case said when it asked, whatever was edited since.
func (s *step) approver(ctx context.Context, key string) (lifecycle.Decider, error) {
	found, ok, err := review.QuestionOf(ctx, s.tx, s.file.Org, key)
	if err != nil || !ok || found.Proposal.State != review.Approved && found.Proposal.State != review.Edited {
		return lifecycle.Decider{}, fault.From(fault.Refused, cmp.Or(err, pgx.ErrNoRows), "nobody has approved this")
	}
	q := asQuestion(found)
	s.proposal, s.seen = q.Proposal.ID, q.args.Replies
	return s.decider(ctx, q.Made.ActorID, q.Made.Roles)
}
