package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Spot is where a signal that sums name is found: sums have a short name for it, and its time.
type Spot struct {
	LGD int
	At  int64  // microseconds
	ID  string // the short name
}

// Named reads the signals that sums name.
func (s *Store) Named(ctx context.Context, actor identity.Actor, spots []Spot) (all map[Spot]signal.Signal, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = signalsAt(ctx, tx, spots)
		return err
	})
	return all, err
}

// signalsAt reads the signals at spots.
func signalsAt(ctx context.Context, tx pgx.Tx, spots []Spot) (map[Spot]signal.Signal, error) {
	spots = slices.Clone(spots)
	slices.SortFunc(spots, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(a.LGD, b.LGD), cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
	spots = slices.Compact(spots)
	out := make(map[Spot]signal.Signal, len(spots))
	var lgds []int
	var ats []time.Time
	var refs []int64
	for _, x := range spots {
		lgds, ats, refs = append(lgds, x.LGD), append(ats, time.UnixMicro(x.At).UTC()), append(refs, refIn(x.ID))
	}
	const read = `select ` + signalColumns + `, s.ref from netra.signal s
		join unnest($1::integer[], $2::timestamptz[], $3::bigint[]) k(lgd, ts, ref)
		on s.lgd = k.lgd and s.ts = k.ts and s.ref = k.ref`
	rows, _ := tx.Query(ctx, read, lgds, ats, refs)
	var one signalRow
	var ref int64
	_, err := pgx.ForEachRow(rows, append(one.into(), &ref), func() error {
		s := one.signal()
		at := Spot{s.LGD, s.At.UnixMicro(), refText(uint64(ref))}
		if other, ok := out[at]; !ok || s.ID < other.ID {
			out[at] = s
		}
		return nil
	})
	return out, err
}
