// Command restore rehearses a restore on the real parts and counts what is done
// twice.
//
// PostgreSQL on disk, Temporal, mailpit and the commission's simulator are real, in a
// folder of their own. Cases are worked by agents: each sends mails and files reports,
// one after another, and an officer approves every report. In the middle of that a base
// backup is taken; so many effects later everything is killed with SIGKILL and the
// backup is put in place, once with the engine's databases restored with ours, to the
// same moment, and once with the engine left as it is, ahead of them. Then a recovery
// is begun, workers start, everybody goes on until nothing moves, the recovery is
// ended, and everybody goes on again until every case is done.
//
// What left is counted at the mail server and at the simulator, by what it says and not
// by any key. The last line is the figure: "repeated 0, …". With -recover=false the
// same is done without a recovery, which repeats.
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
)

type options struct {
	cases, more, pairs int
	recover            bool
	patience           time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench restore:", err)
		os.Exit(1)
	}
}

// start is the bench, or the worker that it kills.
func start(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == workerRole {
		return beWorker(ctx)
	}
	var o options
	flag.IntVar(&o.cases, "cases", 50, "cases at work when the backup is taken")
	flag.IntVar(&o.more, "more", 200, "effects after the backup, which the restored database knows nothing of")
	flag.IntVar(&o.pairs, "pairs", 6, "mails, and as many reports, of each case")
	flag.BoolVar(&o.recover, "recover", true, "begin with a recovery; without one effects are repeated")
	flag.DurationVar(&o.patience, "patience", 15*time.Minute, "how long anything may take")
	flag.Parse()
	if all := 2 * o.pairs * o.cases; o.cases < 2 || o.pairs < 1 || o.pairs > 8 || o.more < 1 || o.more+o.cases > all {
		return fmt.Errorf("%d cases have %d effects: want one for each case before the backup and %d after it", o.cases, all, o.more)
	}
	return bench(ctx, o)
}

// enough is from how many cases on something must have been in doubt.
const enough = 2

func bench(ctx context.Context, o options) error {
	total := verdict{}
	for _, ahead := range []bool{false, true} {
		v, err := rehearse(ctx, o, ahead)
		if err != nil {
			return err
		}
		v.print()
		total.add(v)
	}
	fmt.Printf("repeated %d, lost %d; %d in doubt: %d were asked about at the other side, %d are questions for a person, %d neither\n",
		total.repeated, total.lost, total.doubted, total.settled, total.asked, total.unasked)
	if o.recover && total.repeated+total.lost+total.unasked+len(total.odd) > 0 {
		return errors.New("what must not happen has happened")
	}
	if o.recover && o.cases >= enough && total.doubted == 0 {
		return errors.New("nothing was in doubt, so nothing was shown")
	}
	return nil
}

// rehearse is one round, on an installation of its own.
func rehearse(ctx context.Context, o options, ahead bool) (verdict, error) {
	limited, stop := context.WithTimeout(ctx, 4*o.patience)
	defer stop()
	g, err := newGround(limited, o, ahead)
	if err != nil {
		return verdict{}, err
	}
	defer g.close()
	if err := g.disaster(limited); err != nil {
		return verdict{}, err
	}
	if err := g.goOn(limited); err != nil {
		return verdict{}, err
	}
	return g.look(limited)
}
