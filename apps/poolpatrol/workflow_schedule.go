package poolpatrol

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// CalendarName is the name the engine knows a programme's calendar by; it never
// changes.
const CalendarName = "poolpatrol.Calendar"

// CalendarWorkflow begins a programme's passes when it is time. It lives as long as
// the programme: one whose schedule is off waits to be woken. It is a workflow and
// no schedule of the engine's, because those go by the wall clock and days pass on
// ours.
func CalendarWorkflow(ctx workflow.Context, in CalendarInput) error {
	woken := durable.Listen(ctx, wakes()...)
	var steps *Steps
	for {
		seen := woken()
		var next time.Time
		if err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Due, in, in.Clock.In(ctx)).Get(ctx, &next); err != nil {
			return err
		}
		if err := in.Clock.Sleep(ctx, next, func() bool { return woken() != seen }); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, CalendarWorkflow, in)
		}
	}
}
