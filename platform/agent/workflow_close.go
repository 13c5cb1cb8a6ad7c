package agent

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
)

// Close closes the desk's case with how it ended, for a workflow that has nothing of its
// own to put on record then. A case that is closed already stays as it is.
func (d *Desk) Close(ctx workflow.Context, status string) error {
	var steps *Steps
	return workflow.ExecuteLocalActivity(durable.Step(ctx), steps.CloseCase, d.in, status, d.in.Clock.In(ctx)).Get(ctx, nil)
}

// CloseCase closes a case.
func (s *Steps) CloseCase(ctx context.Context, in casefile.Input, status string, at time.Time) error {
	return s.books.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return casefile.Finish(ctx, tx, in, status, at) })
}
