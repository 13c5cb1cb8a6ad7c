package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Lane is a part of the board: how many passes stand there, and the first of them.
type Lane struct {
	Lane  pass.Lane
	Count int
	First []Kept
}

// lanes is what of a pass p puts it into a lane, as pass.Pass.Lane says it, and in which order a lane is read.
var lanes = map[pass.Lane]struct{ where, order string }{
	pass.LaneWaiting: {`p.status = 'pending'`, `p.created_at, p.id`},
	pass.LaneReady:   {`p.status = 'approved' and p.valid_until >= @now`, `p.valid_from, p.id`},
	pass.LaneOut: {`p.status = 'exited' and (p.returnable and ` + dueBack + ` >= @now or not p.returnable and p.exit_time >= @day)`,
		dueBack + `, p.id`},
	pass.LaneLate:    {`p.status = 'exited' and p.returnable and ` + dueBack + ` < @now`, dueBack + `, p.id`},
	pass.LaneBack:    {`p.status = 'returned' and p.return_time >= @day`, `p.return_time desc, p.id`},
	pass.LaneRefused: {`p.status = 'rejected' and p.rejected_at >= @day`, `p.rejected_at desc, p.id`},
}

// placed is a condition on the moment and on when its day began, with the places of both.
func placed(where, now, day string) string {
	return strings.NewReplacer(`@now`, now+`::timestamptz`, `@day`, day+`::timestamptz`).Replace(where)
}

const dueBack = `coalesce(p.expected_return_at, p.valid_until)`

// Board reads where the passes of a site stand, or of all sites where none is said: for each lane the first few and how many
// there are, each counted by the statement that reads it.
func (s *Store) Board(ctx context.Context, who identity.Actor, site string, day time.Time, first int) (board []Lane, err error) {
	if err := s.May(who, ActBoard); err != nil {
		return nil, err
	}
	now := s.Now()
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		for _, name := range pass.Lanes() {
			l, err := readLane(ctx, tx, name, site, now, day, first)
			if err != nil {
				return fmt.Errorf("read lane %s: %w", name, err)
			}
			board = append(board, l)
		}
		return nil
	})
	return board, err
}

func readLane(ctx context.Context, tx pgx.Tx, name pass.Lane, site string, now, day time.Time, first int) (Lane, error) {
	l, how := Lane{Lane: name}, lanes[name]
	sql := `select ` + passColumns + `, count(*) over () from gatepass.pass p where p.deleted_at is null and ` + placed(how.where, `$1`, `$2`) +
		` and ($3 = '' or p.site_id = $3) and $1::timestamptz is not null and $2::timestamptz is not null order by ` + how.order + ` limit $4`
	rows, _ := tx.Query(ctx, sql, now, day, site, first)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Kept, error) { return scanWith(row, &l.Count) })
	if err != nil {
		return l, err
	}
	l.First = all
	return l, fill(ctx, tx, all)
}
