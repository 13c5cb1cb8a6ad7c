// Package cli is the commands of Gate Pass. They speak to a server's API and know nothing else.
package cli

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
)

// Commands are what Gate Pass adds to the command line: one command, with all others below it.
func Commands(t platform.Terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "gatepass",
		Short: "Talk with the agent of gate passes",
		Long: `Make, approve and look up gate passes by talking with an agent. It does what your own
role may do, and nothing more.`,
		Example: `  gavel gatepass chat --role HR_User
  gavel gatepass chat --role Admin_User "What waits for approval?"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c := terminal{t}
	cmd.AddCommand(c.chatCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct{ platform.Terminal }
