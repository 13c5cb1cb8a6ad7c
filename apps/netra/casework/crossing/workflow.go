package crossing

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
)

// Workflow lives through the case of a crossing: an officer decides, and it ends when the district is calm or went higher. Where the record
// says so an agent is set to a task, as in the case of a briefing. What comes next is decided on what the record says; the engine wakes the
// case when something has happened or is due.
func Workflow(ctx workflow.Context, in casefile.Input) error {
	woken := durable.Listen(ctx, casefile.WakeSignalName, casefile.CloseSignalName, notify.SignalName)
	crew := agent.Open(ctx, in).Crew(ctx)
	var steps *Steps
	for crew.Err() == nil {
		seen, heard := woken(), crew.Heard()
		var now Standing
		if err := workflow.ExecuteActivity(durable.Turn(ctx), steps.Advance, in, in.Clock.In(ctx)).Get(ctx, &now); err != nil {
			return err
		}
		if now.Ended {
			return workflow.Await(ctx, func() bool { return !crew.Busy() })
		}
		if now.Ask != "" {
			task := agent.Task{App: store.Name, Agent: store.AnalystName, Name: now.Ask}
			crew.Set(ctx, task, func(ctx workflow.Context, r agent.Result) error {
				return workflow.ExecuteActivity(durable.Turn(ctx), steps.HeedAgent, in, Said{task.Name, r.Run}).Get(ctx, nil)
			})
		}
		changed := func() bool { return woken() != seen || crew.Heard() != heard }
		if err := in.Clock.Sleep(ctx, now.Wake, changed); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && !crew.Busy() {
			return workflow.NewContinueAsNewError(ctx, Workflow, in)
		}
	}
	return crew.Err()
}
