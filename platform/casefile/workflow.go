package casefile

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// Names the engine knows; they never change.
const (
	WorkflowName    = "casefile.Case"
	CloseSignalName = "close"
)

// The statuses of a General case.
const (
	StatusOpened  = "opened"
	StatusTakenUp = "taken_up"
	StatusClosing = "closing" // a person asked; the workflow has yet to do it
	StatusDone    = "done"    // a person closed it
	StatusExpired = "expired" // its date passed
)

// Input is what a case's workflow is given: ids, and the clock it lives by.
type Input struct {
	Org   identity.Org  `json:"org"`
	Case  CaseID        `json:"case"`
	Clock durable.Clock `json:"clock"`

	// Procedure is how the platform's own parts of a workflow go on, so that a history keeps to what it began with;
	// missing for those from before agents worked in stretches.
	Procedure int `json:"procedure,omitempty"`
}

// Procedure is the newest.
const Procedure = 1

// A CloseSignal says that a person's wish to close a case is on record.
type CloseSignal struct {
	Case CaseID `json:"case"`
}

// Workflow is the life of a case that no application owns: it is taken up, it
// waits for a person or its date, and it is closed.
func Workflow(ctx workflow.Context, in Input) error {
	ctx = durable.Step(ctx)
	var steps *Steps
	var taken TakenUp
	if err := workflow.ExecuteLocalActivity(ctx, steps.TakeUp, in, in.Clock.In(ctx)).Get(ctx, &taken); err != nil {
		return err
	}
	if taken.Closed {
		return nil // a repeated start after the case's end
	}
	status := wait(ctx, in, taken)
	return workflow.ExecuteLocalActivity(ctx, steps.Finish, in, status, in.Clock.In(ctx)).Get(ctx, nil)
}

// wait returns how the case ended: a person closed it, or its date passed.
func wait(ctx workflow.Context, in Input, taken TakenUp) string {
	if taken.Closing {
		return StatusDone
	}
	status := ""
	s := workflow.NewSelector(ctx)
	s.AddReceive(workflow.GetSignalChannel(ctx, CloseSignalName), func(ch workflow.ReceiveChannel, _ bool) {
		var sig CloseSignal
		// Not Receive: that drops a stranger's signal and waits for the next, date or no date.
		if ch.ReceiveAsync(&sig) && sig.Case == in.Case { // not one meant for an earlier case of the same key
			status = StatusDone
		}
	})
	timers, stop := workflow.WithCancel(ctx)
	defer stop()
	if !taken.DueAt.IsZero() {
		s.AddFuture(in.Clock.Timer(timers, taken.DueAt), func(workflow.Future) { status = StatusExpired })
	}
	for status == "" {
		s.Select(ctx)
	}
	return status
}

// TakenUp is what a case's workflow learns when it begins.
type TakenUp struct {
	Closed  bool      `json:"closed,omitempty"`
	Closing bool      `json:"closing,omitempty"` // a person asked before the workflow began
	DueAt   time.Time `json:"due_at,omitzero"`
}
