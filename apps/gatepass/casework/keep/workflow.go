package keep

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Workflows are those of this package.
func Workflows() []durable.Workflow {
	return []durable.Workflow{{Name: store.KeepName, Func: Workflow}}
}

// Workflow has the keeper look every hour. It ends with the last thing that is kept, and is begun again with the next.
func Workflow(ctx workflow.Context, in timetable.Input) error {
	var steps *Steps
	return timetable.Keep(ctx, in, Workflow, func(ctx workflow.Context, at time.Time) (time.Time, bool, error) {
		var turn store.KeepTurn
		if err := workflow.ExecuteLocalActivity(ctx, steps.KeepDue, in, at).Get(ctx, &turn); err != nil {
			return time.Time{}, false, err
		}
		if turn.Due {
			if err := workflow.ExecuteActivity(durable.Turn(ctx), steps.KeepSweep, in, at).Get(ctx, nil); err != nil {
				workflow.GetLogger(ctx).Warn("what is kept no longer was not ended", "error", err) // the next hour tries again
			}
		}
		return turn.Next, turn.Over, nil
	})
}
