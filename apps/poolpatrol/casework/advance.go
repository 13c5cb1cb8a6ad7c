package casework

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
)

// A Standing is how a case stands after it was moved on.
type Standing struct {
	Ended bool      `json:"ended,omitempty"`
	Left  bool      `json:"left,omitempty"`  // something is to be done first
	Asked bool      `json:"asked,omitempty"` // only in histories from before an act told its case how it ended
	Ask   []Thought `json:"ask,omitempty"`   // agents are to be asked
	Wake  time.Time `json:"wake,omitzero"`
}

// Advance lets happen to a case whatever has happened, and what is due.
func (s *Steps) Advance(ctx context.Context, in casefile.Input, at time.Time) (now Standing, err error) {
	err = s.work.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		now, err = s.work.advance(ctx, tx, in.Case, at.UTC().Truncate(time.Microsecond))
		return err
	})
	return now, err
}

func (a *Work) advance(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (Standing, error) {
	c, err := a.hold(ctx, tx, id, at)
	if err != nil {
		return Standing{}, err
	}
	if !c.life.State.Ended() {
		events, err := c.gather(ctx)
		if err != nil {
			return Standing{}, err
		}
		if err := c.take(ctx, events...); err != nil {
			return Standing{}, err
		}
		if wake := c.life.Wake(c.rules); !wake.IsZero() && !wake.After(at) {
			if err := c.take(ctx, happening{"tick:" + at.Format(time.RFC3339Nano), lifecycle.Event{Kind: lifecycle.Ticked,
				At: at}}); err != nil {
				return Standing{}, err
			}
		}
	}
	return c.standing(ctx)
}

// standing says how the case stands after it was moved on, and sees to it that
// people know: of what they approved and was not done, and that they are asked.
func (s *step) standing(ctx context.Context) (Standing, error) {
	now := Standing{Ended: s.life.State.Ended(), Wake: s.life.Wake(s.rules)}
	if !now.Ended {
		if err := s.noteFailed(ctx); err != nil {
			return Standing{}, err
		}
	}
	if s.life.State == lifecycle.Review || s.life.State == lifecycle.PreCancel {
		if err := s.askAgain(ctx); err != nil {
			return Standing{}, err
		}
	}
	code, ask, err := s.work.todo(ctx, s.tx, s.file.Org, s.file.ID)
	now.Left = len(code) > 0
	if !now.Ended {
		now.Ask = ask
	}
	return now, err
}

// askAgain sees to it that a case before a person is: where nobody is asked any
// more, because somebody said no, the request ran out, or what they approved could
// not be done, they are asked anew.
func (s *step) askAgain(ctx context.Context) error {
	if code, _, err := s.work.todo(ctx, s.tx, s.file.Org, s.file.ID); err != nil || len(code) > 0 {
		return err
	}
	again := lifecycle.Action{Kind: lifecycle.AskPerson, Why: s.life.Why}
	if s.life.State == lifecycle.Review {
		return s.askUnlessAsked(ctx, toolSettle, again)
	}
	for _, x := range s.life.Subjects {
		if x.Standing != lifecycle.CancelPending {
			continue
		}
		again = lifecycle.Action{Kind: lifecycle.AskCancel, Employee: x.Employee, Checks: x.FailedChecks()}
		if err := s.askUnlessAsked(ctx, toolCancel, again); err != nil {
			return err
		}
	}
	return nil
}

// askUnlessAsked leaves a question to people where it is not before them: neither
// open nor approved and on its way.
func (s *step) askUnlessAsked(ctx context.Context, tool string, a lifecycle.Action) error {
	asked, err := s.asked(ctx, tool)
	if err != nil {
		return err
	}
	asked = slices.DeleteFunc(asked, func(q question) bool { return q.about() != a.Employee })
	if slices.ContainsFunc(asked, func(q question) bool { return q.Under() }) {
		return nil
	}
	// once an hour, where nobody could be asked
	a.Key = fmt.Sprintf("%s/%d/again-%d-%s-%s", s.file.Ref, s.life.Steps, len(asked), s.at.Format("0102T15"), a.Employee)
	return s.leave(ctx, a)
}
