package filing

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// onEngine lets the office's cases live on the engine, with people who can be asked.
func onEngine(t *testing.T, o *office) {
	t.Helper()
	tools, err := tool.NewRegistry(o.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	clock := o.store.Clock()
	acts := act.NewStore(o.DB.App, clock)
	wakeOf := func(c casefile.Case) (w review.Wake, err error) {
		w.WorkflowID, w.Start, err = o.Deps.Cases.Wake(c)
		return w, err
	}
	o.reviews, err = review.New(review.Config{DB: o.DB.App, Clock: clock, Rules: o.Deps.Rules, Acts: acts, Kinds: []review.Kind{agent.CallKind(tools)}, WakeOf: wakeOf})
	if err != nil {
		t.Fatal(err)
	}
	o.calls = agent.NewCalls(agent.CallsConfig{DB: o.DB.App, Clock: clock, Cases: o.Deps.Cases, Acts: acts, Reviews: o.reviews, Tools: tools, Rules: o.Deps.Rules, Logger: o.Deps.Logger})
	steps := agent.NewSteps(agent.Config{DB: o.DB.App, Clock: clock, Acts: acts, Reviews: o.reviews, Tools: tools, Rules: o.Deps.Rules, Logger: o.Deps.Logger})
	work := durable.Work{App: store.Name, Activities: []any{o.Steps(), steps},
		Workflows: []durable.Workflow{{Name: store.CaseName, Func: CaseWorkflow}, {Name: agent.CarryOutName, Func: agent.CarryOut}}}
	cfg := durabletest.Own(t)
	engine := durabletest.DialTo(t, cfg)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { _ = durable.Run(ctx, engine, durable.Version{}, o.Deps.Logger, work); done <- struct{}{} }()
	go func() {
		_ = outbox.NewDispatcher(o.DB.System, outbox.NewEngine(engine, cfg.Memo, o.DB.System), 1e6, o.Deps.Logger).Run(ctx)
		done <- struct{}{}
	}()
	t.Cleanup(func() { stop(); <-done; <-done })
}

// looks is how often a table of Airshed was looked into.
func (o office) looks(t *testing.T) int {
	return o.Number(t, `select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int from pg_stat_user_tables where schemaname = 'airshed'`)
}

// counting is how long the database may take to count what was done.
const counting = 11 * time.Second

// TestACaseThatWaitsAsksNothing promises that a case whose report was approved, and is not
// filed yet, asks its tables nothing while it waits, and is there at once when somebody
// undoes it.
func TestACaseThatWaitsAsksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute to see that nothing happens")
	}
	o := newOffice(t)
	onEngine(t, &o)
	o.surge(t)
	var id string
	wait.Until(t, "officers are asked", func() bool {
		for _, id = range o.Texts(t, `select id from gavel.proposal where tool = $1 and state = 'open'`, toolSend) {
			return true
		}
		return false
	})
	first := airshedtest.Person(identity.Officer)
	second := first
	second.ID += "-2"
	p, err := o.reviews.Get(t.Context(), first, id)
	if err != nil {
		t.Fatal(err)
	}
	decide := func(by identity.Actor, v review.Verdict) (err error) {
		d := review.Decision{ID: "dec-" + rand.Text(), Proposal: id, ShownSHA256: p.ShownSHA256, Verdict: v, Reason: "It was checked."}
		if v == review.Undo {
			_, err = o.reviews.Undo(t.Context(), by, d)
		} else {
			_, err = o.reviews.Decide(t.Context(), by, d)
		}
		return err
	}
	for _, by := range []identity.Actor{first, second} {
		if err := decide(by, review.Approve); err != nil {
			t.Fatal(err)
		}
	}
	wait.Until(t, "the case has come to rest", func() bool {
		before := o.looks(t)
		time.Sleep(counting)
		return o.looks(t) == before
	})
	before := o.looks(t)
	time.Sleep(2 * counting)
	if n := o.looks(t) - before; n != 0 {
		t.Errorf("a case that waits looked into its tables %d times in %s", n, 2*counting)
	}
	if got := o.Texts(t, `select state from gavel.act where tool = $1`, toolSend); len(got) != 1 || got[0] != string(act.Planned) {
		t.Fatalf("the act is %v, want it to wait for the end of its undo window", got)
	}
	began := time.Now()
	if err := decide(first, review.Undo); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the case knows that it was undone", func() bool {
		return o.Number(t, `select count(*)::int from gavel.case where org = $1 and status = 'sent_back'`, postgrestest.North) == 1
	})
	wait.Within(t, "a case that hears of an undone act", time.Since(began), 2*time.Second)
}
