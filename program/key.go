package program

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) keyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Look after the keys that personal data is sealed under",
		Example: `  gavel key rewrap
  gavel key rewrap-all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.keyRewrapCommand(), c.keyRewrapAllCommand())
	return cmd
}

func (c *cli) keyRewrapCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewrap",
		Short: "Move your organisation's data keys to the newest master key",
		Long: `Move the data keys of your organisation to the first of the server's GAVEL_SEAL_KEYS.
It needs the role org_admin. Whether an old master key is needed any more is known
when all organisations have moved: gavel key rewrap-all. It may be broken off and run
again. That it was done goes on record.`,
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
			return output.One(c.print, done, rewrapColumns())
		},
	}
	return c.talksToServer(cmd)
}

func rewrapColumns() []output.Column[client.Rewrapped] {
	return []output.Column[client.Rewrapped]{
		{Head: "MASTER", Field: "master", Value: func(r client.Rewrapped) any { return r.Master }},
		{Head: "MOVED", Field: "moved", Value: func(r client.Rewrapped) any { return r.Moved }},
		{Head: "NOW UNDER", Field: "left", Value: func(r client.Rewrapped) any { return leftWords(r.Left) }},
		{Head: "RECORD", Field: "record", Value: func(r client.Rewrapped) any { return r.Record }},
	}
}

func (c *cli) keyRewrapAllCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewrap-all",
		Short: "Move every organisation's data keys to the newest master key, on the database itself",
		Long: `Move every data key, of all organisations, to the first of GAVEL_SEAL_KEYS. It works on
the database itself, for whoever runs the installation. Put the new key first on every
server, and run this. Destroy the old key once none is left under it. From then on
nobody can reach what was erased before, also in old backups. It may be broken off and
run again. That it was done goes on record.`,
		Example: `  gavel key rewrap-all
  gavel key rewrap-all -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.rewrapAll(cmd.Context()) },
	}
	return c.uses(cmd, config.Need{config.NameDatabase}, config.Need{config.NameDatabaseSystem}, config.Need{config.NameSealKeys})
}

func (c *cli) rewrapAll(ctx context.Context) error {
	clock, err := durable.NewClock(c.cfg.ClockEpoch, c.cfg.ClockSpeed, c.cfg.Mode != config.Production)
	if err != nil {
		return err
	}
	db, err := postgres.Open(ctx, c.cfg.Database.Reveal())
	if err != nil {
		return err
	}
	defer db.Close()
	vault, err := seal.New(seal.Config{DB: db, Masters: c.cfg.SealKeys, Now: clock.Now})
	if err != nil {
		return err
	}
	return c.withSystem(ctx, func(sys *postgres.System) error {
		done, err := vault.RewrapAll(ctx, sys)
		if err != nil {
			return err
		}
		return output.One(c.print, client.Rewrapped{Master: done.Master, Moved: done.Moved, Left: done.Left, Record: string(done.Record)},
			rewrapColumns())
	})
}

// leftWords says how many keys are under which master key.
func leftWords(left map[string]int) string {
	var words []string
	for _, id := range slices.Sorted(maps.Keys(left)) {
		words = append(words, fmt.Sprintf("%s %d", id, left[id]))
	}
	return strings.Join(words, ", ")
}
