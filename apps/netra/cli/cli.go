// Package cli is NE-NETRA's commands. They are clients of the API like any other; validate computes on this machine, from what
// was frozen and from a file of what happened.
package cli

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
)

// Commands are the commands of the application.
func Commands(t platform.Terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "netra",
		Short: "Score districts by what is heard of them, with reasons",
		Long: `Turn public signals into a score for each district, in three layers. Every point is
accounted for. Where nothing was heard there is no score. Personal data is not taken in.

Derived from public open-source indicators. Decision support only.`,
		Example: `  gavel netra districts districts.csv
  gavel netra ingest signals.ndjson
  gavel netra score --window 72
  gavel netra explain 272
  gavel netra brief 272 --window 7d
  gavel netra correct e1 --district 272 --reason "The market was open."
  gavel netra alerts --open
  gavel netra validate --outcomes violence.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c := terminal{t}
	cmd.AddCommand(c.districtsCommand(), c.ingestCommand(), c.scoreCommand(), c.explainCommand(), c.briefCommand(), c.correctCommand(),
		c.alertsCommand(), c.scheduleCommand(), c.validateCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct{ platform.Terminal }
