// Command suite runs the tests of this checkout and tells luck from fault; package
// suite says how. It is run with the dev stack's settings in its environment.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/devstack/suite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil && !errors.Is(err, suite.ErrFailed) {
		fmt.Fprintln(os.Stderr, "suite:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	short := flag.Bool("short", false, "leave out what is long")
	race := flag.Bool("race", false, "watch for races")
	only := flag.String("only", "", "run these `groups` alone, with commas; platform is what belongs to no application")
	deadline := flag.Duration("deadline", 25*time.Minute, "end the tests of a package after this `long`")
	grouped := flag.String("grouped", "", "`folder` of the package whose cost is told by application")
	groups := flag.String("groups", "", "the applications, with commas: a test is the one's whose name its file begins with")
	flag.Parse()
	p := suite.Plan{Packages: flag.Args(), Grouped: *grouped, Deadline: *deadline, Out: os.Stdout}
	if *groups != "" {
		p.Groups = strings.Split(*groups, ",")
	}
	if *only != "" {
		p.Only = strings.Split(*only, ",")
	}
	for name, on := range map[string]bool{"-short": *short, "-race": *race} {
		if on {
			p.Flags = append(p.Flags, name)
		}
	}
	return suite.Run(ctx, p)
}
