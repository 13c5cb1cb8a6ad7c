package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/program/demo"
)

// demoSpeed is how many days pass in one: a day in two and a half minutes, so that a
// reminder comes while somebody watches, and nothing expires while they have coffee.
const demoSpeed = 600

// endPatience is how long a demonstration may take to end.
const endPatience = time.Minute

func (c *cli) demoCommand() *cobra.Command {
	var keep string
	var speed float64
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try Gavel: the real thing on this machine, with an institution that is made up",
		Long: `Try Gavel: the real thing on this machine, with an institution that is made up.

PostgreSQL, Temporal and a mail server run on loopback, with a server and a worker.
The people, places and firms exist nowhere. The model is a script, no AI. Mail goes
to a mailbox on this machine and no further; its page is printed, and takes answers.
The clock is fast: a day takes two and a half minutes. What can be undone stays so for
at least ten seconds. Whoever sits at this machine may sign in as anybody.

It runs until Ctrl-C and leaves nothing behind, unless --keep names a folder for it. The
next run with the same folder continues it, and its clock has gone on, too. It needs a
clone of Gavel, whose servers it builds the first time.`,
		Example: `  gavel demo
  gavel demo --keep ./demo            keep it, and go on with it later
  gavel demo --speed 1                by the clock on the wall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.demonstrate(cmd.Context(), keep, speed) },
	}
	cmd.Flags().StringVar(&keep, "keep", "", "keep it in this folder, and go on with what is kept there")
	cmd.Flags().Float64Var(&speed, "speed", demoSpeed, "days that pass in one")
	return cmd
}

func (c *cli) demonstrate(ctx context.Context, keep string, speed float64) error {
	program, err := os.Executable()
	if err != nil {
		return fault.From(fault.Internal, err, "find this program")
	}
	began := time.Now()
	progress := &progressLine{to: c.talk, live: c.terminal && !c.quiet}
	show, err := demo.Begin(ctx, demo.Config{Apps: c.apps, Program: program, Dir: keep, Speed: speed, Log: progress})
	if err != nil {
		progress.clear()
		return err
	}
	defer func() {
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer stop()
		if err := show.End(ending); err != nil {
			words, next := fault.Words(err)
			fmt.Fprintf(c.talk, "gavel: the demonstration did not end cleanly: %s %s\n", words, next)
		}
		progress.clear()
	}()
	progress.clear()
	if _, err := io.WriteString(c.out, c.demoWords(show, keep, time.Since(began))); err != nil {
		return err
	}
	if err := show.Load(ctx); err != nil { // pages fill by themselves while somebody chooses whom to be
		return err
	}
	progress.clear()
	return show.Play(ctx)
}

// demoWords is what is printed, eight lines at most.
func (c *cli) demoWords(show *demo.Show, keep string, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Gavel is up after %.0f s. Everything in it is made up; scripted model, no AI; nothing leaves this machine.\n",
		took.Seconds())
	fmt.Fprintf(&b, "  open   %s\n", show.Address())
	fmt.Fprintf(&b, "  be     whoever you choose there: %d roles, two organisations, no password\n", len(identity.Roles()))
	for i, words := range c.trials() {
		fmt.Fprintf(&b, "  %-5s  %d. %s\n", map[bool]string{true: "try"}[i == 0], i+1, words)
	}
	fmt.Fprintf(&b, "  mail   %s has every mail that left; answer it there as whom it went to\n", show.Mailbox())
	if keep == "" {
		fmt.Fprintf(&b, "  stop   Ctrl-C, and nothing is left; to keep it next time: gavel demo --keep DIR\n")
	} else {
		fmt.Fprintf(&b, "  stop   Ctrl-C; it is kept in %s: gavel demo --keep %[1]s goes on with it\n", keep)
	}
	return b.String()
}
