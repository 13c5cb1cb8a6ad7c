package platformtest

import (
	"context"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/outbox"
)

// Engine is an engine that no other test knows. What the installation commits for it is taken
// there until the test ends; who works there is the test's affair.
func (i *Installation) Engine(t testing.TB) durabletest.Client {
	t.Helper()
	cfg := durabletest.Own(t)
	engine := durabletest.DialTo(t, cfg)
	behind(t, outbox.NewDispatcher(i.DB.System, outbox.NewEngine(engine, cfg.Memo, i.DB.System), 1e6, i.Deps.Logger).Run)
	return engine
}

// giveUp is how long an effect outside may take here, until nobody knows what became of it.
const giveUp = 2 * time.Second

// Work is an engine with a worker of the application, after Ask: cases live there, people
// can be asked, and what they approve is carried out.
func (i *Installation) Work(t testing.TB, work durable.Work) durabletest.Client {
	t.Helper()
	d := i.Deps
	steps := agent.NewSteps(agent.Config{DB: d.DB, Clock: d.Clock, Acts: d.Acts, Reviews: d.Reviews, Tools: i.tools, Rules: d.Rules,
		Logger:      d.Logger,
		SendTimeout: giveUp})
	work.App, work.Activities = i.App.Name, append(work.Activities, steps)
	work.Workflows = append(work.Workflows, durable.Workflow{Name: agent.CarryOutName, Func: agent.CarryOut})
	engine := i.Engine(t)
	behind(t, func(ctx context.Context) error { return durable.Run(ctx, engine, durable.Version{}, d.Logger, work) })
	return engine
}

// behind runs something beside the test until it ends.
func behind(t testing.TB, run func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// counting is how long the database may take to count what was done.
const counting = 11 * time.Second

// looks is how often the tables of a schema were looked into.
func (i *Installation) looks(t testing.TB, schema string) int {
	t.Helper()
	return i.Number(t, `select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int from pg_stat_user_tables
		where schemaname = $1`, schema)
}

// Idle waits until nobody looks into the tables of a schema any more, and says how often
// somebody did in a while that follows.
func (i *Installation) Idle(t testing.TB, schema string, while time.Duration) int {
	t.Helper()
	wait.Until(t, "the cases of "+schema+" have come to rest", func() bool {
		before := i.looks(t, schema)
		time.Sleep(counting)
		return i.looks(t, schema) == before
	})
	before := i.looks(t, schema)
	time.Sleep(while + counting)
	return i.looks(t, schema) - before
}
