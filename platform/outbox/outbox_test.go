package outbox_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// The queues of these tests have no worker: a started workflow just stands
// there, which is all they look at.
type rig struct {
	db     *postgrestest.Database
	client client.Client
	queue  string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{db: postgrestest.New(t, outbox.Migrations()), client: durabletest.Dial(t), queue: "outbox-" + rand.Text()}
}

func (r *rig) dispatch(t *testing.T, c client.Client, startsPerSecond float64) (stop func()) {
	t.Helper()
	engine := outbox.NewEngine(c, durabletest.Config(t).Memo, r.db.System)
	d := outbox.NewDispatcher(r.db.System, engine, startsPerSecond, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = d.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func (r *rig) id(n int) string { return fmt.Sprintf("%s/north/%d", r.queue, n) }

func (r *rig) addStart(t *testing.T, n int, subject string) {
	t.Helper()
	r.add(t, func(tx pgx.Tx) error {
		return outbox.AddStart(t.Context(), tx, postgrestest.North, r.id(n), r.startOf(subject))
	})
}

func (r *rig) startOf(subject string) outbox.Start {
	return outbox.Start{Workflow: "none", Queue: r.queue, Subject: subject, Input: json.RawMessage(`{}`)}
}

func (r *rig) addSignal(t *testing.T, n int) {
	t.Helper()
	r.add(t, func(tx pgx.Tx) error {
		return outbox.AddSignal(t.Context(), tx, postgrestest.North, r.id(n),
			outbox.Signal{Name: "decided", Input: json.RawMessage(`{"decision":"d1"}`), Start: r.startOf("s")})
	})
}

func (r *rig) add(t *testing.T, fn func(pgx.Tx) error) {
	t.Helper()
	if err := r.db.App.InOrg(t.Context(), postgrestest.North, fn); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) waiting(t *testing.T, where string) int {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), `select count(*) from gavel.outbox where `+where)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *rig) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	wait.Until(t, "it comes: "+what, ok)
}

func (r *rig) signals(t *testing.T, n int) int {
	t.Helper()
	count := 0
	it := r.client.GetWorkflowHistory(t.Context(), r.id(n), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e.EventType == enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
			count++
		}
	}
	return count
}

func (r *rig) end(t *testing.T, n int) {
	t.Helper()
	if err := r.client.TerminateWorkflow(t.Context(), r.id(n), "", "the test is over"); err != nil {
		t.Fatal(err)
	}
}

func TestADecisionNeverWaitsBehindStarts(t *testing.T) {
	r := newRig(t)
	r.addStart(t, 0, "s0")
	r.dispatch(t, r.client, 1)
	r.await(t, "the first start", func() bool { return r.waiting(t, "true") == 0 })
	const backlog = 200 // over three minutes of starts
	for i := range backlog {
		r.addStart(t, i+1, "s")
	}
	r.addSignal(t, 0)
	r.await(t, "the decision", func() bool { return r.waiting(t, "lane = 'decision'") == 0 })
	if left := r.waiting(t, "lane = 'start'"); left < backlog-15 {
		t.Errorf("when the decision went, %d of %d starts were still waiting", left, backlog)
	}
	if n := r.signals(t, 0); n != 1 {
		t.Errorf("the workflow was told %d times, want once", n)
	}
}

// TestOrganisationsTakeTurns promises that what one of them has waiting keeps nobody else's
// from going next, and that the engine is told whose a workflow is.
func TestOrganisationsTakeTurns(t *testing.T) {
	r := newRig(t)
	r.addStart(t, 0, "s0")
	r.dispatch(t, r.client, 20)
	r.await(t, "the first start", func() bool { return r.waiting(t, "true") == 0 })
	const backlog = 300
	for i := range backlog {
		r.addStart(t, i+1, "s")
	}
	theirs := r.queue + "/south/1"
	if err := r.db.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		return outbox.AddStart(t.Context(), tx, postgrestest.South, theirs, r.startOf("s"))
	}); err != nil {
		t.Fatal(err)
	}
	before := r.waiting(t, "org = 'north'")
	r.await(t, "theirs", func() bool { return r.waiting(t, "org = 'south'") == 0 })
	if left := r.waiting(t, "org = 'north'"); before-left > 80 || left == 0 {
		t.Errorf("before theirs went %d of ours did, of %d; want no more than are under way", before-left, before)
	}
	d, err := r.client.DescribeWorkflowExecution(t.Context(), theirs, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetPriority().GetFairnessKey() != "south" {
		t.Errorf("the engine has it under %q, %v", d.GetWorkflowExecutionInfo().GetPriority().GetFairnessKey(), err)
	}
}

