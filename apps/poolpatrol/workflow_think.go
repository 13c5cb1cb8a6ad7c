package poolpatrol

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// think sets agents to work on what nobody works on yet.
func think(ctx workflow.Context, in casefile.Input, crew *agent.Crew, all []Thought) {
	for _, one := range all {
		crew.Set(ctx, agent.Task{App: Name, Agent: one.Agent, Name: one.Key}, func(ctx workflow.Context, res agent.Result) error {
			var steps *Steps
			return workflow.ExecuteActivity(durable.Outside(ctx), steps.Heed, in, Thoughts{Key: one.Key, Run: res.Run, State: res.State}).Get(ctx, nil)
		})
	}
}
