package casefile_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var record = flag.Bool("record", false, "write the histories under testdata anew")

// A rig is one test's own database, store, dispatcher and worker on the dev
// stack's engine. Its application's name is its task queue, so that rigs side by
// side do not take each other's cases.
type rig struct {
	*casefile.Store
	db     *postgrestest.Database
	client client.Client
	app    string
}

func newRig(t *testing.T, clock durable.Clock) *rig {
	t.Helper()
	r := &rig{
		db:     postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations()),
		client: durabletest.Dial(t),
		app:    "t" + strings.Map(onlyLetters, strings.ToLower(rand.Text()))[:12],
	}
	r.Store = casefile.NewStore(casefile.Config{DB: r.db.App, Clock: clock, Rules: policy.Standard(), Kinds: []casefile.Kind{r.kind()}})
	return r
}

func onlyLetters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

func (r *rig) kind() casefile.Kind {
	return casefile.Kind{App: r.app, RefPrefix: "T", Workflow: casefile.WorkflowName}
}

// dispatch and work run until the test ends or stop is called.
func (r *rig) dispatch(t *testing.T) (stop func()) {
	t.Helper()
	engine := outbox.NewEngine(r.client, durabletest.Config(t).Memo, r.db.System)
	d := outbox.NewDispatcher(r.db.System, engine, 1000, slog.New(slog.DiscardHandler))
	return background(t, d.Run)
}

func (r *rig) work(t *testing.T) (stop func()) {
	t.Helper()
	return background(t, func(ctx context.Context) error {
		return durable.Run(ctx, r.client, durable.Version{}, slog.New(slog.DiscardHandler), casefile.Work(r.Store, r.kind()))
	})
}

func background(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = func() {
		cancel()
		if err, open := <-done; open && err != nil {
			t.Error(err)
		}
	}
	stop = onceOnly(stop)
	t.Cleanup(stop)
	return stop
}

func onceOnly(f func()) func() {
	called := false
	return func() {
		if !called {
			called = true
			f()
		}
	}
}

func (r *rig) open(t *testing.T, key string, dueIn time.Duration) casefile.Case {
	t.Helper()
	c, opened, err := r.Open(t.Context(), officer, casefile.Opening{App: r.app, Key: key, Title: "Look into " + key, DueIn: dueIn})
	if err != nil || !opened {
		t.Fatalf("open: %v, %v", opened, err)
	}
	return c
}

// await polls until a case satisfies ok.
func (r *rig) await(t *testing.T, id casefile.CaseID, what string, ok func(casefile.Case) bool) casefile.Case {
	t.Helper()
	var c casefile.Case
	wait.Try(t, func() (err error) {
		if c, err = r.Get(t.Context(), officer.Org, id); err != nil {
			t.Fatal(err)
		}
		if !ok(c) {
			return fmt.Errorf("case is %+v, want it %s", c, what)
		}
		return nil
	})
	return c
}

