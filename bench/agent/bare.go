package main

import (
	"context"
	"crypto/rand"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// bareEngine is the engine with nothing of ours above it, and a signal for the
// decision: an activity for each of the seven turns and one for the act, or one
// before the decision and one after it. None does anything. It uses our client and
// worker options, so that both sides are tuned alike.
type bareEngine struct {
	g     *ground
	as    string // its name, and its workflow's
	bells *bells
}

type bareSteps struct{ *bareEngine }

// Turn is where an agent would think.
func (s *bareSteps) Turn(_ context.Context, id, agent, turn string) (string, error) {
	s.bells.ring(id + agent + turn)
	return turn, nil
}

// Act is where something would be done.
func (s *bareSteps) Act(_ context.Context, id string) (string, error) { return id, nil }

func bareWorkflow(ctx workflow.Context, id string) error {
	ctx = durable.Outside(ctx)
	if err := bareTurns(ctx, id, "orchestrator", "1"); err != nil {
		return err
	}
	specialists := workflow.NewWaitGroup(ctx)
	var errs [2]error
	for i, agent := range []string{"records", "rules"} {
		specialists.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer specialists.Done()
			errs[i] = bareTurns(ctx, id, agent, "1", "2")
		})
	}
	specialists.Wait(ctx)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if err := bareTurns(ctx, id, "orchestrator", "2"); err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, "decision").Receive(ctx, nil)
	var steps *bareSteps
	if err := workflow.ExecuteActivity(ctx, steps.Act, id).Get(ctx, nil); err != nil {
		return err
	}
	return bareTurns(ctx, id, "orchestrator", "3")
}

// twoWorkflow is the same case in as few activities as a gate leaves.
func twoWorkflow(ctx workflow.Context, id string) error {
	ctx = durable.Outside(ctx)
	if err := bareTurns(ctx, id, "orchestrator", "2"); err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, "decision").Receive(ctx, nil)
	return bareTurns(ctx, id, "orchestrator", "3")
}

// bareTurns are turns of one agent, one after the other.
func bareTurns(ctx workflow.Context, id, agent string, turns ...string) error {
	var steps *bareSteps
	for _, turn := range turns {
		if err := workflow.ExecuteActivity(ctx, steps.Turn, id, agent, turn).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func (g *ground) bare(as string, of func(workflow.Context, string) error) (contestant, error) {
	b := &bareEngine{g: g, as: as, bells: newBells()}
	g.work(durable.Work{
		App:        b.queue(),
		Workflows:  []durable.Workflow{{Name: as, Func: of}},
		Activities: []any{&bareSteps{b}},
	})
	return b, nil
}

func (b *bareEngine) name() string        { return b.as }
func (b *bareEngine) databases() []string { return engineDatabases() }
func (b *bareEngine) modelCalls() int     { return 0 }
func (b *bareEngine) queue() string       { return b.g.mark + "-" + b.as }

// engineDatabases are where the dev stack's engine keeps everything.
func engineDatabases() []string { return []string{"temporal", "temporal_visibility"} }

func (b *bareEngine) oneCase(ctx context.Context) error {
	id := b.queue() + "/north/" + rand.Text()
	_, err := b.g.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: b.queue()}, b.as, id)
	if err != nil {
		return err
	}
	if err := b.bells.wait(ctx, id+"orchestrator2"); err != nil {
		return err
	}
	if err := b.g.client.SignalWorkflow(ctx, id, "", "decision", "approve"); err != nil {
		return err
	}
	return b.bells.wait(ctx, id+"orchestrator3")
}

// bells wake the goroutine that waits for something to happen to a thing.
type bells struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newBells() *bells { return &bells{waiting: map[string]chan struct{}{}} }

// bell is rung once, by ring with the same name, before or after it is asked for.
func (b *bells) bell(name string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch, ok := b.waiting[name]
	if !ok {
		ch = make(chan struct{})
		b.waiting[name] = ch
	}
	return ch
}

func (b *bells) ring(name string) {
	ch := b.bell(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-ch:
	default:
		close(ch)
	}
}

func (b *bells) wait(ctx context.Context, name string) error {
	select {
	case <-b.bell(name):
		b.mu.Lock()
		delete(b.waiting, name)
		b.mu.Unlock()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
