package durable_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
)

var quiet = slog.New(slog.DiscardHandler)

// run carries work until the test ends or the returned function is called.
func run(t *testing.T, c client.Client, v durable.Version, work durable.Work) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- durable.Run(ctx, c, v, quiet, work) }()
	var stopped atomic.Bool
	stop = func() {
		cancel()
		if !stopped.Swap(true) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(stop)
	return stop
}

func start(t *testing.T, c client.Client, queue, name string, args ...any) client.WorkflowRun {
	t.Helper()
	wf, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: queue}, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return wf
}

type flaky struct {
	calls atomic.Int64
	since time.Time
}

// Away fails for longer than one try may take.
func (f *flaky) Away(context.Context, string) error {
	f.calls.Add(1)
	if time.Since(f.since) < 12*time.Second {
		return fault.New(fault.Unavailable, "the database is away")
	}
	return nil
}

func (f *flaky) Try(context.Context, string) error {
	if f.calls.Add(1) < 3 {
		return fault.New(fault.Unavailable, "not yet")
	}
	return nil
}

func (f *flaky) Refuse(context.Context, string) error {
	f.calls.Add(1)
	return fault.New(fault.Refused, "policy says no")
}

func oneStep(ctx workflow.Context, name string) (string, error) {
	err := workflow.ExecuteLocalActivity(durable.Step(ctx), name, "x").Get(ctx, nil)
	if err != nil {
		return durable.FaultOf(err).Code(), nil
	}
	return "done", nil
}

func TestTheEngineTriesAgainOnlyWhatThatCanMend(t *testing.T) {
	for _, tt := range []struct {
		activity, want string
		calls          int64
	}{
		{"Try", "done", 3},
		{"Refuse", "refused", 1},
	} {
		t.Run(tt.activity, func(t *testing.T) {
			c, queue, acts := durabletest.Dial(t), rand.Text(), &flaky{}
			run(t, c, durable.Version{}, durable.Work{
				App: queue, Workflows: []durable.Workflow{{Name: "oneStep", Func: oneStep}}, Activities: []any{acts},
			})
			var got string
			if err := start(t, c, queue, "oneStep", tt.activity).Get(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			if got != tt.want || acts.calls.Load() != tt.calls {
				t.Errorf("got %s after %d calls, want %s after %d", got, acts.calls.Load(), tt.want, tt.calls)
			}
		})
	}
}

type paid struct{ at chan time.Time }

func (p *paid) Turn(context.Context) error {
	p.at <- time.Now()
	return nil
}

func TestAStepOutlastsAnAbsenceLongerThanOneTry(t *testing.T) {
	c, queue, acts := durabletest.Dial(t), rand.Text(), &flaky{since: time.Now()}
	run(t, c, durable.Version{}, durable.Work{
		App: queue, Workflows: []durable.Workflow{{Name: "oneStep", Func: oneStep}}, Activities: []any{acts},
	})
	var got string
	if err := start(t, c, queue, "oneStep", "Away").Get(t.Context(), &got); err != nil || got != "done" {
		t.Errorf("got %q, %v after %d tries; want the step done once the database was back", got, err, acts.calls.Load())
	}
}

func TestARateHoldsInsideTheWorker(t *testing.T) {
	c, queue := durabletest.Dial(t), rand.Text()
	acts := &paid{at: make(chan time.Time, 16)}
	sixTurns := func(ctx workflow.Context) error {
		ctx = durable.Outside(ctx)
		var turns []workflow.Future
		for range 6 {
			turns = append(turns, workflow.ExecuteActivity(ctx, "Turn"))
		}
		for _, f := range turns {
			if err := f.Get(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	}
	run(t, c, durable.Version{}, durable.Work{
		App: queue, Workflows: []durable.Workflow{{Name: "sixTurns", Func: sixTurns}}, Activities: []any{acts},
		Limits: map[string]*rate.Limiter{"Turn": rate.NewLimiter(4, 1)},
	})
	began := time.Now() // not at the first turn, which a busy machine may be late to note
	if err := start(t, c, queue, "sixTurns").Get(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var last time.Time
	for range 6 {
		if at := <-acts.at; at.After(last) {
			last = at
		}
	}
	if took := last.Sub(began); took < 1250*time.Millisecond {
		t.Errorf("six turns at four a second took %v", took)
	}
}

// waitThenSay stands for two builds of one workflow: each says its own name
// after the wait.
func waitThenSay(name string) any {
	return func(ctx workflow.Context) (string, error) {
		workflow.GetSignalChannel(ctx, "go").Receive(ctx, nil)
		return name, nil
	}
}

func TestARunningCaseStaysWithTheBuildThatBeganIt(t *testing.T) {
	c, queue := durabletest.Dial(t), rand.Text()
	build := func(id string, current bool) (stop func()) {
		return run(t, c, durable.Version{Deployment: queue, BuildID: id, Current: current},
			durable.Work{App: queue, Workflows: []durable.Workflow{{Name: "say", Func: waitThenSay(id)}}})
	}
	stopOld := build("old", false) // the first build gets new cases without asking
	awaitCurrent(t, c, queue, "old")
	older := start(t, c, queue, "say")
	awaitStarted(t, c, older)
	build("new", true)
	awaitCurrent(t, c, queue, "new")
	stopOld()
	build("old", false) // started again, to finish its own
	newer := start(t, c, queue, "say")
	for wf, want := range map[client.WorkflowRun]string{older: "old", newer: "new"} {
		if err := c.SignalWorkflow(t.Context(), wf.GetID(), "", "go", nil); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := wf.Get(t.Context(), &got); err != nil || got != want {
			t.Errorf("got %s, %v, want the case to stay with %s", got, err, want)
		}
	}
	if current, err := durable.CurrentBuild(t.Context(), c, queue); err != nil || current != "new" {
		t.Errorf("new cases go to %q, %v; want the new build", current, err)
	}
}

func awaitCurrent(t *testing.T, c client.Client, deployment, build string) {
	t.Helper()
	wait.Try(t, func() error {
		current, err := durable.CurrentBuild(t.Context(), c, deployment)
		if err == nil && current != build {
			err = fmt.Errorf("build %q is current, want %q", current, build)
		}
		return err
	})
}

// awaitStarted waits until a worker has taken a workflow's first task, which is
// when it is pinned.
func awaitStarted(t *testing.T, c client.Client, wf client.WorkflowRun) {
	t.Helper()
	wait.Try(t, func() error {
		d, err := c.DescribeWorkflowExecution(t.Context(), wf.GetID(), wf.GetRunID())
		if err == nil && d.GetWorkflowExecutionInfo().GetHistoryLength() < 4 {
			err = errors.New("no worker has taken it")
		}
		return err
	})
}

func TestDialGivesUpOnlyWithItsContext(t *testing.T) {
	cfg := durabletest.Config(t)
	cfg.Address = "127.0.0.1:1"
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := durable.Dial(ctx, cfg); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
}
