// Command netra measures NE-NETRA with signals that are made up: 800 districts, 30 days, and as many signals as it is told.
//
//   - Ingest: lines of NDJSON are read, looked at for personal data, classified, kept and counted in sums (casework.Desk.Take), in turn
//     with a bare COPY of the same rows into a table that is the same, with the same indexes and parts. Two lanes each.
//   - Scoring: all districts for 24 hours, 72 hours and 7 days, from sums (store.Totals), in turn with the plain aggregate over the
//     signals by the database. Both must come to the same.
//   - Growth: the same with a tenth of the signals.
//   - Sustained: 10,000 signals a second for a while, with all districts scored once a second beside it.
//
// The last line is the ratios.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"time"
)

type options struct {
	signals, districts, days, part, rounds, tenth int
	sustain                                       time.Duration
	perSecond                                     int
	profile                                       string
}

// What is asked.
const (
	barIngest  = 0.25
	barRate    = 20_000
	barScoring = 50
	barGrowth  = 1.2
)

func main() {
	var o options
	flag.IntVar(&o.signals, "signals", 10_000_000, "how many signals")
	flag.IntVar(&o.districts, "districts", 800, "of how many districts")
	flag.IntVar(&o.days, "days", 30, "over how many days")
	flag.IntVar(&o.part, "part", 50_000, "signals that are sent at once")
	flag.IntVar(&o.rounds, "rounds", 7, "how often scoring is measured")
	flag.IntVar(&o.tenth, "less", 10, "what part of the signals the smaller run has; 0 leaves it out")
	flag.DurationVar(&o.sustain, "sustain", time.Minute, "how long signals come while districts are scored; 0 leaves it out")
	flag.IntVar(&o.perSecond, "per-second", 10_000, "how many a second then")
	flag.StringVar(&o.profile, "profile", "", "file for a CPU profile of bringing signals in and of scoring; empty: none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := profiled(o.profile, func() error { return run(ctx, o) })
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench netra:", err)
		os.Exit(1)
	}
}

// profiled does something and writes down where the processor's time went.
func profiled(file string, do func() error) error {
	if file == "" {
		return do()
	}
	f, err := os.Create(file) //nolint:gosec // who measures names the file
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return do()
}

func run(ctx context.Context, o options) error {
	growth := 0.0
	var small scored
	if o.tenth > 0 {
		less := o
		less.signals, less.sustain = o.signals/o.tenth, 0
		_, s, err := measure(ctx, less)
		if err != nil {
			return err
		}
		small = s
	}
	in, s, err := measure(ctx, o)
	if err != nil {
		return err
	}
	if o.tenth > 0 {
		growth = s.ours.Seconds() / small.ours.Seconds()
	}
	fmt.Printf("ingest %.2f of bare COPY, at least %.2f asked: %s; %.0f signals/s, %d asked: %s\n", in.ratio(), barIngest,
		kept(in.ratio() >= barIngest), in.rate(), barRate,
		kept(in.rate() >= barRate))
	fmt.Printf("scoring %.0f times as fast as the plain aggregate, %d asked: %s; equal\n", s.ratio(), barScoring,
		kept(s.ratio() >= barScoring))
	if o.tenth > 0 {
		fmt.Printf("scoring at %d times the signals takes %.2f of the time, at most %.2f asked: %s\n", o.tenth, growth, barGrowth,
			kept(growth <= barGrowth))
	}
	fmt.Printf("ingest=%.2f rate=%.0f scoring=%.0f growth=%.2f\n", in.ratio(), in.rate(), s.ratio(), growth)
	return nil
}

// measure does everything with so many signals, in a database of its own.
func measure(ctx context.Context, o options) (in ingested, s scored, err error) {
	g, err := newGround(ctx, o)
	if err != nil {
		return in, s, err
	}
	defer g.close()
	if in, err = g.ingest(ctx); err != nil {
		return in, s, err
	}
	fmt.Printf("%d signals of %d districts over %d days: %d kept, %d stopped for personal data\n", o.signals, o.districts, o.days, in.kept,
		in.stopped)
	fmt.Printf("  ingest %.0f signals/s, bare COPY %.0f rows/s\n", in.rate(), float64(in.kept)/in.bare.Seconds())
	if s, err = g.score(ctx); err != nil {
		return in, s, err
	}
	fmt.Printf("  scoring %s, with the heaviest named %s; plain aggregate %s\n", s.ours.Round(time.Millisecond/10),
		s.named.Round(time.Millisecond/10),
		s.naive.Round(time.Millisecond))
	if o.sustain > 0 {
		err = g.sustain(ctx)
	}
	return in, s, err
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

func median(all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}
