package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A voice is a source that was heard of a district on a day.
type voice struct {
	day    time.Time
	lgd    int32
	source string
}

// noteHeard notes which sources were heard of which districts. It costs a row for each of them a day, however many signals
// there are.
func noteHeard(ctx context.Context, tx pgx.Tx, fresh []signal.Signal) error {
	type count struct {
		n           int64
		first, last time.Time
	}
	all := map[voice]*count{}
	for i := range fresh {
		s := &fresh[i]
		v := voice{s.At.UTC().Truncate(day), int32(s.LGD), s.Source}
		c, ok := all[v]
		if !ok {
			all[v] = &count{1, s.At, s.At}
			continue
		}
		c.n++
		if s.At.Before(c.first) {
			c.first = s.At
		}
		if s.At.After(c.last) {
			c.last = s.At
		}
	}
	if len(all) == 0 {
		return nil
	}
	voices := make([]voice, 0, len(all))
	for v := range all {
		voices = append(voices, v)
	}
	slices.SortFunc(voices, func(a, b voice) int {
		return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.lgd, b.lgd), cmp.Compare(a.source, b.source))
	})
	var days, firsts, lasts []time.Time
	var lgds []int32
	var sources []string
	var signals []int64
	for _, v := range voices {
		c := all[v]
		days, lgds, sources = append(days, v.day), append(lgds, v.lgd), append(sources, v.source)
		signals, firsts, lasts = append(signals, c.n), append(firsts, c.first), append(lasts, c.last)
	}
	const note = `insert into netra.heard as h (org, day, lgd, source, signals, first_at, last_at) select current_setting('gavel.org'), k.*
		from unnest($1::date[], $2::integer[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[]) k
		on conflict (org, day, lgd, source) do update set signals = h.signals + excluded.signals,
			first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at)`
	_, err := tx.Exec(ctx, note, days, lgds, sources, signals, firsts, lasts)
	return err
}

// HeardIn is what was heard of each district in the 24 hours up to a moment, beside what is usual. signals is how many it was of
// each, which the sums know. A district of which nothing was ever heard is not among them.
func HeardIn(ctx context.Context, tx pgx.Tx, at time.Time, signals map[int]int64) (map[int]alert.Heard, error) {
	today := at.UTC().Truncate(day)
	const now = `select lgd, count(distinct source) from netra.heard where (day = $1::date and first_at <= $2)
		or (day = $1::date - 1 and last_at > $2 - interval '24 hours') group by lgd`
	out := map[int]alert.Heard{}
	var lgd, sources int
	rows, _ := tx.Query(ctx, now, today, at)
	_, err := pgx.ForEachRow(rows, []any{&lgd, &sources}, func() error {
		out[lgd] = alert.Heard{Sources: sources, Signals: signals[lgd]}
		return nil
	})
	if err != nil {
		return nil, err
	}
	usual, err := usualDays(ctx, tx, today)
	if err != nil {
		return nil, err
	}
	for lgd, days := range usual {
		h := out[lgd]
		h.Signals = signals[lgd]
		out[lgd] = h.Usually(days)
	}
	return out, nil
}

// usualDays is what was heard of each district on each of the days before one, from the first on which anything was.
func usualDays(ctx context.Context, tx pgx.Tx, today time.Time) (map[int][]alert.Day, error) {
	const before = `select lgd, day::timestamptz, count(*), sum(signals)::bigint from netra.heard
		where day >= $1::date - $2::integer and day < $1::date group by lgd, day order by lgd, day`
	out := map[int][]alert.Day{}
	var lgd int
	var at time.Time
	var d alert.Day
	rows, _ := tx.Query(ctx, before, today, alert.UsualDays)
	_, err := pgx.ForEachRow(rows, []any{&lgd, &at, &d.Sources, &d.Signals}, func() error {
		if out[lgd] == nil {
			out[lgd] = make([]alert.Day, int(today.Sub(at.UTC())/day))
		}
		days := out[lgd]
		days[len(days)-int(today.Sub(at.UTC())/day)] = d
		return nil
	})
	return out, err
}
