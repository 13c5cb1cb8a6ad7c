package poolpatrol

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// settling is how many vans are settled at a time. Each waits for the disk when its
// transaction ends; the others work meanwhile. It leaves most of the connections of a
// process to everything else.
const settling = 4

// A settler sees to what follows from one run.
type settler func(context.Context, pgx.Tx, identity.Org, unsettled) error

// settleAll sees to what follows from some runs, each in a transaction of its own,
// and says of how many that was done. The error is one that another try may not
// meet; a van that cannot be settled keeps no other from it.
func (a *app) settleAll(ctx context.Context, in PassInput, left []unsettled, settle settler) (int, error) {
	var settled atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(settling)
	for _, u := range left {
		all.Go(func() error {
			err := a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return settle(ctx, tx, in.Org, u) })
			switch {
			case err == nil:
				settled.Add(1)
			case ctx.Err() != nil:
				return ctx.Err()
			case fault.KindOf(err).Retryable():
				return err
			default:
				a.log.ErrorContext(ctx, "what an audit found was not looked into", slog.String("pass", in.Pass), slog.String("van", string(u.Vanpool)), slog.Any("error", err))
			}
			return nil
		})
	}
	err := all.Wait()
	return int(settled.Load()), err
}
