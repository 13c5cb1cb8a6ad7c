package experiment

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// Steps are the activities of experiments.
type Steps struct{ store *Store }

// A Far is how far a batch came.
type Far struct {
	Next  int  `json:"next"`
	Ended bool `json:"ended"`
}

// Bounds of a batch: whoever follows it hears of it that often, and a worker that is told
// to stop ends it before.
const (
	batch  = 100 // items
	atOnce = 4   // asked at the same time
)

// AnswerItems has a batch of items answered and scored. An item that is there is passed
// over; an answer that is there is not asked for again.
func (s *Steps) AnswerItems(ctx context.Context, in Input) (Far, error) {
	e, goOn, err := s.begin(ctx, in)
	if err != nil || !goOn {
		return Far{Ended: true}, err
	}
	if in.From >= e.Items() {
		return Far{Ended: true}, s.end(ctx, in, job.Done, "")
	}
	b := &round{s: s.store, in: in, e: e, set: s.store.Sets[e.Set], to: min(e.Items(), in.From+batch)}
	b.told = activity.GetWorkerStopChannel(ctx)
	if err := b.read(ctx); err != nil {
		return Far{}, err
	}
	next, err := b.work(ctx)
	if err != nil {
		return Far{}, err
	}
	if b.broke != "" {
		return Far{Ended: true}, s.end(ctx, in, job.Refused, b.broke)
	}
	return Far{Next: next}, nil
}

// begin says how far the experiment is, and whether it goes on.
func (s *Steps) begin(ctx context.Context, in Input) (e Experiment, goOn bool, err error) {
	err = s.store.DB.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if e, err = find(ctx, tx, in.ID); err != nil {
			return err
		}
		var done int
		if err := tx.QueryRow(ctx, `select count(*) from gavel.experiment_item where experiment = $1`, in.ID).Scan(&done); err != nil {
			return err
		}
		j, err := job.Report(ctx, tx, Job, in.Org, in.ID, job.Progress{Done: done, Total: e.Items(), Doing: "answering"})
		if err != nil || j.State != job.Running {
			return err
		}
		if end, off := j.CalledOff(); off {
			end.At = s.store.Clock.Now()
			return job.Finish(ctx, tx, Job, in.Org, in.ID, end)
		}
		goOn = true
		return nil
	})
	if err != nil {
		return e, false, err
	}
	if _, known := s.store.Sets[e.Set]; !known && goOn {
		return e, false, fault.New(fault.NotFound, "this build has no set %.60q", e.Set)
	}
	return e, goOn, nil
}

// GiveUpExperiment ends an experiment in which a step failed for good.
func (s *Steps) GiveUpExperiment(ctx context.Context, in Input, why string) error {
	return s.end(ctx, in, job.Refused, why)
}

func (s *Steps) end(ctx context.Context, in Input, state job.State, why string) error {
	return s.store.DB.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		return job.Finish(ctx, tx, Job, in.Org, in.ID, job.End{State: state, Reason: why, At: s.store.Clock.Now(),
			Body: map[string]any{"reason": why}})
	})
}

// A round is one batch as it is carried out.
type round struct {
	s     *Store
	in    Input
	e     Experiment
	set   eval.Set
	to    int
	told  <-chan struct{} // closed when the worker is to stop
	cases []eval.Case     // from the first of the batch
	first int             // the sequence of that one
	there map[int]bool    // items that are scored
	mu    sync.Mutex      // guards what follows
	used  spent           // by the whole experiment
	next  int             // the item that is begun next
	err   error           // the first that ends the batch
	broke string          // why the experiment goes no further
}

