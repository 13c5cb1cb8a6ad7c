// Command poolpatrol measures an audit of every van, in a town that is made up with
// one thing wrong in so many of a hundred vans. Three things take turns with the bare
// reads of the same rows by the driver (bare.go):
//
//   - the rule pass: the records are read and every van is judged by every
//     specialist; nothing is written (Store.Rehearse, gavel poolpatrol audit --dry-run);
//   - the whole pass: the records are also pinned as a snapshot, and what was found
//     is written down van by van;
//   - with outreach: after the whole pass a case is opened for every van that fails,
//     and its first letter queued.
//
// Each must find exactly the vans with something wrong. It is done for a town and for
// one ten times as large: the time for each van should stay the same. The last line is
// the time of the bare reads divided by that of the rule pass, for the smaller town.
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
	flag.IntVar(&o.rounds, "rounds", 7, "how often each is measured; outreach half as often, and once where there are over 5,000 vans")
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
	whole := small.outreach.median()
	fmt.Printf("whole batch with outreach: %.2f %% of the window of %s: %s\n", 100*whole.Seconds()/barWindow.Seconds(), barWindow,
		kept(whole <= barWindow))
	if o.times > 0 {
		large, err := measure(ctx, o, o.vans*o.times)
		if err != nil {
			return err
		}
		fmt.Printf("time for each van at %d times the size, of that before; at most %.2f asked:\n", o.times, barGrowth)
		for i, l := range large.ours() {
			growth := l.per(large.vans) / small.ours()[i].per(small.vans)
			fmt.Printf("  %-32s %8.2f  %s\n", l.name, growth, kept(growth <= barGrowth))
		}
	}
	ratio := float64(small.bare.median()) / float64(small.rules.median())
	fmt.Printf("bare reads are %.2f of the rule pass, at least %.2f asked: %s (of the whole pass %.2f)\n", ratio, barRatio,
		kept(ratio >= barRatio),
		float64(small.bare.median())/float64(small.pass.median()))
	fmt.Printf("ratio=%.2f\n", ratio)
	return nil
}

// A result is what was measured in one town.
type result struct {
	vans                        int
	bare, rules, pass, outreach lap
	opening                     lap // the cases' part of outreach
}

func (r result) ours() []lap { return []lap{r.rules, r.pass, r.outreach} }

func measure(ctx context.Context, o options, vans int) (result, error) {
	g, err := newGround(ctx, o, vans)
	if err != nil {
		return result{}, err
	}
	defer g.close()
	r := result{vans: vans, bare: lap{name: "the rows, by the bare driver"}, rules: lap{name: "the rule pass"},
		pass:     lap{name: "the whole pass"},
		outreach: lap{name: "with outreach"}, opening: lap{name: "  of that, opening the cases"}}
	for n := range o.rounds + 1 { // the first warms up
		if err := r.round(ctx, g, n); err != nil {
			return r, err
		}
	}
	fmt.Printf("%d vans of %d riders, %d with something wrong; each of them found and no other\n", vans, o.riders, len(g.wrong))
	fmt.Printf("%-34s %9s %9s %9s %10s %10s\n", fmt.Sprintf("%d rounds, in turn (ms)", o.rounds), "min", "median", "max", "vans/s",
		"cases/s")
	for _, l := range []lap{r.bare, r.rules, r.pass, r.outreach, r.opening} {
		cases := ""
		if l.name == r.outreach.name || l.name == r.opening.name {
			cases = fmt.Sprintf("%.0f", float64(len(g.wrong))/l.median().Seconds())
		}
		fmt.Printf("%-34s %9.1f %9.1f %9.1f %10.0f %10s\n", l.name, ms(slices.Min(l.took)), ms(l.median()), ms(slices.Max(l.took)),
			float64(vans)/l.median().Seconds(), cases)
	}
	return r, nil
}

// round measures each once.
func (r *result) round(ctx context.Context, g *ground, n int) error {
	bare, err := g.bare(ctx)
	if err != nil {
		return err
	}
	rules, err := g.rehearse(ctx)
	if err != nil {
		return err
	}
	_, pass, err := g.pass(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		r.bare.add(bare)
		r.rules.add(rules)
		r.pass.add(pass)
	}
	if n%2 == 0 || n > 1 && g.vans > 5_000 { // thousands of transactions: once says enough
		return nil
	}
	whole, opening, err := g.outreach(ctx)
	if err != nil {
		return err
	}
	r.outreach.add(whole)
	r.opening.add(opening)
	return g.forget(ctx)
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

func (l *lap) add(d time.Duration) { l.took = append(l.took, d) }

func (l lap) median() time.Duration { return slices.Sorted(slices.Values(l.took))[len(l.took)/2] }

// per is the time for each of so many, in nanoseconds.
func (l lap) per(n int) float64 { return float64(l.median()) / float64(n) }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
