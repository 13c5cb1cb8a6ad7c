// Command airwatch measures one look at the data lake as an installation makes it: the
// time from asking to the end, and the most memory that the worker ever had.
//
// The installed program serves and works, on a database of its own, with the stack's
// engine and S3 server. The object is as large as one is in November: every station of
// the country by the hour for fifteen days, a region's fires and its wind, with all
// stations at Delhi's border in a surge. The goals are the first design's: ten minutes
// and 512 MB.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

type options struct {
	stations, days, fires int
	gavel                 string
}

// What a look has to keep.
const (
	barTime   = 10 * time.Minute
	barMemory = 512 // MB
)

func main() {
	var o options
	flag.IntVar(&o.stations, "stations", 550, "stations with hourly air")
	flag.IntVar(&o.days, "days", 15, "days of it")
	flag.IntVar(&o.fires, "fires", 20_000, "rows about fires")
	flag.StringVar(&o.gavel, "gavel", "bin/gavel", "the program that is measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench airwatch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	object, err := build(o)
	if err != nil {
		return err
	}
	g, err := newGround(ctx, o)
	if err != nil {
		return err
	}
	defer g.close()
	size, err := g.put(ctx, object)
	if err != nil {
		return err
	}
	fmt.Printf("%d stations, %d rows of air, %d fires, wind of %d hours: %.1f MB\n", o.stations, len(object.Air), len(object.Fires),
		object.Wind.Shape().Times, float64(size)/1e6)
	idle, err := g.peak()
	if err != nil {
		return err
	}
	first, err := g.look(ctx)
	if err != nil {
		return err
	}
	again, err := g.look(ctx)
	if err != nil {
		return err
	}
	peak, err := g.peak()
	if err != nil {
		return err
	}
	fmt.Printf("%d episodes answered in %.1f s (goal %.0f s); the same object again, which ends at once: %.1f s\n", first.found,
		first.took.Seconds(), barTime.Seconds(), again.took.Seconds())
	fmt.Printf("the worker had %.0f MB before and %.0f MB at most (goal %d MB)\n", idle, peak, barMemory)
	if first.took > barTime || peak > barMemory {
		return fmt.Errorf("a goal is missed: %.1f s, %.0f MB", first.took.Seconds(), peak)
	}
	return nil
}
