package job_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// rounds is how many steps a sweep has before the one that ends it.
const rounds = 3

type sweepInput struct {
	ID string `json:"id"`
}

func sweepWorkflow(ctx workflow.Context, in sweepInput) error {
	var steps *sweepSteps
	return job.OrSay(ctx, sweepAll(durable.Outside(ctx), in), steps.GiveUp, in)
}

func sweepAll(ctx workflow.Context, in sweepInput) error {
	var steps *sweepSteps
	for n := 1; n <= rounds+1; n++ {
		if err := workflow.ExecuteActivity(ctx, steps.Sweep, in, n).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// sweepSteps are the steps of a sweep. Each is killed twice, once before it commits and
// once before anybody hears that it has.
type sweepSteps struct {
	kind   job.Kind
	db     *postgres.DB
	broken int         // the step that fails for good; 0 for none
	killed chan string // who is told which moment it was; nobody is killed where it is nil
	mu     sync.Mutex
	seen   map[string]bool
}

// kill fails the first time it comes to a moment.
func (s *sweepSteps) kill(moment string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed == nil || s.seen[moment] {
		return nil
	}
	s.seen[moment] = true
	s.killed <- moment
	return errors.New("killed")
}

// Sweep does one round, and the last one ends the job.
func (s *sweepSteps) Sweep(ctx context.Context, in sweepInput, n int) error {
	if n == s.broken {
		return fault.New(fault.Invalid, "the broom is broken")
	}
	err := s.db.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		if n <= rounds {
			how := job.Progress{Done: n, Total: rounds, Doing: "sweeping"}
			if _, err := job.Report(ctx, tx, s.kind, postgrestest.North, in.ID, how); err != nil {
				return err
			}
		} else if err := job.Finish(ctx, tx, s.kind, postgrestest.North, in.ID, job.End{State: job.Done, At: noon}); err != nil {
			return err
		}
		return s.kill(fmt.Sprintf("%d before", n))
	})
	if err != nil {
		return err
	}
	return s.kill(fmt.Sprintf("%d after", n))
}

// GiveUp ends a sweep that failed for good.
func (s *sweepSteps) GiveUp(ctx context.Context, in sweepInput, why string) error {
	return s.db.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		return job.Finish(ctx, tx, s.kind, postgrestest.North, in.ID, job.End{State: job.Refused, Reason: why, At: noon})
	})
}

// A yard is an engine with a kind of job that no other test has.
type yard struct {
	*sweepSteps
	t *testing.T
	d *postgrestest.Database
}

func newYard(t *testing.T, s *sweepSteps) *yard {
	t.Helper()
	d := newDB(t)
	letters := strings.Map(func(r rune) rune {
		if r >= '2' && r <= '7' {
			return r - '2' + 'a'
		}
		return r
	}, strings.ToLower(rand.Text()))
	s.kind, s.db, s.seen = job.Kind{App: "t" + letters[:12], Name: "sweep", Prefix: "SWEEP", Workflow: "yard.Sweep"}, d.App,
		map[string]bool{}
	y := &yard{s, t, d}
	engine := outbox.NewEngine(durabletest.Dial(t), durabletest.Config(t).Memo, d.System)
	y.behind(outbox.NewDispatcher(d.System, engine, 1000, slog.New(slog.DiscardHandler)).Run)
	return y
}

// behind runs something until the test ends or stop is called.
func (y *yard) behind(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(ctx); err != nil && ctx.Err() == nil {
			y.t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	y.t.Cleanup(stop)
	return stop
}

func (y *yard) work() (stop func()) {
	c := durabletest.Dial(y.t)
	return y.behind(func(ctx context.Context) error {
		return durable.Run(ctx, c, durable.Version{}, slog.New(slog.DiscardHandler), durable.Work{App: y.kind.App,
			Workflows: []durable.Workflow{{Name: y.kind.Workflow, Func: sweepWorkflow}}, Activities: []any{y.sweepSteps}})
	})
}

func (y *yard) start() (id string) {
	id = y.kind.NewID()
	in(y.t, y.db, postgrestest.North, func(tx pgx.Tx) error {
		_, err := job.Start(y.t.Context(), tx, y.kind, job.Order{ID: id, Key: "k", Actor: asha, At: noon, Input: sweepInput{id}})
		return err
	})
	return id
}

func (y *yard) ended(id string) (j job.Job) {
	y.t.Helper()
	wait.Until(y.t, "the job ends", func() bool {
		in(y.t, y.db, postgrestest.North, func(tx pgx.Tx) (err error) {
			j, err = job.Get(y.t.Context(), tx, y.kind, id)
			return err
		})
		return j.State != job.Running
	})
	return j
}

// TestAJobKilledAtEveryStepGoesOn promises that a job whose worker dies in every step,
// before the step commits and after it, is done by the workers that come after, once.
func TestAJobKilledAtEveryStepGoesOn(t *testing.T) {
	y := newYard(t, &sweepSteps{killed: make(chan string)})
	id := y.start()
	for range 2 * (rounds + 1) {
		stop := y.work()
		select {
		case <-y.killed:
			stop()
		case <-time.After(wait.Patience()):
			t.Fatal("nobody worked on it")
		}
	}
	y.work()
	if j := y.ended(id); j.State != job.Done || j.Done != rounds || j.Total != rounds {
		t.Errorf("got %+v", j)
	}
	var records int
	in(t, y.db, postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select count(*) from gavel.record where subject = $1`, id).Scan(&records)
	})
	if records != 2 {
		t.Errorf("%d records, want its start and its end", records)
	}
}

// TestAJobThatCannotGoOnSaysWhy promises that whichever step fails for good, the job ends and
// has the words of that step, and that another can be begun.
func TestAJobThatCannotGoOnSaysWhy(t *testing.T) {
	for broken := 1; broken <= rounds+1; broken++ {
		t.Run(fmt.Sprintf("step %d", broken), func(t *testing.T) {
			y := newYard(t, &sweepSteps{broken: broken})
			y.work()
			if j := y.ended(y.start()); j.State != job.Refused || j.Reason != "the broom is broken" || j.Done != broken-1 {
				t.Errorf("got %+v", j)
			}
		})
	}
}
