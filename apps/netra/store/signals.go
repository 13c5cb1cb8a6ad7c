package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
)

const signalColumns = `s.event_id, s.ts, s.lgd, s.severity, s.class, s.layers, s.geo, s.basis, s.source, s.source_type, s.event_type, s.summary`

// A signalRow is a signal as the table has it.
type signalRow struct {
	s                    signal.Signal
	class, layers, basis int16
}

// into is where the columns go.
func (k *signalRow) into() []any {
	s := &k.s
	return []any{&s.ID, &s.At, &s.LGD, &s.Severity, &k.class, &k.layers, &s.Geo, &k.basis, &s.Source, &s.SourceType, &s.Type, &s.Summary}
}

// signal is what they say.
func (k *signalRow) signal() signal.Signal {
	s, c := k.s, bucket.Class(k.class)
	s.At, s.Polarity, s.Enforcement = s.At.UTC(), c.Polarity(), c.Enforcement()
	s.Layers, s.Basis, s.Sources = layersIn(k.layers), basisIn(k.basis), 1
	return s
}

// Signals reads the signals of a district after one time and up to another, the newest first, so many at most.
func (s *Store) Signals(ctx context.Context, actor identity.Actor, lgd int, after, until time.Time,
	most int) (all []signal.Signal, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const read = `select ` + signalColumns + ` from netra.signal s where lgd = $1 and ts > $2 and ts <= $3 order by ts desc, event_id
		limit $4`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var one signalRow
		rows, _ := tx.Query(ctx, read, lgd, after, until, most)
		_, err := pgx.ForEachRow(rows, one.into(), func() error { all = append(all, one.signal()); return nil })
		return err
	})
	return all, err
}

// addSparse counts the minutes of hours whose minutes have no sums, because so little was heard in them: signal by signal.
func (r *reading) addSparse(ctx context.Context, tx pgx.Tx, summed map[place]bool) error {
	for _, hour := range slices.Sorted(maps.Keys(r.minutes)) {
		var quiet []int
		for _, lgd := range r.q.LGD {
			if !summed[place{from: hour, lgd: int32(lgd)}] {
				quiet = append(quiet, lgd)
			}
		}
		if len(quiet) == 0 {
			continue
		}
		start := time.Unix(hour, 0).UTC()
		cuts := map[span][]use{}
		for _, u := range r.minutes[hour] {
			cut := span{start, start.Add(time.Hour)}
			if u.From.After(cut.from) {
				cut.from = u.From.UTC()
			}
			if u.To.Before(cut.to) {
				cut.to = u.To.UTC()
			}
			cuts[cut] = append(cuts[cut], u)
		}
		for _, cut := range slices.SortedFunc(maps.Keys(cuts), bySpan) {
			if err := r.addRows(ctx, tx, quiet, cut, cuts[cut]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRows counts the signals of districts in a stretch of time, one by one.
func (r *reading) addRows(ctx context.Context, tx pgx.Tx, lgds []int, cut span, uses []use) error {
	const within = `select lgd, ts, severity, class, layers, geo, ref from netra.signal
		where lgd = any($1::integer[]) and ts >= $2 and ts < $3 order by ts, ref`
	var lgd int
	var s signal.Signal
	var class, layers int16
	var ref int64
	rows, _ := tx.Query(ctx, within, lgds, cut.from, cut.to)
	_, err := pgx.ForEachRow(rows, []any{&lgd, &s.At, &s.Severity, &class, &layers, &s.Geo, &ref}, func() error {
		row := bucket.Row{At: s.At.UTC(), Weight: s.Weight(), Severity: s.Severity, Class: bucket.Class(class)}
		if r.q.Named {
			row.ID = refText(uint64(ref))
		}
		to := r.out[lgd]
		for _, u := range uses {
			r.addRow(&to[u.window], r.q.Windows[u.window], row, layers)
		}
		return nil
	})
	return err
}

// addRow counts a signal in a window: once, and in each of its layers.
func (r *reading) addRow(to *[rowsOfLayers]bucket.Totals, w Ask, row bucket.Row, layers int16) {
	recency := w.Floor.Recency(w.AsOf.Sub(row.At))
	to[0].CountRow(row, recency)
	for i := range rowsOfLayers - 1 {
		switch {
		case layers&(1<<i) == 0:
		case r.q.Named && !w.Silent:
			to[i+1].AddRow(w.Window, w.Floor, row)
		default:
			to[i+1].CountRow(row, recency)
		}
	}
}
