package durable

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// Listen counts the signals of some names. What they say is thrown away: a workflow
// that reads what has happened in the record need only know that it should look.
func Listen(ctx workflow.Context, names ...string) (heard func() int) {
	n := 0
	for _, name := range names {
		ch := workflow.GetSignalChannel(ctx, name)
		workflow.Go(ctx, func(ctx workflow.Context) {
			for {
				ch.Receive(ctx, nil)
				n++
			}
		})
	}
	return func() int { return n }
}

// soonest is the least a workflow sleeps, in real time: one whose moment has passed
// must not spin.
const soonest = time.Second / 10

// Sleep waits until this clock reaches a moment or something has changed. The zero
// time never comes.
func (c Clock) Sleep(ctx workflow.Context, until time.Time, changed func() bool) error {
	if until.IsZero() {
		return workflow.Await(ctx, changed)
	}
	_, err := workflow.AwaitWithTimeout(ctx, max(c.Real(until.Sub(c.In(ctx))), soonest), changed)
	return err
}