// read reads the cases of the batch, what of it is done, and what was used.
func (b *round) read(ctx context.Context) error {
	b.first, b.next, b.there = b.in.From/b.e.Repeats, b.in.From, map[int]bool{}
	return b.s.DB.InOrg(ctx, b.in.Org, func(tx pgx.Tx) (err error) {
		last := (b.to - 1) / b.e.Repeats
		if b.cases, err = casesOf(ctx, tx, b.e.Dataset.SHA256, b.first, last+1); err != nil {
			return err
		}
		if len(b.cases) != last+1-b.first {
			return fault.New(fault.Internal, "%d cases of %s are there, want %d", len(b.cases), b.e.ID, last+1-b.first)
		}
		rows, _ := tx.Query(ctx, `select seq, rep from gavel.experiment_item where experiment = $1 and seq between $2 and $3`,
			b.e.ID, b.first, last)
		var seq, rep int
		if _, err := pgx.ForEachRow(rows, []any{&seq, &rep}, func() error {
			b.there[seq*b.e.Repeats+rep-1] = true
			return nil
		}); err != nil {
			return err
		}
		const used = `select coalesce(sum(calls), 0)::bigint, coalesce(sum(micros), 0)::bigint
			from gavel.experiment_item where experiment = $1`
		return tx.QueryRow(ctx, used, b.e.ID).Scan(&b.used.Calls, &b.used.Micros)
	})
}

// work has the items of the batch answered, some at once, and says before which all are.
func (b *round) work(ctx context.Context) (next int, err error) {
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for n, ok := b.take(ctx); ok; n, ok = b.take(ctx) {
				if err := b.one(ctx, n); err != nil {
					b.fail(err)
				}
			}
		})
	}
	all.Wait()
	return b.next, b.err
}

// take gives the next item that is to be answered.
func (b *round) take(ctx context.Context) (n int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.next < b.to && b.there[b.next] {
		b.next++
	}
	select {
	case <-b.told:
		return 0, false
	case <-ctx.Done():
		if b.err == nil {
			b.err = context.Cause(ctx)
		}
		return 0, false
	default:
	}
	if b.next >= b.to || b.err != nil || b.over() {
		return 0, false
	}
	b.next++
	return b.next - 1, true
}

// over reports whether the budget is spent, and says so.
func (b *round) over() bool {
	most := b.e.Budget
	if most.Micros > 0 && b.used.Micros >= most.Micros || most.Calls > 0 && int64(b.used.Calls) >= most.Calls {
		b.broke = fmt.Sprintf("the budget is spent: %d of %d items are answered, for %d calls and %d millionths", b.next, b.e.Items(),
			b.used.Calls, b.used.Micros)
		return true
	}
	return false
}

func (b *round) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

// one has an item answered and keeps its scores. A model that cannot be reached ends the
// batch, and the engine tries again; anything else is an item that was not answered.
func (b *round) one(ctx context.Context, n int) error {
	c, rep := b.cases[n/b.e.Repeats-b.first], n%b.e.Repeats+1
	t := &till{s: b.s, org: b.in.Org, e: b.e, rep: rep}
	with, err := b.models(t)
	if err != nil {
		return err
	}
	began := b.s.Clock.Now()
	out, err := b.set.Answer(ctx, c, with)
	switch {
	case err != nil && (ctx.Err() != nil || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.TooMany)):
		return err
	case err != nil:
		out = eval.Outcome{Differences: []string{fmt.Sprintf("it could not be answered: %.300s", err)}}
	}
	now := b.s.Clock.Now()
	i := item{seq: n / b.e.Repeats, rep: rep, id: c.ID, state: stateOf(out, err), out: out, used: t.paid,
		took: b.s.Clock.Real(now.Sub(began))}
	if err := b.s.DB.InOrg(ctx, b.in.Org, func(tx pgx.Tx) error { return keepItem(ctx, tx, b.in.Org, b.e, i, now) }); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Calls += i.used.Calls
	b.used.Micros += i.used.Micros
	return nil
}

// models are what an item may ask. A route that leads to another model since the experiment
// began is refused: half of the answers would be somebody else's.
func (b *round) models(t *till) (eval.Models, error) {
	if b.e.Route == "" {
		return eval.Models{}, nil
	}
	route, has := b.s.Routes[b.e.Route]
	if !has || route.Provider != b.e.Provider || route.Model != b.e.Model {
		return eval.Models{}, fault.New(fault.Conflict, "route %s leads to %q now, and the experiment is about %s/%s", b.e.Route,
			strings.Trim(route.Provider+"/"+route.Model, "/"), b.e.Provider, b.e.Model)
	}
	t.route = route
	route.Ask = t
	return eval.Models{Real: &route}, nil
}
