package timetable

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// Keep is the body of a timetable's workflow: it has a step of the application begin what is
// due, and waits until the next moment or until somebody wakes it. look runs that step and
// says when the next moment is, zero where nothing comes until it is woken; over ends it. It
// is a workflow and no schedule of the engine's, because those go by the wall clock and hours
// pass on ours. self is the workflow, begun anew before its history grows long.
func Keep(ctx workflow.Context, in Input, self any,
	look func(ctx workflow.Context, at time.Time) (next time.Time, over bool, err error),
) error {
	woken := durable.Listen(ctx, casefile.WakeSignalName)
	for {
		seen := woken()
		next, over, err := look(durable.Step(ctx), in.Clock.In(ctx))
		if err != nil || over {
			return err
		}
		if err := in.Clock.Sleep(ctx, next, func() bool { return woken() != seen }); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, self, in)
		}
	}
}
