package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/road"
	"github.com/gavelhq/gavel/platform/identity"
)

// Distances are ways that were measured before, as they are known at a moment of the
// installation's clock. No router is asked: the check has an estimate for what is not
// in the table.
func (s *Store) Distances(ctx context.Context, org identity.Org, at time.Time, pairs []location.Pair) (road.Distances, error) {
	all := road.NewWays(pairs)
	known, err := s.KnownRoads(ctx, org, at, all.Keys())
	if err != nil {
		return road.Distances{}, err
	}
	return all.Sum(known, nil, nil), nil
}

// KnownRoads reads those of some ways that were measured before and are still good at
// a moment. One from the future is not: a clock was wrong, and it is measured anew.
func (s *Store) KnownRoads(ctx context.Context, org identity.Org, at time.Time, keys []road.Key) (map[road.Key]location.Road, error) {
	const find = `select home, pickup, miles, minutes, router from unnest($1::text[], $2::text[]) w(home, pickup)
		join poolpatrol.road using (home, pickup) where at > $3 and at <= $4`
	known := make(map[road.Key]location.Road, len(keys))
	homes, pickups := columns(keys)
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, find, homes, pickups, at.Add(-road.GoodFor), at)
		if err != nil {
			return err
		}
		var key road.Key
		var r location.Road
		_, err = pgx.ForEachRow(rows, []any{&key.Home, &key.Pickup, &r.Miles, &r.Minutes, &r.Method}, func() error {
			known[key] = r
			return nil
		})
		return err
	})
	return known, err
}

// KeepRoads writes ways down. Always in the same order: two passes that write the same
// ones then wait for each other instead of locking each other out.
func (s *Store) KeepRoads(ctx context.Context, org identity.Org, at time.Time, found map[road.Key]location.Road) error {
	if len(found) == 0 {
		return nil
	}
	const write = `insert into poolpatrol.road (org, home, pickup, miles, minutes, router, at)
		select $1, w.*, $7 from unnest($2::text[], $3::text[], $4::float8[], $5::float8[], $6::text[]) w
		on conflict (org, home, pickup) do update set miles = excluded.miles, minutes = excluded.minutes, router = excluded.router,
		at = excluded.at`
	keys := slices.SortedFunc(maps.Keys(found), road.InOrder)
	homes, pickups := columns(keys)
	miles, minutes, routers := make([]float64, len(keys)), make([]float64, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		miles[i], minutes[i], routers[i] = found[k].Miles, found[k].Minutes, string(found[k].Method)
	}
	at = at.Truncate(time.Microsecond) // the database would round, and make it later than now
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, write, org, homes, pickups, miles, minutes, routers, at)
		return err
	})
}

func columns(keys []road.Key) (homes, pickups []string) {
	for _, k := range keys {
		homes, pickups = append(homes, k.Home), append(pickups, k.Pickup)
	}
	return homes, pickups
}
