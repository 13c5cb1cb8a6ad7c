package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/eval/rule/stat"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// A Standing is an experiment with what came of it so far.
type Standing struct {
	Experiment
	Job     job.Job
	States  map[string]int // items by state
	Calls   int64          // of models that were paid for
	Kept    int64          // answers that were there already
	Tokens  int64
	Micros  int64
	Half    float64 // milliseconds that half of the items took at most
	Most    float64 // and nineteen of twenty
	Metrics []Figure
}

// A Figure is one metric over all items, by who scored it.
type Figure struct {
	Metric, Source, Who string
	Hits, Of            int
	Interval            stat.Interval // Wilson's, of the share
}

// Of reads an experiment and its figures.
func (s *Store) Of(ctx context.Context, actor identity.Actor, id string) (st Standing, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return st, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if st.Experiment, err = find(ctx, tx, id); err != nil {
			return err
		}
		if st.Job, err = job.Get(ctx, tx, Job, id); err != nil {
			return err
		}
		if err := st.sum(ctx, tx); err != nil {
			return fmt.Errorf("what came of %s: %w", id, err)
		}
		st.Metrics, err = figures(ctx, tx, id)
		return err
	})
	return st, err
}

func (st *Standing) sum(ctx context.Context, tx pgx.Tx) error {
	st.States = map[string]int{}
	rows, _ := tx.Query(ctx, `select state, count(*)::int from gavel.experiment_item where experiment = $1 group by state`, st.ID)
	var state string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { st.States[state] = n; return nil }); err != nil {
		return err
	}
	const sums = `select coalesce(sum(calls), 0)::bigint, coalesce(sum(kept), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
			coalesce(sum(micros), 0)::bigint, coalesce(percentile_disc(0.5) within group (order by took_ms), 0)::float8,
			coalesce(percentile_disc(0.95) within group (order by took_ms), 0)::float8
		from gavel.experiment_item where experiment = $1`
	return tx.QueryRow(ctx, sums, st.ID).Scan(&st.Calls, &st.Kept, &st.Tokens, &st.Micros, &st.Half, &st.Most)
}

func figures(ctx context.Context, tx pgx.Tx, id string) ([]Figure, error) {
	const read = `select metric, source, who, sum(hits)::int, sum(parts)::int from (
			select distinct on (seq, rep, metric, source, who) metric, source, who, hits, parts from gavel.score
			where experiment = $1 and kind = 'boolean' order by seq, rep, metric, source, who, n desc) newest
		group by metric, source, who order by metric, source, who`
	rows, _ := tx.Query(ctx, read, id)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Figure, err error) {
		err = row.Scan(&f.Metric, &f.Source, &f.Who, &f.Hits, &f.Of)
		f.Interval = stat.Wilson(min(f.Hits, f.Of), f.Of)
		return f, err
	})
}

// A Comparison of two experiments: what each metric comes to, or why there is none.
type Comparison struct {
	Before, After Experiment
	Not           []compare.Why // none where they can be compared
	Results       []compare.Result
	Scripted      bool // a script answered one of them: it shows that nothing is broken, and no more
	Open          bool // one of them has not ended well: what is there is compared
}

// Sentence is the verdict on a metric in words, or why there is none.
func (c Comparison) Sentence(metric string) string {
	if len(c.Not) > 0 {
		var why []string
		for _, w := range c.Not {
			why = append(why, w.Words())
		}
		return "Not comparable because " + strings.Join(why, "; and ") + "."
	}
	for _, r := range c.Results {
		if r.Metric == metric {
			return r.Sentence(c.Before.Name, c.After.Name)
		}
	}
	return "Not comparable because no case has a score in both."
}

