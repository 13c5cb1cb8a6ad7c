package poolpatrol

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// thinking is the agents at work on a case, beside its life: a model that is away
// keeps nothing else from happening.
type thinking struct {
	desk *agent.Desk
	in   casefile.Input
	at   map[string]bool // by the key of what is to be done
	done int
	err  error
}

// heard counts what came of agents, and decisions of people.
func (t *thinking) heard() int { return t.done + t.desk.Decisions() }

// begin sets agents to work on what nobody works on yet.
func (t *thinking) begin(ctx workflow.Context, all []Thought) {
	for _, one := range all {
		if t.at[one.Key] {
			continue
		}
		t.at[one.Key] = true
		workflow.GoNamed(ctx, one.Key, func(ctx workflow.Context) {
			if err := t.work(ctx, one); err != nil {
				t.err = err
			}
			delete(t.at, one.Key)
			t.done++
		})
	}
}

func (t *thinking) work(ctx workflow.Context, one Thought) error {
	res, err := t.desk.Run(ctx, agent.Task{App: Name, Agent: one.Agent, Name: one.Key})
	if err != nil {
		return err
	}
	var steps *Steps
	return workflow.ExecuteActivity(durable.Outside(ctx), steps.Heed, t.in, Thoughts{Key: one.Key, Run: res.Run, State: res.State}).Get(ctx, nil)
}
