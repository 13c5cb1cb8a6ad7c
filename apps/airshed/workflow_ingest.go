package airshed

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// IngestName is the name the engine knows an ingest by; it never changes.
const IngestName = "airshed.Ingest"

// IngestWorkflow asks the services outside, one step each, and writes what came to
// the lake. The air is asked for first: without it nothing is written, and nobody
// else is troubled. The others are asked at the same time, and what they lack is said.
func IngestWorkflow(ctx workflow.Context, in IngestInput) error {
	ctx = durable.Turn(ctx)
	var steps *IngestSteps
	var goOn bool
	if err := workflow.ExecuteActivity(ctx, steps.AskSource, in, DataGovSource).Get(ctx, &goOn); err != nil || !goOn {
		return err
	}
	var asked []workflow.Future
	for _, source := range []string{OpenAQSource, FirmsSource, MeteoSource, StubbleSource} {
		asked = append(asked, workflow.ExecuteActivity(ctx, steps.AskSource, in, source))
	}
	for _, f := range asked {
		if err := f.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.ExecuteActivity(ctx, steps.WriteObject, in).Get(ctx, nil)
}
