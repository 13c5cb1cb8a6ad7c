package casework

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Workflows are those of the application, by the names the engine knows them by.
func Workflows() []durable.Workflow {
	return []durable.Workflow{{Name: store.PassName, Func: PassWorkflow}, {Name: CaseName, Func: CaseWorkflow},
		{Name: store.CalendarName, Func: CalendarWorkflow}}
}

// PassWorkflow looks at every van once, and then sees to what follows. What it
// found is in the database; the engine only sees to it that the pass comes to its
// end, whatever fails on the way.
func PassWorkflow(ctx workflow.Context, in store.PassInput) error {
	var steps *Steps
	return job.OrSay(ctx, pass(durable.Outside(ctx), in), steps.GiveUpPass, in)
}

func pass(ctx workflow.Context, in store.PassInput) error {
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

// CalendarWorkflow begins a programme's passes when it is time. It lives as long as
// the programme: one whose schedule is off waits to be woken.
func CalendarWorkflow(ctx workflow.Context, in timetable.Input) error {
	var steps *Steps
	return timetable.Keep(ctx, in, CalendarWorkflow, func(ctx workflow.Context, at time.Time) (next time.Time, over bool, err error) {
		err = workflow.ExecuteLocalActivity(ctx, steps.Due, in, at).Get(ctx, &next)
		return next, false, err
	})
}

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
			return workflow.ExecuteActivity(durable.Outside(ctx), steps.Heed, in, Thoughts{Key: one.Key, Run: res.Run, State: res.State}).
				Get(ctx, nil)
		})
	}
}
