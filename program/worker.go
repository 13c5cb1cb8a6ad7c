package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

func (c *cli) workerCommand() *cobra.Command {
	var version durable.Version
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work the cases: run the applications' workflows",
		Long: `Work the cases: run the applications' workflows. Any number of workers may run
side by side. A worker waits for the engine and the database, and lets running
steps finish when it is asked to end.

With --build-id a case stays with the build that began it. Keep the old build's
workers until its cases are done. New cases go to the build that was last
started with --current. Once pinned, always pinned: a worker without --build-id
then gets no new cases.`,
		Example: `  gavel worker
  gavel worker --config gavel.env --build-id 2026-11-14.1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return stopped(cmd.Context(), c.work(cmd.Context(), version))
		},
	}
	cmd.Flags().StringVar(&version.BuildID, "build-id", "", "pin cases to the build that began them, and name this one")
	cmd.Flags().BoolVar(&version.Current, "current", false, "from now on new cases go to this build")
	cmd.Flags().StringVar(&version.Deployment, "deployment", "gavel", "name of the deployment that builds belong to")
	return c.uses(cmd, config.Need{config.NameDatabase}, config.Need{config.NameTemporalAddress}, config.Need{config.NamePayloadKeys})
}

func (c *cli) work(ctx context.Context, version durable.Version) error {
	p, err := c.openParts(ctx, workerName)
	if err != nil {
		return err
	}
	defer p.close(ctx)
	m, err := c.newMinds(p)
	if err != nil {
		return err
	}
	if err := c.openApps(p, m, nil); err != nil {
		return err
	}
	p.log.InfoContext(ctx, "worker starts", slog.String("engine", c.cfg.TemporalAddress), slog.String("clock", p.clock.String()),
		slog.String("mode", string(c.cfg.Mode)))
	hide, err := c.showWorker(ctx, p)
	if err != nil {
		return err
	}
	defer hide()
	if err := awaitDatabase(ctx, p.db, p.log); err != nil || ctx.Err() != nil {
		return err // none where it was asked to end while waiting for the database
	}
	defer p.putInForceMeanwhile(ctx)()
	defer c.apps.beginMeanwhile(ctx, p.log)()
	engine, err := durable.Dial(ctx, p.engine)
	if err != nil {
		if ctx.Err() != nil {
			return nil // asked to end while waiting for the engine
		}
		return err
	}
	defer engine.Close()
	return durable.Run(ctx, engine, version, p.log, m.work(p.cases, c.apps)...)
}

// databaseEvery is how often a waiting worker tries the database, and says so.
const databaseEvery = 3 * time.Second

// A database is what a worker waits for.
type database interface{ Walled(context.Context) error }

// awaitDatabase waits until the database answers, however long that takes, and
// refuses one whose role could pass the walls between organisations. A worker that
// took work before could only fail at it. It returns nil also where the context
// ended first.
func awaitDatabase(ctx context.Context, db database, log *slog.Logger) error {
	for {
		try, stop := context.WithTimeout(ctx, 2*databaseEvery)
		err := db.Walled(try)
		stop()
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if fault.Is(err, fault.Refused) {
			return err
		}
		log.WarnContext(ctx, "waiting for the database", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(databaseEvery):
		}
	}
}