func TestMessagesWaitWhileTheEngineIsAway(t *testing.T) {
	r := newRig(t)
	cfg := durabletest.Config(t)
	cfg.Address = "127.0.0.1:1" // nobody there
	away, err := durable.Lazy(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	r.addStart(t, 1, "s1")
	r.addSignal(t, 1)
	stop := r.dispatch(t, away, 100)
	r.await(t, "two tries", func() bool { return r.waiting(t, "attempts >= 1 and last_error <> '' and not dead") == 2 })
	stop()
	r.dispatch(t, r.client, 100)
	r.await(t, "delivery", func() bool { return r.waiting(t, "true") == 0 })
	if n := r.signals(t, 1); n != 1 {
		t.Errorf("the workflow was told %d times, want once", n)
	}
	r.end(t, 1)
}

func TestAStartForAnotherSubjectWaitsForTheIDToBeFree(t *testing.T) {
	r := newRig(t)
	r.dispatch(t, r.client, 100)
	r.addStart(t, 1, "first")
	r.await(t, "the first start", func() bool { return r.waiting(t, "true") == 0 })
	r.addStart(t, 1, "first") // a repeat is done at once
	r.await(t, "the repeat", func() bool { return r.waiting(t, "true") == 0 })
	r.addStart(t, 1, "second")
	r.await(t, "a refused try", func() bool { return r.waiting(t, "attempts >= 1 and last_error is not null") == 1 })
	r.end(t, 1)
	r.await(t, "the second start", func() bool { return r.waiting(t, "true") == 0 })
	r.end(t, 1)
}

func TestASignalToAWorkflowThatFinishedIsLetGo(t *testing.T) {
	r := newRig(t)
	r.work(t)
	r.dispatch(t, r.client, 100)
	r.addStart(t, 1, "s")
	r.await(t, "the workflow's end", func() bool {
		d, err := r.client.DescribeWorkflowExecution(t.Context(), r.id(1), "")
		return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
	first := r.runID(t, 1)
	r.addSignal(t, 1)
	r.await(t, "the signal", func() bool { return r.waiting(t, "true") == 0 })
	if again := r.runID(t, 1); again != first {
		t.Error("a finished workflow was started again")
	}
}

// A dispatcher that dies between delivering a start and deleting its row leaves
// it to another, half a minute later: the workflow may have done its work by then.
func TestAStartDeliveredAgainAfterTheEndBeginsNothing(t *testing.T) {
	r := newRig(t)
	r.work(t)
	ended := func() bool {
		d, err := r.client.DescribeWorkflowExecution(t.Context(), r.id(1), "")
		return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	}
	deliverAgain := func(subject string) {
		t.Helper()
		r.addStart(t, 1, subject)
		if _, err := r.db.System.Exec(t.Context(), `update gavel.outbox set attempts = 1`); err != nil {
			t.Fatal(err)
		}
		stop := r.dispatch(t, r.client, 100)
		r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
		stop()
		r.await(t, "the workflow's end", ended)
	}
	deliverAgain("first") // the try before did not get through
	first := r.runID(t, 1)
	deliverAgain("first")
	if again := r.runID(t, 1); again != first {
		t.Error("the work was begun a second time")
	}
	deliverAgain("second")
	if again := r.runID(t, 1); again == first {
		t.Error("the start of another subject was taken for a repeat")
	}
}

func TestAWorkflowThatCameToABadEndIsStartedAgain(t *testing.T) {
	r := newRig(t)
	r.dispatch(t, r.client, 100)
	r.addStart(t, 1, "s")
	r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
	first := r.runID(t, 1)
	r.end(t, 1)
	r.addSignal(t, 1)
	r.await(t, "the signal", func() bool { return r.waiting(t, "true") == 0 })
	if again := r.runID(t, 1); again == first {
		t.Error("the workflow was left for dead")
	}
	r.end(t, 1)
}

// work runs a workflow that finishes at once.
func (r *rig) work(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = durable.Run(ctx, r.client, durable.Version{}, slog.New(slog.DiscardHandler), durable.Work{
			App: r.queue, Workflows: []durable.Workflow{{Name: "none", Func: func(workflow.Context, struct{}) error { return nil }}},
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func (r *rig) runID(t *testing.T, n int) string {
	t.Helper()
	d, err := r.client.DescribeWorkflowExecution(t.Context(), r.id(n), "")
	if err != nil {
		t.Fatal(err)
	}
	return d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}

func TestBothLanesAreMeasured(t *testing.T) {
	r := newRig(t)
	r.addStart(t, 1, "s")
	r.addSignal(t, 1)
	r.addSignal(t, 2)
	r.add(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into gavel.outbox (org, lane, kind, target, payload, dead)
			values ('north', 'start', 'start', 'x/north/1', '{}', true)`)
		return err
	})
	got, err := outbox.Measure(t.Context(), r.db.System)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, want := range []outbox.LaneState{{Lane: outbox.Decisions, Waiting: 2}, {Lane: outbox.Starts, Waiting: 1, Dead: 1}} {
		if got[i].Oldest <= 0 {
			t.Errorf("%s: the oldest has waited %v", want.Lane, got[i].Oldest)
		}
		got[i].Oldest = 0
		if got[i] != want {
			t.Errorf("got %+v, want %+v", got[i], want)
		}
	}
}

func TestAMessageTheEngineCannotTakeIsKeptForAPerson(t *testing.T) {
	r := newRig(t)
	r.add(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into gavel.outbox (org, lane, kind, target, payload)
			values ('north', 'start', 'start', 'x/north/1', '"no start"')`)
		return err
	})
	r.dispatch(t, r.client, 100)
	r.await(t, "the row to be marked dead", func() bool { return r.waiting(t, "dead and last_error <> ''") == 1 })
}

func TestTwoDispatchersDeliverEachMessageOnce(t *testing.T) {
	r := newRig(t)
	r.addStart(t, 0, "s0")
	for range 2 {
		r.dispatch(t, r.client, 1000)
	}
	r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
	const told = 50
	for range told {
		r.addSignal(t, 0)
	}
	r.await(t, "all signals", func() bool { return r.waiting(t, "true") == 0 })
	if n := r.signals(t, 0); n != told {
		t.Errorf("the workflow was told %d times, want %d", n, told)
	}
	r.end(t, 0)
}

// TestNoOrganisationReachesAnothersWorkflow promises that the database takes no message
// to a workflow whose id names another organisation.
func TestNoOrganisationReachesAnothersWorkflow(t *testing.T) {
	r := newRig(t)
	for _, target := range []string{r.queue + "/south/1", r.queue + "/south/north", r.queue, "north"} {
		err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			return outbox.AddStart(t.Context(), tx, postgrestest.North, target, r.startOf("x"))
		})
		if err == nil {
			t.Errorf("%s: the message was taken", target)
		}
	}
	r.addStart(t, 1, "x") // the nearest honest one
	if got := r.waiting(t, "true"); got != 1 {
		t.Errorf("%d messages wait, want 1", got)
	}
}

func TestAMessageIsPartOfItsTransaction(t *testing.T) {
	r := newRig(t)
	undone := fmt.Errorf("undone")
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		if err := outbox.AddStart(t.Context(), tx, postgrestest.North, r.id(1), outbox.Start{}); err != nil {
			return err
		}
		return undone
	})
	if err == nil || r.waiting(t, "true") != 0 {
		t.Errorf("got %v; want nothing left behind", err)
	}
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return outbox.AddStart(t.Context(), tx, identity.Org("south"), r.id(1), outbox.Start{})
	})
	if err == nil {
		t.Error("a message for another organisation was taken")
	}
}
