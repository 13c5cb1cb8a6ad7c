package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// readReply is to have a reply read that came in, by its key.
const readReply lifecycle.ActionKind = "read_reply"

// Do does what steps of a case left to be done, in order. Each may have been done
// before and is done once.
func (s *Steps) Do(ctx context.Context, in casefile.Input) error {
	for {
		a, err := s.work.nextTodo(ctx, in)
		if err != nil || a == nil {
			return err
		}
		err = s.work.do(ctx, in, *a)
		if err != nil && !fault.KindOf(err).Retryable() {
			err = s.work.giveUp(ctx, in, *a, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.Kind, err)
		}
		if err := s.work.doneWith(ctx, in, a.Key); err != nil {
			return err
		}
	}
}

// giveUp is what follows where something left to do cannot be done, now or later: a
// case does not die of it. A look that cannot be taken is one that could not be done,
// and is taken again; people who were not asked are asked when the case wakes.
func (a *Work) giveUp(ctx context.Context, in casefile.Input, what lifecycle.Action, why error) error {
	a.log.ErrorContext(ctx, "something left to do on a case cannot be done", slog.String("case", string(in.Case)),
		slog.String("what", string(what.Kind)), slog.Any("error", why))
	if what.Kind != lifecycle.StartReAudit {
		return nil
	}
	return a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		s, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil {
			return err
		}
		return s.take(ctx, happening{"looked:" + what.Key, lifecycle.Event{Kind: lifecycle.ReAudited, At: s.at, Failed: true}})
	})
}

// nextTodo is the first thing left to do for code alone; nil where there is none.
func (a *Work) nextTodo(ctx context.Context, in casefile.Input) (next *lifecycle.Action, err error) {
	err = a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		code, _, err := a.todo(ctx, tx, in.Org, in.Case)
		if len(code) > 0 {
			next = &code[0]
		}
		return err
	})
	return next, err
}

func (a *Work) do(ctx context.Context, in casefile.Input, what lifecycle.Action) error {
	switch what.Kind {
	case lifecycle.StartReAudit:
		return a.lookAgain(ctx, in, what)
	case lifecycle.WithdrawAsks:
		return a.withdraw(ctx, in)
	case lifecycle.AskCancel:
		return a.ask(ctx, in, what, func(s *step) (any, error) {
			return cancelArgs{Vanpool: theVan(s.life.Vanpool), Employee: theRider(what.Employee), Because: append(checksFailed{},
				what.Checks...), Asked: stepKey(what.Key), Replies: replyCount(s.life.Inbound)}, nil
		}, toolCancel)
	case lifecycle.AskPerson:
		return a.ask(ctx, in, what, func(s *step) (any, error) {
			again, said, err := s.askedBefore(ctx)
			return settleArgs{Choice: settlement(lifecycle.LookAgain), Why: whyAsked(what.Why), Again: again, Said: said,
				Asked: stepKey(what.Key), Replies: replyCount(s.life.Inbound)}, err
		}, toolSettle)
	case lifecycle.SaveDraft:
		return a.ask(ctx, in, what, func(s *step) (any, error) { return holdingReply(ctx, s, what) }, toolReview)
	case readReply:
		return a.readBy(ctx, in, what, "", "") // no model is asked: a person reads it
	case putGrounds:
		return a.groundCase(ctx, in, what)
	case explainAudit: // nor here any more: the findings speak for themselves
		return nil
	}
	return fault.New(fault.Internal, "nobody knows how to %s", what.Kind)
}

// holdingReply is a draft that promises nothing: what a person finds before them
// where no model has worded an answer.
func holdingReply(ctx context.Context, s *step, what lifecycle.Action) (reviewArgs, error) {
	to, err := addressee(ctx, s.tx, what.Employee)
	subject, body := post.HoldingReply(post.Speaks(to.language))
	return reviewArgs{Employee: theRider(what.Employee), Subject: subject, Asked: stepKey(what.Key), Replies: replyCount(s.life.Inbound),
		Body: body}, err
}

