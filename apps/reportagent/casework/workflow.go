package casework

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
)

// parallel is how many sections are written side by side.
const parallel = 4

// DraftWorkflow writes drafts: the sections that have none below them first, then those above them from what they say. Each is a
// step of its own, which may be repeated and writes once.
func DraftWorkflow(ctx workflow.Context, in store.DraftInput) error {
	var steps *Steps
	return job.OrSay(ctx, drafts(durable.Turn(ctx), in), steps.GiveUpDraft, in)
}

func drafts(ctx workflow.Context, in store.DraftInput) error {
	var steps *Steps
	var levels [][]string
	if err := workflow.ExecuteActivity(ctx, steps.PlanDraft, in).Get(ctx, &levels); err != nil {
		return err
	}
	for _, level := range levels {
		for some := range slices.Chunk(level, parallel) {
			var at []workflow.Future
			for _, section := range some {
				at = append(at, workflow.ExecuteActivity(ctx, steps.DraftSection, in, section))
			}
			for _, f := range at {
				if err := f.Get(ctx, nil); err != nil {
					return err
				}
			}
		}
	}
	return workflow.ExecuteActivity(ctx, steps.ConcludeDraft, in).Get(ctx, nil)
}
