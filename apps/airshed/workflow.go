package airshed

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// ScanName is the name the engine knows a scan by; it never changes.
const ScanName = "airshed.Scan"

// ScanWorkflow reads an object of the lake and looks for episodes in it. What it
// found is in the database; the engine only sees to it that the scan comes to its
// end, whatever fails on the way.
func ScanWorkflow(ctx workflow.Context, in ScanInput) error {
	ctx = durable.Outside(ctx)
	var steps *Steps
	var there bool
	if err := workflow.ExecuteActivity(ctx, steps.Read, in).Get(ctx, &there); err != nil || !there {
		return err
	}
	return workflow.ExecuteActivity(ctx, steps.Look, in).Get(ctx, nil)
}
