package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/casefile"
)

// longestWalk is how long all runs together may take.
const longestWalk = 20 * time.Minute

// lookSlowly is how often we look whether a walk is over, and how much memory is held.
const lookSlowly = 250 * time.Millisecond

// walks measures runs whose model thinks: so many at once, each of the same turns. What
// counts is what a turn costs, what is held meanwhile, and how long an answer that has
// come lies until the next question.
func (g *ground) walks(ctx context.Context, o options) error {
	c, err := g.gavel(ctx)
	if err != nil {
		return err
	}
	v := c.(*gavel)
	fmt.Printf("a model that thinks for %v to %v; runs of %d turns, all at once\n", o.pace.Least, o.pace.Most, walkTurns+1)
	for _, n := range append([]int{1}, o.slow...) { // the first fills caches and is not shown
		w, err := v.walk(ctx, n)
		if err != nil {
			return err
		}
		if n > 1 {
			w.print(n)
		}
	}
	return nil
}

// A walked is what so many runs at once came to.
type walked struct {
	cpu            cpu // milliseconds a turn
	worker, engine int64
	took           time.Duration
	waits          []time.Duration
}

func (v *gavel) walk(ctx context.Context, n int) (w walked, err error) {
	ctx, cancel := context.WithTimeout(ctx, longestWalk)
	defer cancel()
	if _, err := v.g.model.report(ctx); err != nil {
		return w, err
	}
	before, err := v.g.used(ctx)
	if err != nil {
		return w, err
	}
	began := time.Now()
	all, ctx := errgroup.WithContext(ctx)
	for range n {
		all.Go(func() error { return v.oneWalk(ctx) })
	}
	over := make(chan error, 1)
	go func() { over <- all.Wait() }()
	for walking := true; walking; {
		select {
		case err := <-over:
			if err != nil {
				return w, err
			}
			walking = false
		case <-time.After(lookSlowly):
		}
		worker, engine, err := v.g.memory()
		if err != nil {
			return w, err
		}
		w.worker, w.engine = max(w.worker, worker), max(w.engine, engine)
	}
	w.took = time.Since(began)
	ctx = context.WithoutCancel(ctx) // the group's has ended with it
	after, err := v.g.used(ctx)
	if err != nil {
		return w, err
	}
	w.cpu = after.since(before, n*(walkTurns+1))
	saw, err := v.g.model.report(ctx)
	w.waits = saw.Waits
	slices.Sort(w.waits)
	if err == nil && len(w.waits) != n*walkTurns {
		err = fmt.Errorf("the model saw %d answers followed by a question, want %d", len(w.waits), n*walkTurns)
	}
	return w, err
}

// oneWalk opens a case whose agent walks, and waits for its end.
func (v *gavel) oneWalk(ctx context.Context) error {
	c, _, err := v.cases.Open(ctx, analyst, casefile.Opening{App: app, Key: walker + "." + rand.Text(), Title: "Walk around van 14"})
	if err != nil {
		return err
	}
	if err := v.bells.wait(ctx, string(c.ID)+"over"); err != nil {
		return err
	}
	return until(ctx, func() (bool, error) { return v.over(ctx, c.ID) })
}

func (w walked) print(n int) {
	fmt.Printf("\n%d in flight, %.0f s; memory: worker %d MB, engine %d MB\n", n, w.took.Seconds(), w.worker>>20, w.engine>>20)
	fmt.Printf("an answer waits for the next question: p50 %.0f, p95 %.0f, p99 %.0f ms\n",
		milliseconds(w.waits, 50), milliseconds(w.waits, 95), milliseconds(w.waits, 99))
	printCPUHead("turn")
	printCPU(ours, w.cpu)
}
