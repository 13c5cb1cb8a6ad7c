package casework

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/review"
)

// Workflows are those of the application.
func Workflows() []durable.Workflow {
	return []durable.Workflow{{Name: store.PassName, Func: PassWorkflow}}
}

// PassWorkflow is the clock of a pass: it tells who must approve it that it waits, that it is about to end, and that somebody
// should be back; and it has photos drawn. It decides nothing. What has happened is in the record, at which it looks
// whenever it is woken or a moment has come.
func PassWorkflow(ctx workflow.Context, in casefile.Input) error {
	heard := durable.Listen(ctx, casefile.WakeSignalName, review.SignalName)
	var steps *Steps
	for {
		before := heard()
		var now Looked
		if err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.LookAtPass, in, in.Clock.In(ctx)).Get(ctx, &now); err != nil {
			return err
		}
		if now.Undrawn {
			if err := workflow.ExecuteActivity(durable.Outside(ctx), steps.DrawPhotos, in).Get(ctx, nil); err != nil {
				workflow.GetLogger(ctx).Warn("photos were not drawn", "error", err) // the clock goes on
			}
		}
		woken := func() bool { return heard() != before }
		if now.Over && !woken() {
			return nil
		}
		if err := in.Clock.Sleep(ctx, now.Next, woken); err != nil {
			return err
		}
	}
}
