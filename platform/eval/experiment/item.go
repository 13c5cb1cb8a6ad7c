package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/identity"
)

// An item is a case that was asked once, and what came of it.
type item struct {
	seq, rep int
	id       string
	state    string
	out      eval.Outcome
	used     spent
	took     time.Duration
}

// The states of items.
const (
	passed     = "passed"
	failed     = "failed"
	open       = "open"
	unanswered = "unanswered"
)

func stateOf(out eval.Outcome, err error) string {
	switch {
	case err != nil:
		return unanswered
	case len(out.Differences) > 0:
		return failed
	case out.Open:
		return open
	}
	return passed
}

// maxDifferences bounds what is kept of an item.
const maxDifferences = 5

// keepItem keeps an item with its scores by code, unless it is there.
func keepItem(ctx context.Context, tx pgx.Tx, org identity.Org, e Experiment, i item, at time.Time) error {
	const add = `insert into gavel.experiment_item
		(org, experiment, seq, rep, case_id, state, differences, calls, kept, tokens, micros, worth, took_ms)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`
	said := append([]string{}, i.out.Differences...)
	said = said[:min(len(said), maxDifferences)]
	tag, err := tx.Exec(ctx, add, org, e.ID, i.seq, i.rep, i.id, i.state, said, i.used.Calls, i.used.Kept, i.used.Tokens, i.used.Micros,
		i.used.Worth, i.took.Milliseconds())
	if err != nil {
		return fmt.Errorf("keep item %d of %s: %w", i.seq, e.ID, err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	sums := map[string]eval.Mark{}
	var names []string
	for _, m := range i.out.Marks {
		sum, there := sums[m.Metric]
		if !there {
			names = append(names, m.Metric)
		}
		sums[m.Metric] = eval.Mark{Metric: m.Metric, Hits: sum.Hits + m.Hits, Of: sum.Of + m.Of}
	}
	var hits, of []int64
	for _, name := range names {
		hits, of = append(hits, int64(sums[name].Hits)), append(of, int64(sums[name].Of))
	}
	const score = `insert into gavel.score (org, experiment, seq, rep, metric, source, kind, hits, parts, at)
		select $1, $2, $3, $4, metric, 'code', 'boolean', hits, parts, $8
		from unnest($5::text[], $6::bigint[], $7::bigint[]) as s(metric, hits, parts)`
	if _, err := tx.Exec(ctx, score, org, e.ID, i.seq, i.rep, names, hits, of, at); err != nil {
		return fmt.Errorf("keep scores of item %d of %s: %w", i.seq, e.ID, err)
	}
	return nil
}
