package mind

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// everyDay is how long the case of a report sleeps at most: whatever happens to it wakes it.
const everyDay = 24 * time.Hour

// CaseWorkflow lives as long as the case of a report. Agents work beside it, some at a time: one that is away keeps neither the
// others nor people from anything.
func CaseWorkflow(ctx workflow.Context, in casefile.Input) error {
	woken := durable.Listen(ctx, casefile.WakeSignalName, casefile.CloseSignalName)
	crew := agent.Open(ctx, in).Crew(ctx)
	var steps *Steps
	for crew.Err() == nil {
		seen, heard := woken(), crew.Heard()
		var now CaseStanding
		if err := workflow.ExecuteActivity(durable.Turn(ctx), steps.AdvanceReport, in, in.Clock.In(ctx)).Get(ctx, &now); err != nil {
			return err
		}
		if now.Ended {
			return workflow.Await(ctx, func() bool { return !crew.Busy() })
		}
		for _, task := range now.Ask {
			crew.Set(ctx, agent.Task{App: store.Name, Agent: Writer, Name: task}, func(ctx workflow.Context, res agent.Result) error {
				return workflow.ExecuteActivity(durable.Turn(ctx), steps.HeedWriter, in, Said{Task: task, Run: res.Run}).Get(ctx, nil)
			})
		}
		if err := in.Clock.Sleep(ctx, in.Clock.In(ctx).Add(everyDay), func() bool {
			return woken() != seen ||
				crew.Heard() != heard
		}); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && !crew.Busy() {
			return workflow.NewContinueAsNewError(ctx, CaseWorkflow, in)
		}
	}
	return crew.Err()
}
