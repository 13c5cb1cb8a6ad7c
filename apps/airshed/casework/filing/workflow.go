package filing

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
)

// shortly is how long a case waited, in real time, for what was being done elsewhere.
const shortly = 2 * time.Second

// CaseWorkflow lives through the case of an episode: a draft, words for it, a decision
// of two officers, the filing, notices, the end. What comes next is decided by package
// docket on what the record says; the engine wakes the case when something has
// happened or is due. An agent works beside it: one that is away, or waits for people,
// keeps nothing else from happening.
func CaseWorkflow(ctx workflow.Context, in casefile.Input) error {
	woken := durable.Listen(ctx, casefile.WakeSignalName, casefile.CloseSignalName, notify.SignalName)
	crew := agent.Open(ctx, in).Crew(ctx)
	var steps *Steps
	busy := 0 // looks in a row at which something was being done
	for crew.Err() == nil {
		seen, heard := woken(), crew.Heard()
		var now CaseStanding
		if err := workflow.ExecuteActivity(durable.Turn(ctx), steps.Advance, in, in.Clock.In(ctx)).Get(ctx, &now); err != nil {
			return err
		}
		if now.Ended { // an agent that is still at it has nothing to add
			return workflow.Await(ctx, func() bool { return !crew.Busy() })
		}
		if busy++; !now.Soon {
			busy = 0
		}
		if now.Ask != "" {
			crew.Set(ctx, agent.Task{App: store.Name, Agent: agentAnalyst, Name: now.Ask},
				func(ctx workflow.Context, res agent.Result) error {
					said := Thoughts{Task: now.Ask, Run: res.Run, Done: res.State == agent.Done}
					return workflow.ExecuteActivity(durable.Turn(ctx), steps.Heed, in, said, in.Clock.In(ctx)).Get(ctx, nil)
				})
		}
		changed := func() bool { return woken() != seen || crew.Heard() != heard }
		if err := pauseCase(ctx, in, now, busy, changed); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && !crew.Busy() {
			return workflow.NewContinueAsNewError(ctx, CaseWorkflow, in)
		}
	}
	return crew.Err()
}

// pauseCase waits until something has happened, or it is time to look again. In histories
// from before an act told its case how it ended, what was being done was looked at again
// shortly, and ever less often.
func pauseCase(ctx workflow.Context, in casefile.Input, now CaseStanding, busy int, changed func() bool) error {
	if now.Soon {
		_, err := workflow.AwaitWithTimeout(ctx, shortly<<min(busy/10, 9), changed)
		return err
	}
	return in.Clock.Sleep(ctx, now.Wake, changed)
}
