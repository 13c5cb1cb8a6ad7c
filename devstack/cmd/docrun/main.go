// Command docrun runs the commands of the README and the guides as a new user would,
// in a copy of the checkout. Package docrun does the work; this is its face.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gavelhq/gavel/devstack/docrun"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "docrun [document…] runs the commands of the README and the guides, or of these documents, in a copy of "+
			"the checkout it is started in")
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := docrun.Run(ctx, docrun.Config{Checkout: ".", Only: flag.Args(), Environ: os.Environ(), Out: os.Stdout})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "docrun:", err)
		os.Exit(1)
	}
}
