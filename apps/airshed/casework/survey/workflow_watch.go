package survey

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// WatchWorkflow has the lake of an organisation looked at when it is time. It lives as
// long as the organisation has a lake: while it is paused it waits to be woken. It is a
// workflow and no schedule of the engine's, because those go by the wall clock and hours
// pass on ours.
func WatchWorkflow(ctx workflow.Context, in store.WatchInput) error {
	woken := durable.Listen(ctx, casefile.WakeSignalName)
	var steps *Steps
	for {
		seen := woken()
		var next Turn
		if err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Due, in, in.Clock.In(ctx)).Get(ctx, &next); err != nil || next.Over {
			return err
		}
		if err := in.Clock.Sleep(ctx, next.At, func() bool { return woken() != seen }); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, WatchWorkflow, in)
		}
	}
}
