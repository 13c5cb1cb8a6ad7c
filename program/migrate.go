package program

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) migrateCommand() *cobra.Command {
	cmd := c.migrates(&cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to date",
		Long: `Bring the database's schema up to date, as its owner. Migrations only go forward
and run while the old version still serves. Several may be started at once: one
works, the others wait.`,
		Example: `  gavel migrate
  gavel migrate status`,
		Args: cobra.NoArgs,
		RunE: c.migrateUp,
	})
	cmd.AddCommand(
		c.migrates(&cobra.Command{
			Use:     "up",
			Short:   "Run the migrations that have not run yet",
			Example: "  gavel migrate up",
			Args:    cobra.NoArgs,
			RunE:    c.migrateUp,
		}),
		c.migrates(&cobra.Command{
			Use:   "status",
			Short: "List the migrations that have not run yet",
			Long:  "List the migrations that have not run yet. Ends with code 8 when there are any.",
			Example: `  gavel migrate status
  gavel migrate status -o json`,
			Args: cobra.NoArgs,
			RunE: c.migrateStatus,
		}),
	)
	return cmd
}

func (c *cli) migrates(cmd *cobra.Command) *cobra.Command {
	return c.uses(cmd, config.Need{config.NameDatabaseOwner})
}

func (c *cli) migrateUp(cmd *cobra.Command, _ []string) error {
	done, err := postgres.Migrate(cmd.Context(), c.cfg.DatabaseOwner.Reveal(), c.apps.migrations()...)
	if err != nil {
		return err
	}
	return c.printMigrations(done, "nothing to do: the schema is up to date")
}

func (c *cli) migrateStatus(cmd *cobra.Command, _ []string) error {
	pending, err := postgres.Pending(cmd.Context(), c.cfg.DatabaseOwner.Reveal(), c.apps.migrations()...)
	if err != nil {
		return err
	}
	if err := c.printMigrations(pending, "the schema is up to date"); err != nil {
		return err
	}
	if len(pending) > 0 {
		c.print.Say("these have not run yet; run them with: gavel migrate up")
		return verdict(exitProblems)
	}
	return nil
}

// A migration is one file of one set, as programs read it.
type migration struct {
	Set  string `json:"set"`
	File string `json:"file"`
}

func (c *cli) printMigrations(all []postgres.Applied, none string) error {
	rows := make([]migration, len(all))
	for i, a := range all {
		rows[i] = migration(a)
	}
	return output.List(c.print, rows, none, []output.Column[migration]{
		{Head: "SET", Field: "set", Value: func(m migration) any { return m.Set }},
		{Head: "MIGRATION", Field: "file", Value: func(m migration) any { return m.File }},
	})
}
