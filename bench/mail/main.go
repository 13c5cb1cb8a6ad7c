// Command mail sends letters through a mail server that is killed, slow, refuses
// and hangs up at random, with senders that are killed too, and counts what was
// lost and what arrived twice.
//
// PostgreSQL, mailpit and toxiproxy are real, in a folder of their own. Every
// letter goes through toxiproxy, which is given another fault every moment: far
// away, a thin line, cut after so many bytes in either direction, reset, closed.
// mailpit itself answers some recipients with 451 and some with 550, and is
// killed with SIGKILL and started again; so are the two processes that send.
//
// Half of the letters are sent by who cannot ask the server what it has, and half
// by who can. Afterwards every letter is held against what mailpit has, by its
// Message-ID, and against its case. The last line is the figure: "lost 0,
// repeated 0". Lost is a letter that is on record as sent and is not there, that
// has come to no end, that has no reason where it did not arrive, or that does not
// stand on its case. Repeated is every arrival beyond the first, and every arrival
// of one that is said not to have been sent.
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
	mails    int
	seed     uint64
	patience time.Duration
}

// mostUnknown bounds the letters that become a question for a person to one in so
// many: whoever gave up at every trouble would lose none, and help nobody.
const mostUnknown = 8

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench mail:", err)
		os.Exit(1)
	}
}

// start is the bench, or one of the processes that it kills.
func start(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == senderRole {
		return runSender(ctx)
	}
	var o options
	flag.IntVar(&o.mails, "mails", 2000, "letters to send; half of them by who can ask the server what it has")
	flag.Uint64Var(&o.seed, "seed", 0, "decides what goes wrong when; 0 draws one")
	flag.DurationVar(&o.patience, "patience", 5*time.Minute, "how long the letters may take once nothing goes wrong any more")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1 //nolint:gosec // it decides when to break things, and is printed
	}
	if o.mails < 20 {
		return errors.New("want at least 20 letters, or nothing is shown")
	}
	return bench(ctx, o)
}

// enough is from how many letters on the kinds of ends they came to say something:
// how many of few nobody can speak for is a matter of luck.
const enough = 1000

func bench(ctx context.Context, o options) error {
	g, err := newGround(ctx)
	if err != nil {
		return err
	}
	defer g.close()
	fmt.Printf("seed %d: %d letters, half of them to a server that can be asked\n", o.seed, o.mails)
	v := verdict{states: map[string]int{}}
	rng := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // it must be repeatable
	for _, asks := range []bool{false, true} {
		letters, err := g.round(ctx, o, rng, asks)
		if err != nil {
			return err
		}
		saw, err := g.look(ctx)
		if err != nil {
			return err
		}
		v.judge(letters, saw, asks)
	}
	all, err := g.inbox.arrived(ctx)
	if err != nil {
		return err
	}
	v.strangers(all)
	if o.mails >= enough {
		v.demand(o.mails)
	}
	g.report()
	v.print()
	if v.lost+v.repeated+len(v.odd) > 0 {
		return errors.New("what must not happen has happened")
	}
	return nil
}
