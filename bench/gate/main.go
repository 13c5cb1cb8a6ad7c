// Command gate measures what a guard with a queue in front of them feels: how long a look at a pass takes, and a scan with a photo,
// while others read; whether a rush loses anything; how long the list of everybody takes when a site is cleared.
//
// The installed program, server and worker, answers over HTTP from a database on disk and a bucket of its own. Requests are sent when
// they are due, whether or not the one before was answered, and each is timed from the moment it was due: a server that stands still
// is not spared. At the end scans are sent as fast as they are answered, in turn with the same statements through the bare driver and
// one PUT of the same bytes through the SDK; both must have left the same rows. The last line is the share of the bare rate that we
// reach.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"time"
)

type options struct {
	rate, reads, burst int
	lasting, rush      time.Duration
	crowd, scans       int
	rounds, atOnce     int
	photo              int
	gavel              string
}

// What a gate has to keep.
const (
	barLook  = 50 * time.Millisecond
	barScan  = 250 * time.Millisecond
	barWorst = 600 * time.Millisecond
	barList  = 2 * time.Second
	goal     = 0.6
)

func main() {
	var o options
	flag.IntVar(&o.rate, "rate", 100, "scans a second, for -for")
	flag.DurationVar(&o.lasting, "for", time.Minute, "how long")
	flag.IntVar(&o.reads, "reads", 5, "looks at passes for each scan, beside them")
	flag.IntVar(&o.burst, "rush", 300, "scans a second, for -rush-for")
	flag.DurationVar(&o.rush, "rush-for", 10*time.Second, "how long")
	flag.IntVar(&o.crowd, "crowd", 20_000, "people on the evacuation list")
	flag.IntVar(&o.scans, "scans", 400, "scans a round, as fast as they are answered")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each contestant")
	flag.IntVar(&o.atOnce, "at-once", 8, "how many of them at once")
	flag.IntVar(&o.photo, "photo", 200<<10, "bytes of a photo, about")
	flag.StringVar(&o.gavel, "gavel", "bin/gavel", "the program that answers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench gate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	g, err := newGround(ctx, o)
	if err != nil {
		return err
	}
	defer g.close()
	if err := steady(ctx, g, o); err != nil {
		return err
	}
	if err := rush(ctx, g, o); err != nil {
		return err
	}
	list, people, err := g.list(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("evacuation list of %d people: %.0f ms, at most %.0f asked: %s\n", people, ms(list), ms(barList), kept(list <= barList))
	drawn, lag, err := g.drawn(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("photos: %d drawn so far, out of %d; the oldest that waits has waited %v\n", drawn.done, drawn.all, lag.Round(time.Second))
	return race(ctx, g, o)
}

// steady is an ordinary hour at many gates: scans and looks side by side.
func steady(ctx context.Context, g *ground, o options) error {
	n := int(o.lasting.Seconds()) * o.rate
	passes := g.take((n + 1) / 2)
	looked := make(chan lap, 1)
	go func() {
		looked <- g.volley(ctx, o.rate*o.reads, n*o.reads, func(ctx context.Context, i int) error {
			return g.look(ctx, passes[i%len(passes)])
		})
	}()
	scanned := g.volley(ctx, o.rate, n, func(ctx context.Context, i int) error {
		if i < len(passes) {
			return g.scan(ctx, "scan-exit", passes[i])
		}
		return g.scan(ctx, "scan-return", passes[i-len(passes)])
	})
	look := <-looked
	fmt.Printf("%-44s %8s %8s %8s %8s %8s %7s\n", "from when it was due (ms)", "sent", "median", "p95", "p99", "max", "errors")
	look.print(fmt.Sprintf("looks, %d a second", o.rate*o.reads))
	scanned.print(fmt.Sprintf("scans of %d kB, %d a second, %v", len(g.face)>>10, o.rate, o.lasting))
	fmt.Printf("look p95 at most %.0f ms asked: %s; scan p95 at most %.0f: %s, p99 at most %.0f: %s; no errors: %s\n", ms(barLook),
		kept(look.at(0.95) <= barLook), ms(barScan), kept(scanned.at(0.95) <= barScan), ms(barWorst), kept(scanned.at(0.99) <= barWorst),
		kept(look.failed+scanned.failed == 0))
	return lost(look, scanned)
}

// rush is the end of a shift: more than the machine can answer at once. Who is told to come again does, as the app at the gate does, with
// the same event.
func rush(ctx context.Context, g *ground, o options) error {
	n := int(o.rush.Seconds()) * o.burst
	passes := g.take(n)
	var again atomic.Int64
	scanned := g.volley(ctx, o.burst, n, func(ctx context.Context, i int) error {
		for try := 1; ; try++ {
			err := g.scan(ctx, "scan-exit", passes[i])
			if !errors.Is(err, errBusy) || try == mostTries {
				return err
			}
			again.Add(1)
			time.Sleep(time.Second)
		}
	})
	scanned.print(fmt.Sprintf("scans, %d a second, %v", o.burst, o.rush))
	fmt.Printf("a rush loses nothing: %s; told to come again: %d\n", kept(scanned.failed == 0), again.Load())
	return lost(scanned)
}

// mostTries is how often a scan is sent at most.
const mostTries = 5

// lost tells why something failed, which no bar allows.
func lost(laps ...lap) error {
	for _, l := range laps {
		if l.failed > 0 {
			return fmt.Errorf("%d requests failed, the first with: %w", l.failed, l.first)
		}
	}
	return nil
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
