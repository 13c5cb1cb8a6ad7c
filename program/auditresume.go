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

func (c *cli) auditResumeCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "resume --reason <why>",
		Short: "Let a log go on whose database was restored from an older copy",
		Long: `Let a log go on whose database was restored from an older copy. It works on the database
and the store themselves, for whoever runs the installation. Until then its servers sign
and publish nothing, because others hold checkpoints of entries that are gone here. What
people do meanwhile waits and is not lost.

The hashes of the lost entries are taken back from the published copy. The tree is then
again the one that others hold. The records themselves are lost. That, and your reason,
goes into the log for ever: write no names. Nothing that was published is changed. Try a
newer backup first; docs/runbook/log-restored.md has the order of things.`,
		Example: `  gavel audit resume --reason "the disk of 3 May; the newest backup was of 2 May, 23:00"`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.resumeLog(cmd.Context(), reason) },
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the log (needed)")
	_ = cmd.MarkFlagRequired("reason")
	return c.uses(cmd, config.Need{config.NameDatabaseSystem}, config.Need{config.NameBlobURL})
}

func (c *cli) resumeLog(ctx context.Context, reason string) error {
	clock, err := durable.NewClock(c.cfg.ClockEpoch, c.cfg.ClockSpeed, c.cfg.Mode != config.Production)
	if err != nil {
		return err
	}
	shelf, err := openBlob(c.cfg)
	if err != nil {
		return err
	}
	return c.withSystem(ctx, func(sys *postgres.System) error {
		lost, err := audit.Resume(ctx, sys, shelf, reason, clock.Now())
		if err != nil {
			return err
		}
		return output.One(c.print, lost, []output.Column[audit.Lost]{
			{Head: "LOST FROM ENTRY", Field: "from", Value: func(l audit.Lost) any { return l.From }},
			{Head: "TO BEFORE", Field: "upto", Value: func(l audit.Lost) any { return l.Upto }},
			{Head: "RECORD", Field: "record", Value: func(l audit.Lost) any { return string(l.Record) }},
		})
	})
}
