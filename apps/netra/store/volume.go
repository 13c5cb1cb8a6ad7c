package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/platform/identity"
)

// Volume is how many signals each district had on each of some days (UTC) up to one, the last day last. It reads sums: what it costs
// does not depend on how many signals there are. No districts are all of them.
func (s *Store) Volume(ctx context.Context, actor identity.Actor, lgd []int, last time.Time, days int) (map[int][]int64, error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	last = last.UTC().Truncate(day)
	const read = `select day::timestamptz, lgd, sums from netra.day where layer = 0 and day > $1::date and day <= $2::date
		and (cardinality($3::integer[]) = 0 or lgd = any($3::integer[]))`
	out := map[int][]int64{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var at time.Time
		var district int
		var sums pgtype.DriverBytes
		if lgd == nil {
			lgd = []int{}
		}
		rows, _ := tx.Query(ctx, read, last.AddDate(0, 0, -days), last, lgd)
		_, err := pgx.ForEachRow(rows, []any{&at, &district, &sums}, func() error {
			cells, err := bucket.ReadCells(sums)
			if err != nil {
				return err
			}
			if out[district] == nil {
				out[district] = make([]int64, days)
			}
			n := int64(0)
			for _, c := range cells {
				n += c.Count
			}
			out[district][days-1-int(last.Sub(at.UTC())/day)] = n
			return nil
		})
		return err
	})
	return out, err
}
