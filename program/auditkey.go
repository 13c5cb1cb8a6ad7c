package program

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) auditKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make and change the keys that sign the log",
		Example: `  gavel audit key new gavel.example.org/log
  gavel audit key accept gavel.example.org/log+1a2b3c4d+AbCd… --reason "the last one was lost with its server"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.auditKeyNewCommand(), c.auditKeyAcceptCommand())
	return cmd
}

func (c *cli) auditKeyNewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "new ORIGIN",
		Short: "Make a key; ORIGIN names the log for ever",
		Long: `Make a key; ORIGIN names the log for ever, usually the host it belongs to and a
path. The secret half goes into GAVEL_LOG_KEY, the public half to everyone who is
to check the log.`,
		Example: "  gavel audit key new gavel.example.org/log",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			secret, public, err := audit.NewKey(args[0])
			if err != nil {
				return err
			}
			key := logKey{Secret: secret, Public: string(public)}
			return output.One(c.print, key, []output.Column[logKey]{
				{Head: "SECRET", Field: "secret", Value: func(k logKey) any { return k.Secret }},
				{Head: "PUBLIC", Field: "public", Value: func(k logKey) any { return k.Public }},
			})
		},
	}
}

// A logKey is both halves, printed once.
type logKey struct {
	Secret string `json:"secret"`
	Public string `json:"public"`
}

func (c *cli) auditKeyAcceptCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "accept PUBLIC --reason <why>",
		Short: "Let a key sign the log that the one before does not vouch for",
		Long: `Let a new key sign the log after the old one was lost and can't vouch for it. It
works on the database itself, for whoever runs the installation. PUBLIC is the public half of the new key. Servers that have the secret half as GAVEL_LOG_KEY
go on with it.

If you still have the old key, set GAVEL_LOG_KEY_PREVIOUS instead. Then those who trust
the old key can trust the new one. This leaves them with your word. It goes into the
log, with the reason, for ever: write no names.`,
		Example: `  gavel audit key accept gavel.example.org/log+1a2b3c4d+AbCd… --reason "the last one was lost with its server"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.acceptKey(cmd.Context(), audit.Verifier(args[0]), reason)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the log (needed)")
	_ = cmd.MarkFlagRequired("reason")
	return c.reads(cmd)
}

func (c *cli) acceptKey(ctx context.Context, key audit.Verifier, reason string) error {
	clock, err := durable.NewClock(c.cfg.ClockEpoch, c.cfg.ClockSpeed, c.cfg.Mode != config.Production)
	if err != nil {
		return err
	}
	return c.withSystem(ctx, func(sys *postgres.System) error {
		id, a, err := audit.AcceptKey(ctx, sys, key, reason, clock.Now())
		if err != nil {
			return err
		}
		return output.One(c.print, acceptedKey{string(a.Key), string(a.Previous), string(id)}, []output.Column[acceptedKey]{
			{Head: "KEY", Field: "key", Value: func(k acceptedKey) any { return k.Key }},
			{Head: "FOLLOWS", Field: "previous", Value: func(k acceptedKey) any { return k.Previous }},
			{Head: "RECORD", Field: "record", Value: func(k acceptedKey) any { return k.Record }},
		})
	})
}

// An acceptedKey is a key that was let in, the one it follows, and the record that
// says so.
type acceptedKey struct {
	Key      string `json:"key"`
	Previous string `json:"previous"`
	Record   string `json:"record"`
}
