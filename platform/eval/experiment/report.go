package experiment

import (
	"context"
	"fmt"

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
	// Pass4 is how probable it is that four tries of a case all pass; nil where no case was
	// tried four times.
	Pass4 *float64
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
		if st.Metrics, err = figures(ctx, tx, id); err != nil {
			return err
		}
		return st.repeats(ctx, tx)
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

// repeats says how steady the answers were.
func (st *Standing) repeats(ctx context.Context, tx pgx.Tx) error {
	const tries = `select count(*)::int, (count(*) filter (where state = 'passed'))::int from gavel.experiment_item
		where experiment = $1 group by seq`
	rows, _ := tx.Query(ctx, tries, st.ID)
	runs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stat.Runs])
	if err != nil {
		return fmt.Errorf("repeats of %s: %w", st.ID, err)
	}
	if p, _, ok := stat.PassK(runs, 4); ok {
		st.Pass4 = &p
	}
	return nil
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

// A Comparison of two experiments.
type Comparison struct {
	eval.Comparison
	Was, Is  Experiment
	Scripted bool // a script answered one of them: it shows that nothing is broken, and no more
	Open     bool // one of them has not ended well: what is there is compared
	// What a case costs, in millionths of the routes' currency, also where answers were
	// there already.
	CostWas, CostIs float64
}

// Swap is whether the second may take the first one's place because it is cheaper, by a
// metric; none where they are not compared by it.
func (c Comparison) Swap(metric string) (compare.Swap, bool) {
	for _, r := range c.Results {
		if r.Metric == metric {
			return r.MaySwap(c.CostWas, c.CostIs), true
		}
	}
	return compare.Swap{}, false
}

// Compare sets two experiments beside each other by every share that code scored.
func (s *Store) Compare(ctx context.Context, actor identity.Actor, before, after string) (c Comparison, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return c, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if c.Was, err = find(ctx, tx, before); err != nil {
			return err
		}
		if c.Is, err = find(ctx, tx, after); err != nil {
			return err
		}
		set, known := s.Sets[c.Was.Set]
		if !known || c.Was.Set != c.Is.Set {
			return fault.New(fault.Invalid, "%s measures %s, and %s measures %s: this build knows both, and they are one", c.Was.ID,
				c.Was.Set, c.Is.ID, c.Is.Set)
		}
		if c.Open, err = anyOpen(ctx, tx, before, after); err != nil {
			return err
		}
		was, err := c.Was.side(ctx, tx, &c.CostWas)
		if err != nil {
			return err
		}
		is, err := c.Is.side(ctx, tx, &c.CostIs)
		if err != nil {
			return err
		}
		c.Scripted = c.Was.Scripted() || c.Is.Scripted()
		c.Comparison = eval.Versus(eval.Axes(set.Metrics), was, is)
		return nil
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

// side is an experiment as it is compared, and what a case of it costs.
func (e Experiment) side(ctx context.Context, tx pgx.Tx, cost *float64) (eval.Side, error) {
	out := eval.Side{Side: compare.Side{Name: e.Name, Dataset: e.Dataset.Name + " " + e.Dataset.Version, Digest: e.Dataset.SHA256,
		Evaluator: e.Evaluator, Repeats: e.Repeats, Subject: e.Subject, Route: e.Provider + "/" + e.Model}}
	const each = `select coalesce(avg(worth), 0)::float8 from gavel.experiment_item where experiment = $1`
	if err := tx.QueryRow(ctx, each, e.ID).Scan(cost); err != nil {
		return out, fmt.Errorf("what a case of %s costs: %w", e.ID, err)
	}
	of, err := scored(ctx, tx, e.ID)
	if err != nil {
		return out, err
	}
	cases, err := casesOf(ctx, tx, e.Dataset.SHA256, 0, e.Cases)
	for _, c := range cases {
		out.Items = append(out.Items, eval.Item{ID: c.ID, Tags: c.Tags(), Scores: of[c.ID]})
	}
	return out, err
}

// scored is what code scored in an experiment, by case and metric, over its repeats.
func scored(ctx context.Context, tx pgx.Tx, id string) (map[string]map[string]float64, error) {
	const read = `select i.case_id, s.metric, sum(s.hits)::float8 / sum(s.parts)
		from gavel.score s join gavel.experiment_item i using (org, experiment, seq, rep)
		where s.experiment = $1 and s.source = 'code' and s.kind = 'boolean' group by i.case_id, s.metric having sum(s.parts) > 0`
	rows, _ := tx.Query(ctx, read, id)
	out := map[string]map[string]float64{}
	var one, metric string
	var share float64
	_, err := pgx.ForEachRow(rows, []any{&one, &metric, &share}, func() error {
		if out[one] == nil {
			out[one] = map[string]float64{}
		}
		out[one][metric] = share
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scores of %s: %w", id, err)
	}
	return out, nil
}
