package poolpatrol

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// PassName is the name the engine knows a pass by; it never changes.
const PassName = "poolpatrol.Pass"

// PassWorkflow looks at every van once, and then sees to what follows. What it
// found is in the database; the engine only sees to it that the pass comes to its
// end, whatever fails on the way.
func PassWorkflow(ctx workflow.Context, in PassInput) error {
	ctx = durable.Outside(ctx)
	var steps *Steps
	var more, done bool
	if err := workflow.ExecuteActivity(ctx, steps.Pin, in).Get(ctx, &more); err != nil || !more {
		return err
	}
	for !done {
		if err := workflow.ExecuteActivity(ctx, steps.Look, in).Get(ctx, &done); err != nil {
			return err
		}
	}
	for done = false; !done; {
		if err := workflow.ExecuteActivity(ctx, steps.Settle, in).Get(ctx, &done); err != nil {
			return err
		}
	}
	return nil
}
