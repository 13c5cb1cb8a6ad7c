package survey

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/timetable"
)

// WatchWorkflow has the lake of an organisation looked at when it is time. It lives as
// long as the organisation has a lake: while it is paused it waits to be woken.
func WatchWorkflow(ctx workflow.Context, in timetable.Input) error {
	var steps *Steps
	return timetable.Keep(ctx, in, WatchWorkflow, func(ctx workflow.Context, at time.Time) (time.Time, bool, error) {
		var next Turn
		err := workflow.ExecuteLocalActivity(ctx, steps.Due, in, at).Get(ctx, &next)
		return next.At, next.Over, err
	})
}
