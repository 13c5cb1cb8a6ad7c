package casework

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// CaseName is the name the engine knows a case's workflow by; it never changes.
const CaseName = "poolpatrol.Case"

// How long a case sleeps at most: people go on leave and come back without anybody
// saying so. In histories from before an act told its case how it ended it slept less
// while people were asked.
const (
	everyDay   = 24 * time.Hour
	whileAsked = 4 * time.Hour
)

// CaseWorkflow lives through a case. What happens to it is decided by package
// lifecycle on what the record says; the engine wakes it when something has
// happened or is due.
func CaseWorkflow(ctx workflow.Context, in casefile.Input) error {
	woken := durable.Listen(ctx, wakes()...)
	crew := agent.Open(ctx, in).Crew(ctx)
	var steps *Steps
	for crew.Err() == nil {
		seen, heard := woken(), crew.Heard()
		var now Standing
		if err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Advance, in, in.Clock.In(ctx)).Get(ctx, &now); err != nil {
			return err
		}
		switch {
		case now.Left:
			if err := workflow.ExecuteActivity(durable.Outside(ctx), steps.Do, in).Get(ctx, nil); err != nil {
				return err
			}
			continue
		case now.Ended && !crew.Busy():
			return nil
		}
		think(ctx, in, crew, now.Ask)
		until := in.Clock.In(ctx).Add(everyDay)
		if now.Asked {
			until = in.Clock.In(ctx).Add(whileAsked)
		}
		if !now.Wake.IsZero() && now.Wake.Before(until) {
			until = now.Wake
		}
		if err := in.Clock.Sleep(ctx, until, func() bool { return woken() != seen || crew.Heard() != heard }); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && !crew.Busy() {
			return workflow.NewContinueAsNewError(ctx, CaseWorkflow, in)
		}
	}
	return crew.Err()
}

// wakes are the signals that wake a case, but for decisions, which its desk hears.
// What it was is in the record.
func wakes() []string {
	return []string{casefile.WakeSignalName, inbound.SignalName, notify.SignalName, casefile.CloseSignalName}
}

// think sets agents to work on what nobody works on yet.
func think(ctx workflow.Context, in casefile.Input, crew *agent.Crew, all []Thought) {
	for _, one := range all {
		crew.Set(ctx, agent.Task{App: programme.Name, Agent: one.Agent, Name: one.Key}, func(ctx workflow.Context, res agent.Result) error {
			var steps *Steps
			return workflow.ExecuteActivity(durable.Outside(ctx), steps.Heed, in, Thoughts{Key: one.Key, Run: res.Run, State: res.State}).Get(ctx, nil)
		})
	}
}
