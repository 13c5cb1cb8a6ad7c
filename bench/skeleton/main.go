// Command skeleton measures what Gavel adds to the engine it stands on.
//
// One case of the walking skeleton (opened in PostgreSQL, started and signalled
// through the outbox, two steps that record history, closed by a person) runs
// against a bare workflow on the same server with the same number and kind of
// activities, each committing one row of the same size. The two alternate; the
// last line is the ratio of the medians of their cases per second.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"
)

type options struct {
	rounds, cases, inFlight int
}

// A contestant opens and finishes one case and returns when it is over.
type contestant interface {
	name() string
	oneCase(ctx context.Context) error
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; each measures both")
	flag.IntVar(&o.cases, "cases", 400, "cases a round")
	flag.IntVar(&o.inFlight, "in-flight", 32, "cases at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench skeleton:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	ground, err := newGround(ctx)
	if err != nil {
		return err
	}
	defer ground.close()
	bareEngine, err := ground.bare(ctx)
	if err != nil {
		return err
	}
	ours, err := ground.gavel()
	if err != nil {
		return err
	}
	contestants := []contestant{bareEngine, ours}
	for _, c := range contestants { // warm caches, pools and sticky queues
		if _, err := measure(ctx, c, options{cases: min(o.cases, 64), inFlight: o.inFlight}); err != nil {
			return err
		}
	}
	results := make([][]float64, len(contestants))
	fmt.Printf("%d cases a round, %d in flight, alternating\n%-6s", o.cases, o.inFlight, "round")
	for _, c := range contestants {
		fmt.Printf(" %12s", c.name())
	}
	fmt.Println("   cases/s")
	for round := range o.rounds {
		fmt.Printf("%-6d", round+1)
		for k := range contestants {
			i := (k + round) % len(contestants) // take turns at going first
			perSecond, err := measure(ctx, contestants[i], o)
			if err != nil {
				return fmt.Errorf("%s: %w", contestants[i].name(), err)
			}
			results[i] = append(results[i], perSecond)
		}
		for i := range contestants {
			fmt.Printf(" %12.1f", results[i][round])
		}
		fmt.Println()
	}
	bare, gavel := median(results[0]), median(results[1])
	fmt.Printf("%-6s %12.1f %12.1f\n", "median", bare, gavel)
	fmt.Printf("ratio=%.2f\n", gavel/bare)
	return nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// measure runs cases, some at a time, and returns cases per second.
func measure(ctx context.Context, c contestant, o options) (float64, error) {
	next := make(chan struct{})
	errs := make(chan error, o.inFlight)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	start := time.Now()
	for range o.inFlight {
		go func() {
			for range next {
				if err := c.oneCase(ctx); err != nil {
					errs <- err
					cancel()
					return
				}
			}
			errs <- nil
		}()
	}
	for range o.cases {
		select {
		case next <- struct{}{}:
		case <-ctx.Done():
		}
	}
	close(next)
	var first error
	for range o.inFlight {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return float64(o.cases) / time.Since(start).Seconds(), first
}
