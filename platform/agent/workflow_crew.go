package agent

import "go.temporal.io/sdk/workflow"

// A Crew is the agents at work beside a case's life: one that is away, or waits for
// people, keeps nothing else from happening. A workflow has one.
type Crew struct {
	desk *Desk
	at   map[string]bool // by the name of the task
	done int
	acts bool // it counts what agents did, too; histories from before it did not
	err  error
}

// Crew is who works at a desk.
func (d *Desk) Crew(ctx workflow.Context) *Crew {
	return &Crew{desk: d, at: map[string]bool{}, acts: workflow.GetVersion(ctx, "crew hears acts", workflow.DefaultVersion, 1) > 0}
}

// Set sets an agent to a task, unless it is at it, and has heed see to what came of
// it.
func (c *Crew) Set(ctx workflow.Context, t Task, heed func(workflow.Context, Result) error) {
	if c.at[t.Name] {
		return
	}
	c.at[t.Name] = true
	workflow.GoNamed(ctx, t.Name, func(ctx workflow.Context) {
		res, err := c.desk.Run(ctx, t)
		if err == nil {
			err = heed(ctx, res)
		}
		if err != nil {
			c.err = err
		}
		delete(c.at, t.Name)
		c.done++
	})
}

// Heard counts what came of agents and of what they did, and decisions of people.
func (c *Crew) Heard() int {
	heard := c.done + c.desk.Decisions()
	if c.acts {
		heard += c.desk.acts
	}
	return heard
}

// Busy reports whether an agent is at work.
func (c *Crew) Busy() bool { return len(c.at) > 0 }

// Err is what ends the workflow, nil while nothing does.
func (c *Crew) Err() error { return c.err }
