package store

import (
	"cmp"
	"context"
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
	// One by one, each in its day and by its district: left to itself the database would rather read all signals there are.
	const read = `select ` + signalColumns + `, s.ref from unnest($1::integer[], $2::timestamptz[], $3::bigint[]) k(lgd, ts, ref)
		cross join lateral (select * from netra.signal x where x.lgd = k.lgd and x.ts = k.ts and x.ref = k.ref offset 0) s`
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

// askSignals asks for the signals of districts in pieces of windows, to be counted one by one. Pieces that touch are read at once.
func (r *reading) askSignals(to *pgx.Batch, lgds []int, uses []use) {
	slices.SortStableFunc(uses, func(a, b use) int { return a.From.Compare(b.From) })
	for len(uses) > 0 && len(lgds) > 0 {
		n, until := 1, uses[0].To
		for ; n < len(uses) && !uses[n].From.After(until); n++ {
			if uses[n].To.After(until) {
				until = uses[n].To
			}
		}
		r.askSpan(to, lgds, uses[0].From, until, uses[:n])
		uses = uses[n:]
	}
}

// A heardSignal is what is read of one to be counted.
type heardSignal struct {
	lgd    int
	ref    int64
	layers int16
	row    bucket.Row
}

// askSpan asks for the signals from a time up to but without another, each to be counted in the pieces in which it lies. Sums of floats
// depend on the order. The database gives signals nearly in theirs; to sort them here takes a tenth of what it would take there.
func (r *reading) askSpan(to *pgx.Batch, lgds []int, from, until time.Time, uses []use) {
	query, args := `select lgd, ts, severity, class, layers, geo, ref from netra.signal where ts >= $1 and ts < $2`,
		[]any{ceil(from), ceil(until)}
	if len(lgds) <= fewDistricts || len(lgds) < len(r.q.LGD) {
		query, args = query+` and lgd = any($3::integer[])`, append(args, lgds)
	}
	to.Queue(query, args...).Query(func(rows pgx.Rows) error {
		var all []heardSignal
		var one heardSignal
		var s signal.Signal
		var class int16
		_, err := pgx.ForEachRow(rows, []any{&one.lgd, &s.At, &s.Severity, &class, &one.layers, &s.Geo, &one.ref}, func() error {
			one.row = bucket.Row{At: s.At.UTC(), Weight: s.Weight(), Severity: s.Severity, Class: bucket.Class(class)}
			all = append(all, one)
			return nil
		})
		slices.SortFunc(all, func(a, b heardSignal) int { return cmp.Or(a.row.At.Compare(b.row.At), cmp.Compare(a.ref, b.ref)) })
		for i := range all {
			r.addSignal(&all[i], uses)
		}
		return err
	})
}

// addSignal counts a signal in the pieces in which it lies.
func (r *reading) addSignal(s *heardSignal, uses []use) {
	to, ok := r.out[s.lgd]
	if !ok {
		return
	}
	if r.q.Named {
		s.row.ID = refText(uint64(s.ref))
	}
	for _, u := range uses {
		if !s.row.At.Before(u.From) && s.row.At.Before(u.To) {
			r.addRow(&to[u.window], r.q.Windows[u.window], s.row, s.layers)
		}
	}
}

// ceil is a time to the microsecond that rows have, upwards.
func ceil(t time.Time) time.Time {
	if short := t.Truncate(time.Microsecond); short.Before(t) {
		return short.Add(time.Microsecond)
	}
	return t
}

// addRow counts a signal in a window: once, and in each of its layers.
func (r *reading) addRow(to *[rowsOfLayers]bucket.Totals, w Ask, row bucket.Row, layers int16) {
	recency := w.Floor.Recency(w.AsOf.Sub(row.At))
	to[0].CountRow(row, recency)
	if w.Once {
		return
	}
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
