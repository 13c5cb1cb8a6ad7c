// Command decisions lets two hundred people decide what agents propose, all at
// once and not at their best, and counts what came of it.
//
// Each case is one agent whose ten calls wait for a person: letters, which leave
// the house and can be undone for a few seconds; notes, which do not; and wires,
// which two people must approve. The people are signed in through an office of
// their own and speak to two servers, the very program that is installed, over
// HTTP, some through the page's form. They press twice, under one key and under
// two; they answer what somebody else has answered meanwhile; two of them give
// opposite answers at the same moment; they give up waiting and send it again
// elsewhere; they undo, in time and too late; they decide in the stead of others
// whose leave comes and goes. Two workers are processes of their own. The engine
// is killed and started again in the middle, and so is a server.
//
// Afterwards every proposal is judged by the record, by the log of the other side,
// which carries out every request it receives, and by what each person was told.
// The last line is the figure: "20000 proposals: 20000 decided once, 0 lost, 0
// acted twice, 0 acted without leave". Lost is a proposal that nobody was asked
// about or that came to no end, an approved act that never happened, and a
// decision somebody was told had been taken that is not in force.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	cases, people, inFlight int
	engineKills             int
	serverKills             int
	seed                    uint64
	patience                time.Duration
	gavel                   string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench decisions:", err)
		os.Exit(1)
	}
}

// start is the bench, or one of its workers.
func start(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == workerRole {
		return beWorker(ctx)
	}
	var o options
	flag.IntVar(&o.cases, "cases", 2000, "cases, of ten proposals each")
	flag.IntVar(&o.people, "people", 200, "who decide; a fifth of them only in the stead of others")
	flag.IntVar(&o.inFlight, "in-flight", 48, "cases at a time")
	flag.IntVar(&o.engineKills, "engine-kills", 2, "how often the engine is killed and started again")
	flag.IntVar(&o.serverKills, "server-kills", 2, "how often a server is")
	flag.Uint64Var(&o.seed, "seed", 0, "decides who does what when; 0 draws one")
	flag.DurationVar(&o.patience, "patience", 40*time.Minute, "how long all of it may take")
	flag.StringVar(&o.gavel, "gavel", "bin/gavel", "the program that serves")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1 //nolint:gosec // it decides who presses what, and is printed
	}
	if o.cases < 1 || o.inFlight < 1 || o.people < 20 || o.engineKills < 0 || o.serverKills < 0 {
		return errors.New("want at least one case, one in flight, and twenty people")
	}
	return bench(ctx, o)
}

func bench(ctx context.Context, o options) error {
	g, err := newGround(ctx, o)
	if err != nil {
		return err
	}
	defer g.close()
	fmt.Printf("seed %d: %d proposals in %d cases, %d people, two servers, two workers\n", o.seed, o.cases*callsPerCase, o.cases, o.people)
	began := time.Now()
	c, err := newCrowd(ctx, g, o)
	if err != nil {
		return err
	}
	fmt.Printf("%d people signed in after %.0f s\n", len(c.people), time.Since(began).Seconds())
	began = time.Now()
	if err := c.work(ctx, o); err != nil {
		return err
	}
	took := time.Since(began)
	if err := g.settle(ctx); err != nil {
		return err
	}
	saw, err := g.look(ctx)
	if err != nil {
		return err
	}
	v := judge(everyAsk(o.cases), saw, c.heard())
	v.demand(c.tally, o)
	fmt.Printf("all of it took %.0f s: %.0f proposals a second\n", took.Seconds(), float64(o.cases*callsPerCase)/took.Seconds())
	c.tally.print(&v)
	v.print()
	if v.failed() {
		return errors.New("what must not happen has happened")
	}
	return nil
}
