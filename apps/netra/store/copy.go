package store

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// incoming is where signals wait on their way into the table when some of them are there already: COPY breaks off at a duplicate. It
// is the connection's own, and empty between transactions.
const incoming = `create temporary table if not exists netra_incoming (event_id text, ts timestamptz, lgd integer, severity smallint,
	class smallint, layers smallint, geo double precision, basis smallint, ref bigint, part bigint, source text, source_type text,
	event_type text, summary text) on commit delete rows`

var incomingColumns = []string{"event_id", "ts", "lgd", "severity", "class", "layers", "geo", "basis", "ref", "part", "source",
	"source_type", "event_type", "summary"}

const intoSignals = `insert into netra.signal (org, event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type,
	event_type, summary) select current_setting('gavel.org'), event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source,
	source_type, event_type, summary from pg_temp.netra_incoming on conflict do nothing`

// copySignals keeps signals and returns those that were not there yet, each once, by time. Most parts bring nothing that is known, so
// signals are copied as if nothing were; where something is, that is taken back and they go the longer way.
func copySignals(ctx context.Context, tx pgx.Tx, part int64, all []signal.Signal) ([]signal.Signal, error) {
	slices.SortFunc(all, byTime)
	all = slices.CompactFunc(all, func(a, b signal.Signal) bool { return a.ID == b.ID && a.At.Equal(b.At) })
	if len(all) == 0 {
		return nil, nil
	}
	err := pgx.BeginFunc(ctx, tx, func(within pgx.Tx) error { return copyDays(ctx, within, part, all) })
	if errors.Is(err, errKnown) {
		return copyNew(ctx, tx, part, all)
	}
	return all, err
}

// errKnown is that a signal is there already.
var errKnown = errors.New("a signal is known")

// copyDays copies signals, which are in the order of time, each into the part of the table that its day is.
func copyDays(ctx context.Context, tx pgx.Tx, part int64, all []signal.Signal) error {
	for len(all) > 0 {
		at := all[0].At.UTC().Truncate(day)
		n := slices.IndexFunc(all, func(s signal.Signal) bool { return !s.At.Before(at.Add(day)) })
		if n < 0 {
			n = len(all)
		}
		table := "signal_" + at.Format("20060102")
		if err := copyInto(ctx, tx, pgx.Identifier{"netra", table}, part, all[:n]); postgres.Violates(err, table+"_pkey") {
			return errKnown
		} else if err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func copyInto(ctx context.Context, tx pgx.Tx, table pgx.Identifier, part int64, all []signal.Signal) error {
	rows := pgx.CopyFromSlice(len(all), func(i int) ([]any, error) { return columns(part, &all[i]), nil })
	_, err := tx.CopyFrom(ctx, table, incomingColumns, rows)
	return err
}

// copyNew keeps those of signals that are not there yet.
func copyNew(ctx context.Context, tx pgx.Tx, part int64, all []signal.Signal) ([]signal.Signal, error) {
	if _, err := tx.Exec(ctx, incoming); err != nil {
		return nil, err
	}
	if err := copyInto(ctx, tx, pgx.Identifier{"pg_temp", "netra_incoming"}, part, all); err != nil {
		return nil, err
	}
	tag, err := tx.Exec(ctx, intoSignals)
	if err != nil || tag.RowsAffected() == int64(len(all)) {
		return all, err
	}
	return kept(ctx, tx, part, all, int(tag.RowsAffected()))
}

// columns is a signal as it is copied.
func columns(part int64, s *signal.Signal) []any {
	return []any{s.ID, s.At, int32(s.LGD), int16(s.Severity), int16(bucket.ClassOf(s.Polarity, s.Enforcement)), layersOf(s.Layers),
		s.Geo, basisOf(s.Basis), int64(refOf(s.ID)), part, s.Source, s.SourceType, string(s.Type), s.Summary}
}

// ColumnNames are the columns of the table of signals behind org, and Columns a row of it with org: for whoever measures what keeping a
// signal costs beside a bare COPY of the same row.
func ColumnNames() []string { return slices.Clone(incomingColumns) }

// Columns is a signal as a row of the table.
func Columns(org identity.Org, part int64, s signal.Signal) []any {
	return append([]any{string(org)}, columns(part, &s)...)
}

// kept is those of signals that this part brought; the others were there.
func kept(ctx context.Context, tx pgx.Tx, part int64, all []signal.Signal, n int) ([]signal.Signal, error) {
	type key struct {
		id string
		at int64
	}
	const ours = `select s.event_id, s.ts from pg_temp.netra_incoming i join netra.signal s on s.event_id = i.event_id and s.ts = i.ts
		where s.part = $1`
	new := make(map[key]bool, n)
	if n > 0 {
		var id string
		var at time.Time
		rows, _ := tx.Query(ctx, ours, part)
		if _, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error { new[key{id, at.UnixMicro()}] = true; return nil }); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(s signal.Signal) bool { return !new[key{s.ID, s.At.UnixMicro()}] }), nil
}

// refOf is the number by which sums name an event: of its id alone, so that it does not depend on what came first.
func refOf(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum64()
}

// layersOf is a bit for each layer.
func layersOf(all []signal.Layer) (bits int16) {
	for _, l := range all {
		bits |= 1 << slices.Index(signal.Layers(), l)
	}
	return bits
}

// layersIn is the layers of bits.
func layersIn(bits int16) (all []signal.Layer) {
	for i, l := range signal.Layers() {
		if bits&(1<<i) != 0 {
			all = append(all, l)
		}
	}
	return all
}

var origins = []signal.Origin{signal.Given, signal.ByType, signal.ByWords, signal.ByDeaths, signal.Capped, signal.Reviewed, signal.Unknown}

// basisOf is three bits for each of the four things that are known of a signal.
func basisOf(b signal.Basis) (bits int16) {
	for i, o := range []signal.Origin{b.Severity, b.Polarity, b.Layers, b.Geo} {
		bits |= int16(max(slices.Index(origins, o), 0)) << (3 * i)
	}
	return bits
}

// basisIn is the basis of bits.
func basisIn(bits int16) signal.Basis {
	at := func(i int) signal.Origin { return origins[min(int(bits>>(3*i))&7, len(origins)-1)] }
	return signal.Basis{Severity: at(0), Polarity: at(1), Layers: at(2), Geo: at(3)}
}
