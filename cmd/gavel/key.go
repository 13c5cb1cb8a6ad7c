package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/cmd/gavel/client"
	"github.com/gavelhq/gavel/cmd/gavel/output"
)

func (c *cli) keyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "key",
		Short:   "Look after the keys that personal data is sealed under",
		Example: `  gavel key rewrap`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.keyRewrapCommand())
	return cmd
}

func (c *cli) keyRewrapCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewrap",
		Short: "Move every data key to the newest master key",
		Long: `Move every data key, of all organisations, to the first of GAVEL_SEAL_KEYS. Put the
new key first on every server, run this, and destroy the old key once none is left
under it: from then on what was erased before is beyond anyone's reach, also in old
backups. It may be broken off and run again. That it was done goes on record.`,
		Example: `  gavel key rewrap
  gavel key rewrap -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			done, err := server.Rewrap(cmd.Context())
			if err != nil {
				return err
			}
			return output.One(c.print, done, []output.Column[client.Rewrapped]{
				{Head: "MASTER", Field: "master", Value: func(r client.Rewrapped) any { return r.Master }},
				{Head: "MOVED", Field: "moved", Value: func(r client.Rewrapped) any { return r.Moved }},
				{Head: "NOW UNDER", Field: "left", Value: func(r client.Rewrapped) any { return leftWords(r.Left) }},
				{Head: "RECORD", Field: "record", Value: func(r client.Rewrapped) any { return r.Record }},
			})
		},
	}
	return c.talksToServer(cmd)
}

// leftWords says how many keys are under which master key.
func leftWords(left map[string]int) string {
	var words []string
	for _, id := range slices.Sorted(maps.Keys(left)) {
		words = append(words, fmt.Sprintf("%s %d", id, left[id]))
	}
	return strings.Join(words, ", ")
}