func (r *rig) history(t *testing.T, id casefile.CaseID) []string {
	t.Helper()
	entries, err := r.Entries(t.Context(), officer.Org, id, casefile.EntryQuery{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range slices.Backward(entries) {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func isWaiting(c casefile.Case) bool { return c.State == casefile.Waiting }
func isClosed(c casefile.Case) bool  { return c.State == casefile.Closed }

func TestACaseIsTakenUpAndClosedByAPerson(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.dispatch(t)
	r.work(t)
	c := r.open(t, "van-14", 0)
	c = r.await(t, c.ID, "waiting", isWaiting)
	if err := r.Close(t.Context(), officer, c.ID, c.Version, "Settled."); err != nil {
		t.Fatal(err)
	}
	c = r.await(t, c.ID, "closed", isClosed)
	if c.Status != casefile.StatusDone || c.ClosedAt == nil {
		t.Errorf("got %+v", c)
	}
	if got, want := strings.Join(r.history(t, c.ID), " "), "opened taken_up close_asked closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.await(t, c.ID, "gone from the outbox", func(casefile.Case) bool {
		return count(t, r.db, `select count(*) from gavel.outbox`) == 0
	})
	if *record {
		r.awaitEnd(t, c)
		durabletest.Record(t, r.client, r.app+"/north/van-14", "testdata/history/closed_by_a_person.json")
	}
}

func TestADeadlineOfAWeekPassesInSeconds(t *testing.T) {
	r := newRig(t, durable.Clock{Epoch: time.Now(), Speed: 7 * 24 * 3600 / 2}) // a week in two seconds
	r.dispatch(t)
	r.work(t)
	start := time.Now()
	c := r.open(t, "van-14", 7*24*time.Hour)
	c = r.await(t, c.ID, "closed", isClosed)
	if took := time.Since(start); took < 1500*time.Millisecond {
		t.Errorf("closed after %v, before its date", took)
	}
	if c.Status != casefile.StatusExpired || c.ClosedAt.Before(*c.DueAt) {
		t.Errorf("got %s at %v, due %v", c.Status, c.ClosedAt, c.DueAt)
	}
	if got, want := strings.Join(r.history(t, c.ID), " "), "opened taken_up closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if *record {
		r.awaitEnd(t, c)
		durabletest.Record(t, r.client, r.app+"/north/van-14", "testdata/history/expired.json")
	}
}

func TestAStrangersSignalHoldsNoCaseUp(t *testing.T) {
	r := newRig(t, durable.Clock{Epoch: time.Now(), Speed: 7 * 24 * 3600 / 2}) // a week in two seconds
	r.dispatch(t)
	r.work(t)
	c := r.open(t, "van-15", 7*24*time.Hour)
	forged, engine := casefile.CloseSignal{Case: c.ID}, durabletest.Stranger(t, durabletest.Config(t))
	wait.Until(t, "the case has a workflow", func() bool {
		return engine.SignalWorkflow(t.Context(), r.app+"/north/van-15", "", casefile.CloseSignalName, forged) == nil
	})
	if c = r.await(t, c.ID, "closed", isClosed); c.Status != casefile.StatusExpired {
		t.Errorf("got %s, want what its date brings", c.Status)
	}
}

func (r *rig) awaitEnd(t *testing.T, c casefile.Case) {
	t.Helper()
	if err := r.client.GetWorkflow(t.Context(), r.app+"/north/"+c.Key, "").Get(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestAKeyIsFreeAgainOnceItsCaseIsClosed(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.dispatch(t)
	r.work(t)
	for range 3 { // each next one is opened while the engine may still be ending the last
		c := r.open(t, "van-14", 0)
		c = r.await(t, c.ID, "waiting", isWaiting)
		if err := r.Close(t.Context(), officer, c.ID, c.Version, "Settled."); err != nil {
			t.Fatal(err)
		}
		r.await(t, c.ID, "closed", isClosed)
	}
}

func TestACloseAskedBeforeTheEngineBeganIsHonoured(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.open(t, "van-14", 0)
	if err := r.Close(t.Context(), officer, c.ID, c.Version, "Opened by mistake."); err != nil {
		t.Fatal(err)
	}
	r.dispatch(t)
	r.work(t)
	r.await(t, c.ID, "closed", isClosed)
	if got, want := strings.Join(r.history(t, c.ID), " "), "opened close_asked closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The engine is away when a person closes the case and comes back after its
// date: the timer and the signal are both there, and the person came first.
func TestAPersonsDecisionGoesBeforeADateThatPassedMeanwhile(t *testing.T) {
	r := newRig(t, durable.Clock{})
	stop := r.dispatch(t)
	r.work(t)
	c := r.open(t, "van-14", 10*time.Second) // time for a busy machine to take it up, and for the person
	c = r.await(t, c.ID, "waiting", isWaiting)
	stop() // what the person does now reaches nobody until its date has passed
	if err := r.Close(t.Context(), officer, c.ID, c.Version, "Settled."); err != nil {
		t.Fatal(err)
	}
	c = r.await(t, c.ID, "closed", isClosed)
	if c.Status != casefile.StatusDone {
		t.Errorf("the case ended as %s, though a person had closed it", c.Status)
	}
}

func TestACaseWhoseWorkflowWasEndedCanStillBeClosed(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.dispatch(t)
	r.work(t)
	c := r.open(t, "van-14", 0)
	c = r.await(t, c.ID, "waiting", isWaiting)
	if err := r.client.TerminateWorkflow(t.Context(), r.app+"/north/van-14", "", "an operator's mistake"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context(), officer, c.ID, c.Version, "Settled."); err != nil {
		t.Fatal(err)
	}
	r.await(t, c.ID, "closed", isClosed)
	if got, want := strings.Join(r.history(t, c.ID), " "), "opened taken_up close_asked closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestARepeatedStartWorksACaseOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.open(t, "van-14", 0)
	const again = `insert into gavel.outbox (org, lane, kind, target, payload) select org, lane, kind, target, payload from gavel.outbox`
	for range 3 { // eight copies of the same message
		err := r.db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), again)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.dispatch(t)
	r.work(t)
	c = r.await(t, c.ID, "waiting", isWaiting)
	if err := r.Close(t.Context(), officer, c.ID, c.Version, "Settled."); err != nil {
		t.Fatal(err)
	}
	r.await(t, c.ID, "closed", isClosed)
	// And once more after its end.
	input, _ := json.Marshal(casefile.Input{Org: c.Org, Case: c.ID})
	err := r.db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) error {
		return outbox.AddStart(t.Context(), tx, c.Org, r.app+"/north/van-14",
			outbox.Start{Workflow: casefile.WorkflowName, Queue: r.app, Subject: string(c.ID), Input: input})
	})
	if err != nil {
		t.Fatal(err)
	}
	r.await(t, c.ID, "delivered again", func(casefile.Case) bool {
		return count(t, r.db, `select count(*) from gavel.outbox`) == 0
	})
	r.awaitEnd(t, c)
	if got, want := strings.Join(r.history(t, c.ID), " "), "opened taken_up close_asked closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRecordedCasesStillReplay(t *testing.T) {
	durabletest.Replay(t, "testdata/history", durable.Workflow{Name: casefile.WorkflowName, Func: casefile.Workflow})
}

// An incompatible change is one more step before the rest.
func TestReplayCatchesAnIncompatibleChange(t *testing.T) {
	changed := func(ctx workflow.Context, in casefile.Input) error {
		if err := workflow.Sleep(ctx, time.Second); err != nil {
			return err
		}
		return casefile.Workflow(ctx, in)
	}
	err := durabletest.ReplayFile(t, "testdata/history/closed_by_a_person.json",
		durable.Workflow{Name: casefile.WorkflowName, Func: changed})
	if err == nil || !strings.Contains(err.Error(), "nondeterministic") {
		t.Errorf("got %v, want the replay to fail", err)
	}
}
