// Command audit measures what the record of an act costs the act, and what the
// log costs to prove and to check.
//
// Transactions of one INSERT run against the same transactions with a record
// beside it, on 16 connections, with the disk flushed at every commit and a
// sequencer taking the records into the tree all the while. The two alternate;
// the last line is the median of the ratios of their transactions per second,
// round by round. Before it stand the wait of a record until a checkpoint vouches for it, and
// the size of a proof, the time to check everything and the bytes per entry of a
// log of -entries entries.
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
	rounds, connections, entries int
	round, flush                 time.Duration
	notify                       bool
}

// A contestant commits one transaction.
type contestant struct {
	name string
	once func(ctx context.Context) error
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "rounds; each measures every contestant")
	flag.DurationVar(&o.round, "round", 4*time.Second, "how long each is measured in a round")
	flag.IntVar(&o.connections, "connections", 16, "connections at a time")
	flag.IntVar(&o.entries, "entries", 1_000_000, "entries of the log that is proved and checked; 0 leaves that out")
	flag.DurationVar(&o.flush, "flush", 0, "wait so long before each flush to disk, as a slower disk would; 0 takes the disk as it is")
	flag.BoolVar(&o.notify, "notify", false, "also measure a record that wakes the sequencer with NOTIFY")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench audit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	g, err := newGround(ctx, o.connections)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.slowDisk(ctx, o.flush); err != nil {
		return err
	}
	ratio, err := race(ctx, g, o)
	if err != nil {
		return err
	}
	if o.entries > 0 {
		if err := g.measureLog(ctx, o.entries); err != nil {
			return err
		}
	}
	fmt.Printf("ratio=%.2f\n", ratio)
	return nil
}

// race measures the contestants in turn and returns the ratio of the second to
// the first.
func race(ctx context.Context, g *ground, o options) (float64, error) {
	all := g.contestants(o.notify)
	watch := g.watchLag(ctx)
	for _, c := range all { // warm pools, plans and caches
		if _, err := measure(ctx, c, o.connections, time.Second); err != nil {
			return 0, err
		}
	}
	fmt.Printf("%v a round, %d connections, alternating\n%-6s", o.round, o.connections, "round")
	for _, c := range all {
		fmt.Printf(" %16s", c.name)
	}
	fmt.Println("   transactions/s")
	results := make([][]float64, len(all))
	for round := range o.rounds {
		fmt.Printf("%-6d", round+1)
		for k := range all {
			i := (k + round) % len(all)           // take turns at going first
			if err := g.settle(ctx); err != nil { // nobody pays for another's records
				return 0, err
			}
			perSecond, err := measure(ctx, all[i], o.connections, o.round)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", all[i].name, err)
			}
			results[i] = append(results[i], perSecond)
		}
		for i := range all {
			fmt.Printf(" %16.0f", results[i][round])
		}
		fmt.Println()
	}
	fmt.Printf("%-6s", "median")
	for _, r := range results {
		fmt.Printf(" %16.0f", median(r))
	}
	fmt.Println()
	if err := watch.report(ctx); err != nil {
		return 0, err
	}
	for i, c := range all[2:] {
		fmt.Printf("%s against insert: %.2f\n", c.name, paired(results[i+2], results[0]))
	}
	return paired(results[1], results[0]), nil
}

// paired is the median of the ratios of each round: what else happens on the
// machine changes from round to round, and hits both.
func paired(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// measure commits as fast as it can for a while and returns transactions per
// second.
func measure(ctx context.Context, c contestant, connections int, length time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, length+time.Minute)
	defer cancel()
	type result struct {
		n   int
		err error
	}
	results := make(chan result, connections)
	start := time.Now()
	end := start.Add(length)
	for range connections {
		go func() {
			var r result
			for r.err == nil && time.Now().Before(end) {
				if r.err = c.once(ctx); r.err == nil {
					r.n++
				}
			}
			results <- r
		}()
	}
	total := 0
	var first error
	for range connections {
		r := <-results
		total += r.n
		if r.err != nil && first == nil {
			first = r.err
			cancel()
		}
	}
	return float64(total) / time.Since(start).Seconds(), first
}
