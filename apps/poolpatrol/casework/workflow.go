package casework

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Workflows are those of the application, by the names the engine knows them by.
func Workflows() []durable.Workflow {
	return []durable.Workflow{{Name: store.PassName, Func: PassWorkflow}, {Name: CaseName, Func: CaseWorkflow}, {Name: store.CalendarName, Func: CalendarWorkflow}}
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
