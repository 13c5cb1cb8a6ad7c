package review

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// WorkflowName is what the engine calls the platform's own wait for a proposal.
// It never changes.
const WorkflowName = "review.Proposal"

// Input is what that workflow is given.
type Input struct {
	Org   identity.Org  `json:"org"`
	Key   string        `json:"key"` // of the act that is proposed
	Clock durable.Clock `json:"clock"`
}

// Workflow waits for a proposal that no other workflow waits for: it reminds,
// lets it go on to others and ends it in its time.
func Workflow(ctx workflow.Context, in Input) error {
	words := 0
	workflow.Go(ctx, func(ctx workflow.Context) {
		word := workflow.GetSignalChannel(ctx, SignalName)
		for {
			var d Decided
			word.Receive(ctx, &d)
			words++
		}
	})
	_, err := Wait(ctx, in, time.Time{}, func() int { return words })
	return err
}

// Wait holds a proposal's reminder, escalation and expiry for the workflow that
// waits for it, and returns what became of it. first is when something is first
// due, as Attend's Next says it, and zero to ask at once. words counts how often
// word of a decision has come: it only makes Wait look at the record.
func Wait(ctx workflow.Context, in Input, first time.Time, words func() int) (Decided, error) {
	var steps *Steps
	seen := 0
	for next, known := first, !first.IsZero(); ; known = true {
		if known {
			if err := waitUntil(ctx, in.Clock, next, func() bool { return words() > seen }); err != nil {
				return Decided{}, err
			}
		}
		seen = words()
		var now Attended
		if err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.AttendProposal, in.Org, in.Key, in.Clock.In(ctx)).
			Get(ctx, &now); err != nil {
			return Decided{}, err
		}
		if now.Decided.State != Open {
			return now.Decided, nil
		}
		next = now.Next
	}
}

// waitUntil waits for word, or for a moment where there is one. A moment that has
// passed is waited for a second all the same: the record says it is still to
// come, and asking it over and over would not bring it.
func waitUntil(ctx workflow.Context, clock durable.Clock, next time.Time, woken func() bool) error {
	if next.IsZero() {
		return workflow.Await(ctx, woken)
	}
	_, err := workflow.AwaitWithTimeout(ctx, max(clock.Real(next.Sub(clock.In(ctx))), time.Second), woken)
	return err
}