// Compare sets two experiments beside each other by every share that code scored and for
// which more is better.
func (s *Store) Compare(ctx context.Context, actor identity.Actor, before, after string) (c Comparison, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return c, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if c.Before, err = find(ctx, tx, before); err != nil {
			return err
		}
		if c.After, err = find(ctx, tx, after); err != nil {
			return err
		}
		c.Not, c.Scripted = compare.Unlike(c.Before.side(), c.After.side()), c.Before.Scripted() || c.After.Scripted()
		if c.Before.Set != c.After.Set {
			return fault.New(fault.Invalid, "%s measures %s, and %s measures %s", c.Before.ID, c.Before.Set, c.After.ID, c.After.Set)
		}
		if c.Open, err = anyOpen(ctx, tx, before, after); err != nil || len(c.Not) > 0 {
			return err
		}
		c.Results, err = s.results(ctx, tx, c.Before, c.After)
		if err == nil && len(c.Results) == 0 {
			c.Not = []compare.Why{compare.NoCommonItem}
		}
		return err
	})
	return c, err
}

func anyOpen(ctx context.Context, tx pgx.Tx, ids ...string) (open bool, err error) {
	for _, id := range ids {
		j, err := job.Get(ctx, tx, Job, id)
		if err != nil {
			return false, err
		}
		open = open || j.State != job.Done
	}
	return open, nil
}

func (e Experiment) side() compare.Side {
	return compare.Side{Name: e.Name, Dataset: e.Dataset.Name + " " + e.Dataset.Version, Digest: e.Dataset.SHA256, Evaluator: e.Evaluator,
		Repeats: e.Repeats, Subject: e.Subject, Route: e.Provider + "/" + e.Model}
}

// results compares metric by metric, in the order of the set.
func (s *Store) results(ctx context.Context, tx pgx.Tx, before, after Experiment) ([]compare.Result, error) {
	set, known := s.Sets[before.Set]
	if !known {
		return nil, fault.New(fault.NotFound, "this build has no set %.60q", before.Set)
	}
	was, err := scored(ctx, tx, before.ID)
	if err != nil {
		return nil, err
	}
	is, err := scored(ctx, tx, after.ID)
	if err != nil {
		return nil, err
	}
	cases, err := casesOf(ctx, tx, before.Dataset.SHA256, 0, before.Cases)
	if err != nil {
		return nil, err
	}
	var out []compare.Result
	for _, m := range set.Metrics {
		if items := pairs(m, cases, was[m.Name], is[m.Name]); len(items) > 0 {
			out = append(out, compare.Of(m.Name, items))
		}
	}
	return out, nil
}

// pairs are the cases that both sides have a score of. Where less is better, a score is
// what is left.
func pairs(m eval.Metric, cases []eval.Case, was, is map[string]float64) []compare.Item {
	if m.Count {
		return nil // a number of things is no share
	}
	turn := func(x float64) float64 {
		if m.Goal != nil && m.Goal.Most {
			return 1 - x
		}
		return x
	}
	var out []compare.Item
	for _, c := range cases {
		a, in := was[c.ID]
		b, both := is[c.ID]
		if in && both {
			out = append(out, compare.Item{Case: c.ID, Tags: tags(c), Before: turn(a), After: turn(b)})
		}
	}
	return out
}

// scored is what code scored in an experiment, by metric and case, over its repeats.
func scored(ctx context.Context, tx pgx.Tx, id string) (map[string]map[string]float64, error) {
	const read = `select s.metric, i.case_id, sum(s.hits)::float8 / sum(s.parts)
		from gavel.score s join gavel.experiment_item i using (org, experiment, seq, rep)
		where s.experiment = $1 and s.source = 'code' and s.kind = 'boolean' group by s.metric, i.case_id having sum(s.parts) > 0`
	rows, _ := tx.Query(ctx, read, id)
	out := map[string]map[string]float64{}
	var metric, one string
	var share float64
	_, err := pgx.ForEachRow(rows, []any{&metric, &one, &share}, func() error {
		if out[metric] == nil {
			out[metric] = map[string]float64{}
		}
		out[metric][one] = share
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scores of %s: %w", id, err)
	}
	return out, nil
}
