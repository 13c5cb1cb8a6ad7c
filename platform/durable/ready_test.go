package durable_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"

	"go.temporal.io/api/enums/v1"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// A worker that says it is ready is one the engine knows of: a doctor who looks a
// moment later finds it.
func TestAReadyWorkerIsListedByTheEngine(t *testing.T) {
	for name, v := range map[string]durable.Version{"any build": {}, "pinned": {Deployment: rand.Text(), BuildID: "one"}} {
		t.Run(name, func(t *testing.T) {
			c, queue := durabletest.Dial(t), rand.Text()
			ctx, cancel := context.WithCancel(t.Context())
			said, ended := make(said, 16), make(chan error, 1)
			work := durable.Work{App: queue, Workflows: []durable.Workflow{{Name: "say", Func: waitThenSay("one")}}}
			go func() { ended <- durable.Run(ctx, c, v, slog.New(said), work) }()
			for ready := false; !ready; {
				select {
				case message := <-said:
					ready = message == "worker ready"
				case err := <-ended:
					t.Fatalf("the worker ended before it was ready: %v", err)
				}
			}
			answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
			if err != nil || len(answer.GetPollers()) == 0 {
				t.Errorf("got %v, %v: ready and not listed", answer, err)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// said is a logger that passes messages on.
type said chan string

func (s said) Enabled(context.Context, slog.Level) bool { return true }
func (s said) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s said) WithGroup(string) slog.Handler            { return s }
func (s said) Handle(_ context.Context, r slog.Record) error {
	select {
	case s <- r.Message:
	default: // nobody listens any more
	}
	return nil
}
