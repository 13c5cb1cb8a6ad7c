package poolpatrol

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// vansOf are the vans that a pass of a kind looks at; nil is all of them. A daily one
// looks at those that had an open case when it began, whatever has become of it
// since, so that a try that goes on where another stopped looks at the same.
func vansOf(ctx context.Context, tx pgx.Tx, kind PassKind, at time.Time) (map[fleet.VanpoolID]bool, error) {
	if kind != Daily {
		return nil, nil
	}
	rows, _ := tx.Query(ctx, `select vanpool_id from poolpatrol.case where opened_at <= $1 and coalesce(ended_at, 'infinity') > $1`, at)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[fleet.VanpoolID])
	if err != nil {
		return nil, fmt.Errorf("read which vans have an open case: %w", err)
	}
	among := make(map[fleet.VanpoolID]bool, len(ids))
	for _, id := range ids {
		among[id] = true
	}
	return among, nil
}

// looksAt reports whether a pass looks at a van.
func looksAt(among map[fleet.VanpoolID]bool, id fleet.VanpoolID) bool {
	return among == nil || among[id]
}

// notePutBack notes the memberships that a case ended and that are there again: a
// cancellation was reversed. Whoever writes riders calls it, with the
// installation's clock.
func notePutBack(ctx context.Context, tx pgx.Tx, now time.Time) error {
	const note = `update poolpatrol.case_subject s set put_back_at = $1 from poolpatrol.case c, poolpatrol.rider r
		where s.cancelled_at is not null and s.put_back_at is null and s.state = 'cancelled'
			and c.org = s.org and c.id = s.case_id and r.org = s.org and r.vanpool_id = c.vanpool_id and r.employee_id = s.employee_id and r.removed_on is null`
	if _, err := tx.Exec(ctx, note, now); err != nil {
		return fmt.Errorf("note who was put back: %w", err)
	}
	return nil
}
