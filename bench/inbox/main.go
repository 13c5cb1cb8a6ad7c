// Command inbox measures the first page of a long inbox: 50 lines and the exact
// count of every group, for a reader whom 10,000 of 100,000 open proposals need.
//
// The installed program serves the page over HTTP, from a database that is made
// by SQL in bulk with the shapes an institution has: kinds, applications, lists
// of roles, assignments, delegations, snoozes, claims, half-signed proposals and
// years of decisions. The same statements are sent by the bare driver, in turn
// with the page, and the counts on record are compared with those of a plain
// query that reads everything. The last line is PostgreSQL's own time divided by
// ours, at the 95th percentile.
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
	open, ended, cases int
	requests           int
	gavel, database    string
	keep, explain      bool
}

// What the page has to keep.
const (
	barServer = 150 * time.Millisecond
	barTimes  = 3.0
)

func main() {
	var o options
	flag.IntVar(&o.open, "open", 100_000, "open proposals of the reader's organisation")
	flag.IntVar(&o.ended, "ended", 150_000, "proposals that were decided before")
	flag.IntVar(&o.cases, "cases", 20_000, "cases they are in")
	flag.IntVar(&o.requests, "requests", 300, "how often each is measured")
	flag.StringVar(&o.gavel, "gavel", "bin/gavel", "the program that serves the page")
	flag.StringVar(&o.database, "database", "", "a full database that -keep left, to be measured again; it is left again")
	flag.BoolVar(&o.explain, "explain", false, "also print how PostgreSQL answers the statements")
	flag.BoolVar(&o.keep, "keep", false, "leave the database, to be measured again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench inbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	g, err := newGround(ctx, o)
	if err != nil {
		return err
	}
	defer g.close()
	counts, err := g.checkCounts(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d open proposals, %d ended; %d need the reader (%d overdue, %d today, %d later), %d wait for others, %d put off, %d "+
		"done today (%d can be undone): as a plain count has them\n",
		o.open, o.ended, counts.NeedsMe, counts.Overdue, counts.Today, counts.Later, counts.Waiting, counts.Snoozed, counts.Done,
		counts.Undoable)
	if o.explain {
		if err := g.explain(ctx); err != nil {
			return err
		}
	}
	page, bare, err := g.race(ctx, o.requests)
	if err != nil {
		return err
	}
	fmt.Printf("%-34s %8s %8s %8s %8s\n", fmt.Sprintf("%d requests, in turn (ms)", o.requests), "min", "median", "p95", "max")
	for _, l := range []lap{page, bare} {
		fmt.Printf("%-34s %8.1f %8.1f %8.1f %8.1f\n", l.name, ms(l.at(0)), ms(l.at(0.5)), ms(l.at(0.95)), ms(l.at(1)))
	}
	fmt.Printf("page: %d bytes; p95 %.1f ms, at most %.0f asked: %s; %.2f times PostgreSQL's own, at most %.0f asked: %s\n",
		page.bytes, ms(page.at(0.95)), ms(barServer), kept(page.at(0.95) <= barServer),
		float64(page.at(0.95))/float64(bare.at(0.95)), barTimes, kept(float64(page.at(0.95)) <= barTimes*float64(bare.at(0.95))))
	fmt.Printf("ratio=%.2f\n", float64(bare.at(0.95))/float64(page.at(0.95)))
	return nil
}

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}

// A lap is how long each request of one contestant took.
type lap struct {
	name  string
	took  []time.Duration
	bytes int
}

// at is the duration below which that share of requests lies.
func (l lap) at(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l.took))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
