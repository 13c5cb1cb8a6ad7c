package agent

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// mostOrders bounds how many orders a stretch reads at once.
const mostOrders = 100

// newerOrders are the orders to some runs that came after the newest that is known.
const newerOrders = `select o.run_id, o.n, o.do_what from gavel.run_order o
	join unnest($1::text[], $2::int[]) k (run, n) on o.run_id = k.run and o.n > k.n order by o.n desc limit $3`

func newerOf(known []heed) []any {
	runs, ns := make([]string, len(known)), make([]int, len(known))
	for i, k := range known {
		runs[i], ns[i] = k.Run, k.N
	}
	return []any{runs, ns, mostOrders}
}

func collectOrders(rows pgx.Rows) ([]order, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (o order, err error) {
		return o, row.Scan(&o.Run, &o.N, &o.Do)
	})
}

// newer reads them, newest first.
func (b *books) newer(ctx context.Context, org identity.Org, known []heed) (all []order, err error) {
	var look pgx.Batch
	look.Queue(newerOrders, newerOf(known)...).Query(func(rows pgx.Rows) (err error) {
		all, err = collectOrders(rows)
		return err
	})
	if err := b.db.Look(ctx, org, &look); err != nil {
		return nil, fmt.Errorf("look for orders: %w", err)
	}
	return all, nil
}

// queueHeed has the turn's own commit look for orders: one that came while the turn was
// taken counts before anything follows from it.
func (t *turn) queueHeed(b *pgx.Batch) {
	if len(t.heed) == 0 {
		return
	}
	b.Queue(newerOrders, newerOf(t.heed)...).Query(func(rows pgx.Rows) (err error) {
		t.orders, err = collectOrders(rows)
		return err
	})
}
