package job

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// OrSay is the end of a job's workflow. Where a step has failed for good, another one
// writes down why, so that nobody waits for a job that goes nowhere: giveUp is a step of
// the application, given the workflow's input and the words. The workflow fails all the same.
func OrSay(ctx workflow.Context, failed error, giveUp, in any) error {
	app, ok := errors.AsType[*temporal.ApplicationError](failed)
	if !ok {
		return failed
	}
	if err := workflow.ExecuteActivity(durable.Outside(ctx), giveUp, in, app.Message()).Get(ctx, nil); err != nil {
		return err
	}
	return failed
}
