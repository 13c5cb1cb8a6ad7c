package casefile

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
)

// Steps are what a General case's workflow does in the world. Each may be
// repeated and leaves one entry.
type Steps struct{ store *Store }

// Work is what the engine needs to carry cases of a kind that has no workflow
// of its own, General ones above all.
func Work(s *Store, k Kind) durable.Work {
	return durable.Work{
		App:        k.App,
		Workflows:  []durable.Workflow{{Name: WorkflowName, Func: Workflow}},
		Activities: []any{&Steps{store: s}},
	}
}

// TakeUp notes that the case has been taken up, and tells the workflow what it
// needs to know. The row is locked, so that a person who asks to close the case
// at the same moment is not overwritten.
func (s *Steps) TakeUp(ctx context.Context, in Input, at time.Time) (t TakenUp, err error) {
	err = s.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		c, err := Lock(ctx, tx, in.Case)
		if err != nil {
			return err
		}
		t = TakenUp{Closed: c.State == Closed, Closing: c.Status == StatusClosing}
		if c.DueAt != nil {
			t.DueAt = *c.DueAt
		}
		if t.Closed || t.Closing {
			return nil
		}
		_, _, err = Apply(ctx, tx, in.Case, Change{
			Key:        "taken_up",
			Entry:      entryOf(in.Org, "taken_up", "", at),
			State:      Waiting,
			Status:     StatusTakenUp,
			WaitingFor: "a person to close it",
		})
		return err
	})
	return t, err
}

// Finish closes the case. A person's wish that is on record goes before a date
// that passed while it was on its way.
func (s *Steps) Finish(ctx context.Context, in Input, status string, at time.Time) error {
	return s.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return Finish(ctx, tx, in, status, at) })
}

// Finish closes a case in the caller's transaction, with an entry that says how it ended.
// Where a person wants it closed, it ended so. A case that is closed already stays as it is.
func Finish(ctx context.Context, tx pgx.Tx, in Input, status string, at time.Time) error {
	c, err := Lock(ctx, tx, in.Case)
	if err != nil {
		return err
	}
	if c.Status == StatusClosing {
		status = StatusDone
	}
	_, _, err = Apply(ctx, tx, in.Case, Change{
		Key: "closed", Entry: entryOf(in.Org, "closed", status, at), State: Closed, Status: status,
	})
	return err
}
