// Command crash kills what agents stand on, at random moments while they work,
// and counts what was lost and what was done twice.
//
// Each run has three effects outside: a post, which nobody is asked about; a letter,
// which an officer approves; and a fax, to a side that takes no keys and answers no
// questions. Every third sets other agents to work for two of them. Workers, the engine, PostgreSQL and the model are
// processes of their own, killed with SIGKILL and started again; some workers are stopped
// in the middle instead, for longer than the engine waits for them, and come back. The side that
// effects reach is in this process and is never killed: it carries out every
// request it receives and keeps a log.
//
// Afterwards every run is judged by the record and by that log. The last line is
// the figure: "lost 0, repeated 0". Lost is a run that did not end as done in
// time, a post or a letter that never happened, a fax that was neither sent nor
// asked about, an act that came to no end. Repeated is every carrying-out beyond
// the first.
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
	runs, inFlight, kills int
	seed                  uint64
	patience              time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench crash:", err)
		os.Exit(1)
	}
}

// start is the bench, or one of the processes that it kills.
func start(ctx context.Context) error {
	if len(os.Args) == 2 {
		if play, ok := roles()[os.Args[1]]; ok {
			return perform(ctx, play)
		}
	}
	var o options
	flag.IntVar(&o.runs, "runs", 500, "agent runs, of three effects each")
	flag.IntVar(&o.inFlight, "in-flight", 16, "runs at a time")
	flag.IntVar(&o.kills, "kills", 60, "processes to kill; of every four in a row one is of each kind")
	flag.Uint64Var(&o.seed, "seed", 0, "decides what is killed when; 0 draws one")
	flag.DurationVar(&o.patience, "patience", 5*time.Minute, "how long one run may take")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1 //nolint:gosec // it decides when to break things, and is printed
	}
	if o.inFlight < 1 || o.kills < 0 || o.runs < o.inFlight+o.kills {
		return errors.New("want at least one run in flight, and more runs than those in flight and the kills together")
	}
	return bench(ctx, o)
}

// enough is how many kills must have interrupted an effect: fewer may miss.
const enough = 20

func bench(ctx context.Context, o options) error {
	g, err := newGround(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	fmt.Printf("seed %d: %d runs, %d in flight, %d kills\n", o.seed, o.runs, o.inFlight, o.kills)
	crew := newCrew(g, o)
	began := time.Now()
	struck := make(chan error, 1)
	go func() { struck <- g.strikeAll(ctx, plan(o), crew) }()
	crew.work(ctx)
	took := time.Since(began)
	if err := <-struck; err != nil {
		return err
	}
	if err := g.settle(ctx); err != nil {
		return err
	}
	saw, err := g.look(ctx)
	if err != nil {
		return err
	}
	v := judge(crew.errands, saw)
	if o.kills >= enough && v.takenOver == 0 {
		v.note("none of %d kills interrupted an effect, so nothing was shown", o.kills)
	}
	fmt.Printf("%d runs in %.0f s, the longest %.0f s\n", o.runs, took.Seconds(), crew.longest().Seconds())
	g.report()
	fmt.Printf("%d turns on record, none twice; %d answers of the model were paid for\n", saw.steps, g.answers.Load())
	v.print()
	if v.lost+v.repeated+len(v.odd) > 0 {
		return errors.New("what must not happen has happened")
	}
	return nil
}
