package outbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
)

// A LaneState is what an operator watches of a lane.
type LaneState struct {
	Lane    Lane
	Waiting int64         // on their way, those being tried again among them
	Dead    int64         // the engine refused them for good; a person has to look
	Oldest  time.Duration // how long the oldest of those waiting has waited
}

// Measure looks at both lanes, across organisations.
func Measure(ctx context.Context, sys *postgres.System) ([]LaneState, error) {
	const measure = `
		select lane, count(o.id) filter (where not dead), count(o.id) filter (where dead),
		       coalesce(now() - min(created_at) filter (where not dead), interval '0')
		from unnest(array['decision', 'start']) lane left join gavel.outbox o using (lane)
		group by lane order by lane`
	rows, _ := sys.Query(ctx, measure) // CollectRows reports Query's error too
	return pgx.CollectRows(rows, pgx.RowToStructByPos[LaneState])
}
