package ingest

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
)

// Workflow asks the services outside, one step each, and writes what came to
// the lake. The air is asked for first: without it nothing is written, and nobody
// else is troubled. The others are asked at the same time, and what they lack is said.
func Workflow(ctx workflow.Context, in store.IngestInput) error {
	var steps *Steps
	return job.OrSay(ctx, ask(durable.Turn(ctx), in), steps.GiveUpIngest, in)
}

func ask(ctx workflow.Context, in store.IngestInput) error {
	var steps *Steps
	var goOn bool
	if err := workflow.ExecuteActivity(ctx, steps.AskSource, in, origin.DataGov).Get(ctx, &goOn); err != nil || !goOn {
		return err
	}
	sources := []string{origin.OpenAQ, origin.Firms, origin.Meteo, origin.Stubble}
	if workflow.GetVersion(ctx, "looks", workflow.DefaultVersion, 1) > workflow.DefaultVersion {
		sources = append(sources, origin.Looks)
	}
	var asked []workflow.Future
	for _, source := range sources {
		asked = append(asked, workflow.ExecuteActivity(ctx, steps.AskSource, in, source))
	}
	for _, f := range asked {
		if err := f.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.ExecuteActivity(ctx, steps.WriteObject, in).Get(ctx, nil)
}
