package agent_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// TestNoActWithoutItsApprovalOnTheEngine is TestNoActWithoutItsApproval on the
// real engine, where signals go through the outbox and two weeks pass in
// fourteen seconds.
func TestNoActWithoutItsApprovalOnTheEngine(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.SendTimeout = time.Second
		c.Clock = durable.Clock{Epoch: time.Now(), Speed: 86_400}
	})
	r.other.Break = breaks
	r.run()
	engine := durabletest.Dial(t)
	var held atomic.Int64
	var group errgroup.Group
	group.SetLimit(16)
	for i := range *engineRuns {
		group.Go(func() error {
			plot := newPlot(*gateSeed + 1<<40 + uint64(i))
			for n := uint64(1); len(plot.script) > maxTitle; n++ {
				plot = newPlot(*gateSeed + 1<<40 + uint64(i) + n<<32)
			}
			key := "foreman." + plot.prefix
			c, _, err := r.Cases.Open(context.Background(), asha, casefile.Opening{App: r.app, Key: key, Title: plot.script})
			if err != nil {
				return err
			}
			w := &world{rig: r, plot: plot, caseID: c.ID, signal: func(name string, payload any) {
				_ = engine.SignalWorkflow(context.Background(), r.app+"/north/"+key, "", name, payload) // it may have ended
			}}
			if err := w.live(); err != nil {
				return err
			}
			if n := held.Add(1); n%50 == 0 {
				fmt.Printf("%d of %d so far\n", n, *engineRuns)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("gates: %d of %d random cases on the real engine went as decided\n", held.Load(), *engineRuns)
}

// live lets people work until the case is over, and checks it.
func (w *world) live() error {
	var c casefile.Case
	var err error
	over := wait.Holds(1, func() bool {
		w.step()
		c, err = w.Cases.Get(context.Background(), north, w.caseID)
		return err != nil || c.State == casefile.Closed
	})
	switch {
	case err != nil:
		return err
	case !over:
		return fmt.Errorf("the case did not end\nscript: %s", w.plot.script)
	case c.Status != "done":
		return fmt.Errorf("the case ended %s\nscript: %s", c.Status, w.plot.script)
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("%w\nscript: %s", err, w.plot.script)
	}
	return nil
}
