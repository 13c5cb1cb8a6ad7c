package review

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// Steps are what a workflow that waits for a proposal does in the world. Each may
// be repeated.
type Steps struct{ store *Store }

// NewSteps are the steps of a store, for the worker of an application whose
// workflow calls Wait.
func NewSteps(s *Store) *Steps { return &Steps{store: s} }

// AttendProposal does what is due around a proposal: see Store.Attend. Its name
// is its own among all steps of a queue.
func (s *Steps) AttendProposal(ctx context.Context, org identity.Org, key string, at time.Time) (Attended, error) {
	return s.store.Attend(ctx, org, key, at)
}

// Queue is where the platform's own wait is worked.
const Queue = "general"

// Work adds to the platform's own work what it needs to wait for proposals that
// nobody else waits for.
func Work(w durable.Work, s *Store) durable.Work {
	w.Workflows = append(w.Workflows, durable.Workflow{Name: WorkflowName, Func: Workflow})
	w.Activities = append(w.Activities, NewSteps(s))
	return w
}
