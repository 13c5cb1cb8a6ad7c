// Command gates shows that agents do not get past their gates, and that whoever
// took a gate away would be found out.
//
// It runs the property of package agent, TestNoActWithoutItsApproval, three
// times over: on many random cases through the loop in the engine's test
// environment, with a real database for decisions; on fewer on the real engine;
// and then on programs in which one check is missing, where it has to fail. A
// check that can be removed unnoticed is not guarded by the property, and the
// program says so.
//
// The last line is the figure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	runs, engine, within int
	seed                 uint64
	check                string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench gates:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	var o options
	flag.IntVar(&o.runs, "runs", 10_000, "random cases through the loop; 0 for none")
	flag.IntVar(&o.engine, "engine", 300, "random cases on the real engine; 0 for none")
	flag.IntVar(&o.within, "within", 2_000, "cases within which each missing check must be noticed; 0 removes none")
	flag.StringVar(&o.check, "check", "", "a part of the names of the checks to take away; empty for all")
	flag.Uint64Var(&o.seed, "seed", 0, "of the first case; 0 draws one")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1 //nolint:gosec // it decides what agents and people do, and is printed
	}
	if o.runs < 0 || o.engine < 0 || o.within < 0 || o.runs+o.engine+o.within == 0 {
		return errors.New("want something to run: -runs, -engine or -within over 0, and none below")
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d\n", o.seed)
	return bench(ctx, root, o)
}

// bench does the three parts and ends with the figure.
func bench(ctx context.Context, root string, o options) error {
	began := time.Now()
	var figure []string
	for _, p := range []property{throughTheLoop(o.runs, o.seed), onTheEngine(o.engine, o.seed)} {
		if p.cases == 0 {
			continue
		}
		if err := p.mustHold(ctx, root); err != nil {
			return err
		}
		figure = append(figure, fmt.Sprintf("%d of %d cases %s went as decided", p.cases, p.cases, p.where))
	}
	if o.within > 0 {
		all := slices.DeleteFunc(mutants(), func(m mutant) bool { return !strings.Contains(m.check, o.check) })
		if len(all) == 0 {
			return fmt.Errorf("no check is called %q", o.check)
		}
		latest, err := removeEach(ctx, root, throughTheLoop(o.within, o.seed), all)
		if err != nil {
			return err
		}
		n := len(all)
		figure = append(figure, fmt.Sprintf("%d of %d missing checks noticed, the last in case %d", n, n, latest))
	}
	fmt.Printf("it took %.0f s\n", time.Since(began).Seconds())
	fmt.Println("gates:", strings.Join(figure, "; "))
	return nil
}

// removeEach takes away one check after the other and returns the case that the
// one which took longest was noticed in.
func removeEach(ctx context.Context, root string, p property, all []mutant) (latest int, err error) {
	var unnoticed []error
	for _, m := range all {
		nth, err := m.caught(ctx, root, p)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err != nil {
			fmt.Printf("  without %-52q NOT NOTICED\n", m.check)
			unnoticed = append(unnoticed, fmt.Errorf("without the check %q: %w", m.check, err))
			continue
		}
		fmt.Printf("  without %-52q noticed in case %d\n", m.check, nth)
		latest = max(latest, nth)
	}
	return latest, errors.Join(unnoticed...)
}
