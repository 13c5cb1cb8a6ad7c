// Command poolpatrol measures an audit of every van: the records are read, pinned
// as a snapshot, judged by every specialist, and what was found is written down.
//
// The town is made up, with one thing wrong in so many of a hundred vans; the
// audit must find exactly those. In turn with it the same rows are read by the
// bare driver. It is done twice, for a town and for one ten times as large: the
// time for each van should stay the same. The last line is the time of the bare
// reads divided by the time of the whole pass, for the smaller town.
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
	vans, riders, percent, rounds int
	times                         int
}

// What the pass has to keep.
const (
	barRatio  = 0.5
	barWindow = 10 * time.Minute
	barGrowth = 1.2
)

func main() {
	var o options
	flag.IntVar(&o.vans, "vans", 1_200, "vans of the smaller town")
	flag.IntVar(&o.riders, "riders", 8, "riders in each")
	flag.IntVar(&o.percent, "percent", 30, "vans of a hundred with something wrong")
	flag.IntVar(&o.rounds, "rounds", 7, "how often each is measured")
	flag.IntVar(&o.times, "times", 10, "how much larger the other town is; 0 leaves it out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench poolpatrol:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	small, err := measure(ctx, o, o.vans)
	if err != nil {
		return err
	}
	fmt.Printf("whole pass inside %s: %s\n", barWindow, kept(small.pass.median() <= barWindow))
	if o.times > 0 {
		large, err := measure(ctx, o, o.vans*o.times)
		if err != nil {
			return err
		}
		growth := large.perVan() / small.perVan()
		fmt.Printf("time for each van at %d times the size: %.2f of that before, at most %.2f asked: %s\n", o.times, growth, barGrowth, kept(growth <= barGrowth))
	}
	ratio := float64(small.bare.median()) / float64(small.pass.median())
	fmt.Printf("bare reads are %.2f of the whole pass, at least %.2f asked: %s\n", ratio, barRatio, kept(ratio >= barRatio))
	fmt.Printf("ratio=%.2f\n", ratio)
	return nil
}

// A result is what was measured in one town.
type result struct {
	vans       int
	bare, pass lap
}

func (r result) perVan() float64 { return float64(r.pass.median()) / float64(r.vans) }

func measure(ctx context.Context, o options, vans int) (result, error) {
	g, err := newGround(ctx, o, vans)
	if err != nil {
		return result{}, err
	}
	defer g.close()
	r := result{vans: vans, bare: lap{name: "the rows, by the bare driver"}, pass: lap{name: "the whole pass"}}
	for n := range o.rounds + 1 {
		bare, err := g.bare(ctx)
		if err != nil {
			return r, err
		}
		pass, err := g.pass(ctx, n)
		if err != nil {
			return r, err
		}
		if n > 0 { // the first warms up
			r.bare.took, r.pass.took = append(r.bare.took, bare), append(r.pass.took, pass)
		}
	}
	fmt.Printf("%d vans of %d riders, %d with something wrong; each of them found and no other\n", vans, o.riders, g.wrong)
	fmt.Printf("%-34s %8s %8s %8s %12s\n", fmt.Sprintf("%d rounds, in turn (ms)", o.rounds), "min", "median", "max", "vans/s")
	for _, l := range []lap{r.bare, r.pass} {
		fmt.Printf("%-34s %8.1f %8.1f %8.1f %12.0f\n", l.name, ms(slices.Min(l.took)), ms(l.median()), ms(slices.Max(l.took)), float64(vans)/l.median().Seconds())
	}
	return r, nil
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

// A lap is how long each round of one contestant took.
type lap struct {
	name string
	took []time.Duration
}

func (l lap) median() time.Duration { return slices.Sorted(slices.Values(l.took))[len(l.took)/2] }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
