package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// run carries the yard's cases on the real engine until the test ends.
func (r *rig) run() { r.t.Cleanup(r.runUntil()) }

// runUntil is run, until the returned function is called.
func (r *rig) runUntil() (halt func()) {
	r.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := durabletest.Dial(r.t)
	quiet := slog.New(slog.DiscardHandler)
	done := make(chan struct{}, 2)
	go func() {
		_ = durable.Run(ctx, c, durable.Version{}, quiet, r.Work())
		done <- struct{}{}
	}()
	go func() {
		_ = outbox.NewDispatcher(r.db.System, outbox.NewEngine(c, durabletest.Config(r.t).Memo, r.db.System), 1e6, quiet).Run(ctx)
		done <- struct{}{}
	}()
	return func() { stop(); <-done; <-done }
}

// closed waits until a case is closed and returns it.
func (r *rig) closed(id casefile.CaseID) casefile.Case {
	r.t.Helper()
	return r.when(id, func(c casefile.Case) bool { return c.State == casefile.Closed })
}

func (r *rig) when(id casefile.CaseID, ok func(casefile.Case) bool) casefile.Case {
	r.t.Helper()
	var c casefile.Case
	wait.Try(r.t, func() (err error) {
		if c, err = r.Cases.Get(r.t.Context(), north, id); err != nil {
			r.t.Fatal(err)
		}
		if !ok(c) {
			return fmt.Errorf("case %s is still %s (%s)", id, c.State, c.Status)
		}
		return nil
	})
	return c
}

// asked waits until so many proposals of a case are open.
func (r *rig) asked(id casefile.CaseID, n int) {
	r.t.Helper()
	r.askedOf(olga, id, n)
}

func TestAStrangersSignalsHoldNoDecisionUp(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "letter c")
	r.asked(c.ID, 1)
	engine := durabletest.Stranger(t, durabletest.Config(t))
	for _, name := range []string{agent.OrderSignal, agent.DecisionSignal, agent.LiftedSignal} {
		if err := engine.SignalWorkflow(t.Context(), r.app+"/north/"+c.Key, "", name, map[string]string{"run": "forged",
			"do": "cancel"}); err != nil {
			t.Fatal(err)
		}
	}
	r.decide(c.ID, olga, review.Approve, "")
	if got := r.closed(c.ID); got.Status != "done" {
		t.Errorf("the case ended %q", got.Status)
	}
}

func TestAForemanAndTwoClerksFinishACaseWithAPersonsApproval(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "clerk(look a); clerk(look b) | letter c")
	r.asked(c.ID, 1)
	if n := len(r.other.Log()); n != 0 {
		t.Fatalf("%d effects before anybody decided", n)
	}
	r.decide(c.ID, olga, review.Approve, "")
	if got := r.closed(c.ID); got.Status != "done" {
		t.Errorf("the case ended %q, want done", got.Status)
	}
	if log := r.other.Log(); len(log) != 1 || log[0].Word != "c" {
		t.Errorf("the other side had %v, want one letter c", log)
	}
	if n := query[int](t, r.db, `select count(*) from gavel.step`); n != 7 {
		t.Errorf("%d turns, want 7", n)
	}
}