// lookAgain audits the van once more, on the records as they are now, and tells
// the case. Records that cannot be read, or are too old, are a look that could not
// be done.
func (a *Work) lookAgain(ctx context.Context, in casefile.Input, what lifecycle.Action) error {
	var van fleet.VanpoolID
	var at time.Time
	var g store.Grounds
	var p store.Pass
	err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		c, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil {
			return err
		}
		van, at = c.life.Vanpool, c.at
		if late := store.RefuseStale(ctx, tx, at); fault.Is(late, fault.Conflict) {
			return c.take(ctx, happening{"looked:" + what.Key, lifecycle.Event{Kind: lifecycle.ReAudited, At: at, Failed: true}})
		}
		p, g, err = store.GroundsNow(ctx, tx, in.Org, van, c.terms, what.Key, at)
		return err
	})
	if err != nil || g.Book == nil {
		return err
	}
	if g.Inputs.Roads, err = a.roadsFor(ctx, in.Org, g.Ways(at), at); err != nil {
		return err
	}
	ask := g.Judges()
	if len(what.Checks) > 0 {
		ask = only(ask, what.Checks)
	}
	run := audit.Of(g.Book, van, at, ask, g.Granted)
	return a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return a.lookedAgain(ctx, tx, in, what, p, run) })
}

// lookedAgain writes a look down and lets the case know of it.
func (a *Work) lookedAgain(ctx context.Context, tx pgx.Tx, in casefile.Input, what lifecycle.Action, p store.Pass, run audit.Run) error {
	c, err := a.hold(ctx, tx, in.Case, a.now())
	if err != nil {
		return err
	}
	e := lifecycle.Event{Kind: lifecycle.ReAudited, At: c.at, Findings: c.judged(run), Full: len(what.Checks) == 0,
		Failed: run.Outcome == audit.Errored}
	id, err := store.WriteLook(ctx, tx, in.Org, p, run, c.file.ID)
	if err != nil {
		return err
	}
	if run.Outcome == audit.Failed {
		c.run = id
		if err := c.ground(ctx, id, run.Verdicts); err != nil {
			return err
		}
	}
	return c.take(ctx, happening{"looked:" + what.Key, e})
}

// withdraw takes back what people were asked about a case.
func (a *Work) withdraw(ctx context.Context, in casefile.Input) error {
	var asked []review.Question
	err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) (err error) {
		asked, err = review.Questions(ctx, tx, in.Org, in.Case, programme.Name)
		return err
	})
	for _, q := range slices.Backward(asked) {
		if err != nil {
			return err
		}
		if q.Proposal.State == review.Open {
			_, err = a.reviews.Withdraw(ctx, identity.Gavel(in.Org), q.Proposal.ID, review.Superseded)
		}
	}
	return err
}

// ask puts something before people, once. What is not asked for any more, because
// the case has moved on, is not asked.
func (a *Work) ask(ctx context.Context, in casefile.Input, what lifecycle.Action, args func(*step) (any, error), tool string) error {
	var text json.RawMessage
	err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		c, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil || c.life.State != lifecycle.Review && c.life.State != lifecycle.PreCancel {
			return err
		}
		asked, err := c.asked(ctx, tool)
		if err != nil || slices.ContainsFunc(asked, func(q question) bool { return q.args.Asked == what.Key }) {
			return err
		}
		want, err := args(c)
		if err != nil {
			return err
		}
		text, err = json.Marshal(want)
		return err
	})
	if err != nil || text == nil {
		return err
	}
	_, err = a.calls.Take(ctx, identity.Gavel(in.Org), agent.Call{App: programme.Name, Tool: tool, Args: text, Case: string(in.Case),
		Via: programme.Name})
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Refused) {
		// The case has ended meanwhile, or policy does not let us ask. A case that still
		// waits for a person asks again.
		a.log.WarnContext(ctx, "people were not asked", slog.String("case", string(in.Case)), slog.String("tool", tool),
			slog.Any("error", err))
		return nil
	}
	return err
}

// only are the specialists of some checks.
func only(all []check.Specialist, names []check.Name) []check.Specialist {
	return slices.DeleteFunc(all, func(s check.Specialist) bool { return !slices.Contains(names, s.Name) })
}

// judged are the findings of a look at the van of a case. Who could not be judged,
// because something is missing from the records or they are away, stands as they
// stood: nobody is cleared by a gap.
func (s *step) judged(run audit.Run) []check.Finding {
	all, gaps := run.Findings(), run.Gaps()
	for _, x := range s.life.Subjects {
		for _, f := range x.Findings {
			gap := slices.ContainsFunc(gaps, func(g check.Finding) bool { return g.Employee == f.Employee && g.Check == f.Check })
			known := slices.ContainsFunc(all, func(o check.Finding) bool { return o.Employee == f.Employee && o.Check == f.Check })
			if (gap || x.Away) && !known && (x.Standing == lifecycle.SubjectOpen || x.Standing == lifecycle.CancelPending) {
				all = append(all, f)
			}
		}
	}
	return all
}
