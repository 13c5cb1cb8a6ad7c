package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A Told is the signals that a score names, by their ids.
type Told map[string]signal.Signal

// A spot is where a signal that sums name is found.
type spot struct {
	lgd int
	at  int64 // microseconds
	ref int64
}

// name gives the heaviest signals their own ids in place of the short ones of the sums, and returns them.
func name(ctx context.Context, tx pgx.Tx, all map[int]Sums) (Told, error) {
	var spots []spot
	for lgd, sums := range all {
		for w := range sums {
			for l := 1; l < len(sums[w]); l++ { // of all layers together nobody is named
				for _, top := range sums[w][l].Top {
					for _, x := range top {
						spots = append(spots, spot{lgd, x.At.UnixMicro(), refIn(x.ID)})
					}
				}
			}
		}
	}
	found, err := signalsAt(ctx, tx, spots)
	if err != nil {
		return nil, err
	}
	told := Told{}
	for lgd, sums := range all {
		for w := range sums {
			for l := 1; l < len(sums[w]); l++ {
				sums[w][l].Rename(func(r bucket.Row) string {
					s := found[spot{lgd, r.At.UnixMicro(), refIn(r.ID)}]
					told[s.ID] = s
					return s.ID
				})
			}
		}
	}
	return told, nil
}

// signalsAt reads the signals at spots.
func signalsAt(ctx context.Context, tx pgx.Tx, spots []spot) (map[spot]signal.Signal, error) {
	slices.SortFunc(spots, func(a, b spot) int {
		return slices.Compare([]int64{int64(a.lgd), a.at, a.ref}, []int64{int64(b.lgd), b.at, b.ref})
	})
	spots = slices.Compact(spots)
	out := make(map[spot]signal.Signal, len(spots))
	var lgds []int
	var ats []time.Time
	var refs []int64
	for _, x := range spots {
		lgds, ats, refs = append(lgds, x.lgd), append(ats, time.UnixMicro(x.at).UTC()), append(refs, x.ref)
	}
	const read = `select ` + signalColumns + `, s.ref from netra.signal s join unnest($1::integer[], $2::timestamptz[], $3::bigint[]) k(lgd, ts, ref)
		on s.lgd = k.lgd and s.ts = k.ts and s.ref = k.ref`
	rows, _ := tx.Query(ctx, read, lgds, ats, refs)
	var one signalRow
	var ref int64
	_, err := pgx.ForEachRow(rows, append(one.into(), &ref), func() error {
		s := one.signal()
		at := spot{s.LGD, s.At.UnixMicro(), ref}
		if other, ok := out[at]; !ok || s.ID < other.ID {
			out[at] = s
		}
		return nil
	})
	return out, err
}
