// Command airseason asks how often the analysis is right about whose smoke it was,
// in a season that is made up and whose truth is known.
//
// The season comes from package madeup, which knows nothing of how smoke is traced
// back. Its episodes are found and answered as the application does it, by package
// analysis, from what an analyst would have: noisy readings, detections of fewer
// than three fires in five, and a wind with errors. Three things are asked of the
// answers that are called conclusive, and the circle of the first design is set
// beside each. Every episode is answered twice: when fires of ten days before and after
// are known, so that the null test can shift dates as the definition has it, and when
// they are not, so that it turns the wind; the figures of the first count.
//
// Below the figures stands why answers were not conclusive, what each of the demands
// made of a conclusive answer costs and saves, and what the members and the other
// demands say alone. The last line is the figure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/madeup"
)

type options struct {
	plan  madeup.Plan
	cores int
	list  bool
}

func main() {
	o := options{plan: madeup.Standard()}
	flag.IntVar(&o.plan.Days, "days", o.plan.Days, "of the season; the first 15 and the last 11 have no episodes that count")
	flag.IntVar(&o.plan.Fires, "fires", o.plan.Fires, "a day on average, of 500 particles each")
	flag.Float64Var(&o.plan.Harvest, "harvest", o.plan.Harvest, "days from the height of a field's burning to where it is at 60 %")
	flag.Uint64Var(&o.plan.Seed, "seed", o.plan.Seed, "of the season")
	flag.IntVar(&o.cores, "cores", 2, "on which episodes are answered")
	flag.BoolVar(&o.list, "list", false, "list every episode")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench airseason:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.cores < 1 || o.plan.Days < first+last+1 {
		return fmt.Errorf("want a core, and at least %d days", first+last+1)
	}
	began := time.Now()
	s, err := o.plan.Build()
	if err != nil {
		return err
	}
	burnt, hidden := len(s.Fires), 0
	for _, f := range s.Fires {
		if f.Hidden {
			hidden++
		}
	}
	fmt.Printf("seed %d: %d days, %d fires of %d particles, of which %d burn between the passes; %d detections, one satellite dead "+
		"after day %d; made up in %.0f s\n",
		o.plan.Seed, o.plan.Days, burnt, o.plan.Particles, hidden, len(s.Seen), o.plan.Dies(), time.Since(began).Seconds())
	mean, worst := smokiness(parts(s))
	fmt.Printf("in the mean of %d cities %.0f %% of the particles are smoke, %.0f %% on the worst day\n", len(s.Cities), 100*mean,
		100*worst)
	turned, shifted, err := answer(ctx, s, o.cores)
	if err != nil {
		return err
	}
	if len(shifted) == 0 {
		return errors.New("no episode was found: a longer season or more fires are needed")
	}
	if o.list {
		for _, a := range shifted {
			fmt.Println(a)
		}
	}
	if err := report(os.Stdout, turned, shifted); err != nil {
		return err
	}
	fmt.Printf("it took %.0f s\n", time.Since(began).Seconds())
	f := judge(shifted)
	fmt.Printf("airseason: %d episodes, %d conclusive; right %s, conclusive where one state dominates %s, where none does %s\n",
		f.all.of, f.right.of, f.right.percent(), f.sure.percent(), f.rash.percent())
	return nil
}
