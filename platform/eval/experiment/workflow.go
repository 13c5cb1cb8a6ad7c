package experiment

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
)

// Work is what the platform's worker does for experiments, beside its own.
func (s *Store) Work(w durable.Work) durable.Work {
	w.Workflows = append(w.Workflows, durable.Workflow{Name: WorkflowName, Func: Workflow})
	w.Activities = append(w.Activities, &Steps{store: s})
	return w
}

// Workflow has an experiment carried out, batch after batch. It knows ids and numbers of
// items; what was asked and answered stands in the database.
func Workflow(ctx workflow.Context, in Input) error {
	var steps *Steps
	return job.OrSay(ctx, carryOut(durable.Stretch(ctx), in), steps.GiveUpExperiment, in)
}

func carryOut(ctx workflow.Context, in Input) error {
	var steps *Steps
	for {
		var far Far
		if err := workflow.ExecuteActivity(ctx, steps.AnswerItems, in).Get(ctx, &far); err != nil {
			return err
		}
		if far.Ended {
			return nil
		}
		in.From = far.Next
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, Workflow, in)
		}
	}
}
