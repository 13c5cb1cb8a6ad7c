package program

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) configCommand() *cobra.Command {
	run := func(*cobra.Command, []string) error { return c.listSettings() }
	cmd := c.uses(&cobra.Command{
		Use:   "config",
		Short: "Show every setting and where its value comes from",
		Long: `Show every setting and where its value comes from.

Flags win over the environment, the environment over the file, the file over the
default. The file has KEY=VALUE lines, # comments and nothing else; a value may
stand in quotes. Ends with code 8 when a value is refused.`,
		Example: `  gavel config list
  gavel config list --config gavel.env -o json`,
		Args: cobra.NoArgs,
		RunE: run,
	})
	cmd.AddCommand(c.uses(&cobra.Command{
		Use:     "list",
		Short:   "Show every setting and where its value comes from",
		Long:    cmd.Long,
		Example: cmd.Example,
		Args:    cobra.NoArgs,
		RunE:    run,
	}))
	return cmd
}

// listSettings prints the table even where values are refused: that is when it
// is needed most.
func (c *cli) listSettings() error {
	err := output.List(c.print, c.cfg.List(), "", []output.Column[config.Row]{
		{Head: "NAME", Field: "name", Value: func(r config.Row) any { return string(r.Name) }},
		{Head: "VALUE", Field: "value", Value: func(r config.Row) any { return r.Value }},
		{Head: "ORIGIN", Field: "origin", Value: func(r config.Row) any { return r.Origin }},
		{Head: "HELP", Field: "help", Value: func(r config.Row) any {
			if r.Problem != "" {
				return "REFUSED: " + r.Problem
			}
			return r.Help
		}},
	})
	if err != nil {
		return err
	}
	if n := len(c.cfg.Problems()); n > 0 {
		c.print.Say("%d refused; correct the values marked REFUSED and run: gavel config list", n)
		return verdict(exitProblems)
	}
	return nil
}
