package act

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
)

// A Backlog is how many acts wait, and the oldest's time; zero where none does.
type Backlog struct {
	Waiting int64
	Oldest  time.Time
}

// Late counts the acts of all organisations that go beyond our walls, were
// authorised and could have begun before a moment, and have come to no end. Those
// that a pause holds are not late.
func Late(ctx context.Context, sys *postgres.System, before time.Time) (Backlog, error) {
	const late = `
		select count(*), coalesce(min(a.planned_at), to_timestamp(0))
		from gavel_sys.organisation o join gavel.act a on a.org = o.org
		where a.state in ('planned', 'running') and a.effect = 'outside' and a.planned_at < $1 and coalesce(a.not_before, a.planned_at) < $1
			and not exists (select from gavel.pause p where p.org = a.org and ` + heldBy + `)`
	rows, _ := sys.Query(ctx, late, before)
	b, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (b Backlog, err error) {
		var oldest time.Time
		if err = row.Scan(&b.Waiting, &oldest); err == nil && b.Waiting > 0 {
			b.Oldest = oldest.UTC()
		}
		return b, err
	})
	if err != nil {
		return Backlog{}, fmt.Errorf("count acts that are late: %w", err)
	}
	return b, nil
}
