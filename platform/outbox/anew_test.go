package outbox_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"

	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// After a restore the engine may be ahead: what it has of a workflow, running or
// over, is of another moment.
func TestAWorkflowIsBegunAnewOnceWhateverTheEngineHas(t *testing.T) {
	r := newRig(t)
	r.dispatch(t, r.client, 100)
	anew := func(why string) string {
		t.Helper()
		r.add(t, func(tx pgx.Tx) error {
			s := r.startOf("s")
			s.Anew = why
			return outbox.AddStart(t.Context(), tx, postgrestest.North, r.id(1), s)
		})
		r.await(t, "the start anew", func() bool { return r.waiting(t, "true") == 0 })
		return r.runID(t, 1)
	}
	r.addStart(t, 1, "s")
	r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
	first := r.runID(t, 1)
	second := anew("recovery_1")
	if second == first {
		t.Error("the run that was there goes on")
	}
	if d, err := r.client.DescribeWorkflowExecution(t.Context(), r.id(1), first); err != nil || d.GetWorkflowExecutionInfo().
		GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_TERMINATED {
		t.Errorf("the first run: %v, %v", d.GetWorkflowExecutionInfo().GetStatus(), err)
	}
	r.end(t, 1)
	third := anew("recovery_2")
	if third == second {
		t.Error("one that was over was not begun")
	}
	r.addStart(t, 1, "s") // a start of before, delivered late
	r.await(t, "the repeat", func() bool { return r.waiting(t, "true") == 0 })
	if r.runID(t, 1) != third {
		t.Error("a start of before ended the new run")
	}
	r.end(t, 1)
}

// A dispatcher that died after the delivery leaves the row to another.
func TestAStartAnewThatIsDeliveredTwiceBeginsOnce(t *testing.T) {
	r := newRig(t)
	deliver := func() string {
		t.Helper()
		r.add(t, func(tx pgx.Tx) error {
			s := r.startOf("s")
			s.Anew = "recovery_1"
			return outbox.AddStart(t.Context(), tx, postgrestest.North, r.id(1), s)
		})
		if _, err := r.db.System.Exec(t.Context(), `update gavel.outbox set attempts = 1`); err != nil {
			t.Fatal(err)
		}
		stop := r.dispatch(t, r.client, 100)
		r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
		stop()
		return r.runID(t, 1)
	}
	if first := deliver(); deliver() != first {
		t.Error("it was begun twice")
	}
	r.end(t, 1)
}

func TestTheRunOfALostSubjectMakesRoom(t *testing.T) {
	r := newRig(t)
	engine := outbox.NewEngine(r.client, durabletest.Config(t).Memo, r.db.System)
	engine.Lost = func(_ context.Context, subject string) (bool, error) { return subject == "lost", nil }
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = outbox.NewDispatcher(r.db.System, engine, 100, slog.New(slog.DiscardHandler)).Run(ctx)
	}()
	defer func() { stop(); <-done }()
	r.addStart(t, 1, "lost")
	r.await(t, "the start", func() bool { return r.waiting(t, "true") == 0 })
	first := r.runID(t, 1)
	r.addStart(t, 1, "again")
	r.await(t, "the start of another", func() bool { return r.waiting(t, "true") == 0 })
	if r.runID(t, 1) == first {
		t.Error("the lost one's run is still there")
	}
	r.end(t, 1)
}
