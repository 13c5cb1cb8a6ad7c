package store

import (
	"context"
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
