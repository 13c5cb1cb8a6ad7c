package survey

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
)

// ScanWorkflow reads an object of the lake, looks for episodes in it and answers
// those about which it says something new. What was found is in the database; the
// engine only sees to it that the scan comes to its end, whatever fails on the way.
// Each answer is a step of its own: it takes seconds, and there may be many.
func ScanWorkflow(ctx workflow.Context, in store.ScanInput) error {
	var steps *Steps
	return job.OrSay(ctx, scan(durable.Turn(ctx), in), steps.GiveUpScan, in)
}

func scan(ctx workflow.Context, in store.ScanInput) error {
	var steps *Steps
	var there bool
	if err := workflow.ExecuteActivity(ctx, steps.Read, in).Get(ctx, &there); err != nil || !there {
		return err
	}
	var keys []surge.Key
	if err := workflow.ExecuteActivity(ctx, steps.Look, in).Get(ctx, &keys); err != nil {
		return err
	}
	for _, key := range keys {
		if err := workflow.ExecuteActivity(ctx, steps.Answer, in, key).Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.ExecuteActivity(ctx, steps.Conclude, in).Get(ctx, nil)
}
