package durable_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
)

// An errand is what errands hands from run to run.
type errand struct {
	Round int
	Log   []string
}

type hands struct{}

func (*hands) Near(_ context.Context, word string) (string, error) { return "near " + word, nil }

// Far gets to its end at the second try, from where the first left off.
func (*hands) Far(ctx context.Context, word string) (string, error) {
	if !activity.HasHeartbeatDetails(ctx) {
		activity.RecordHeartbeat(ctx, "half")
		return "", fault.New(fault.Unavailable, "not yet")
	}
	var half string
	err := activity.GetHeartbeatDetails(ctx, &half)
	return half + " far " + word, err
}

func (*hands) Fail(context.Context) error {
	return temporal.NewNonRetryableApplicationError("words of ours", "conflict", errors.New("a cause of ours"), "details of ours")
}

func child(_ workflow.Context, word string) (string, error) {
	if word == "fail" {
		return "", temporal.NewNonRetryableApplicationError("a child's words", "conflict", nil)
	}
	return "child " + word, nil
}

// errands goes once through everything that carries a payload.
func errands(ctx workflow.Context, e errand) ([]string, error) {
	if e.Round == 1 {
		return e.Log, nil
	}
	ctx = workflow.WithChildOptions(durable.Step(ctx), workflow.ChildWorkflowOptions{})
	far := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Minute})
	workflow.GetVersion(ctx, "change", workflow.DefaultVersion, 1)
	var said string
	for _, f := range []workflow.Future{
		workflow.ExecuteLocalActivity(ctx, "Near", "one"),
		workflow.ExecuteActivity(far, "Far", "two"),
		workflow.ExecuteChildWorkflow(ctx, "child", "three"),
	} {
		if err := f.Get(ctx, &said); err != nil {
			return nil, err
		}
		e.Log = append(e.Log, said)
	}
	if err := workflow.SideEffect(ctx, func(workflow.Context) any { return "aside" }).Get(&said); err != nil {
		return nil, err
	}
	e.Log = append(e.Log, said)
	for _, failed := range []error{
		workflow.ExecuteLocalActivity(ctx, "Fail").Get(ctx, nil),
		workflow.ExecuteActivity(far, "Fail").Get(ctx, nil),
		workflow.ExecuteChildWorkflow(ctx, "child", "fail").Get(ctx, nil),
	} {
		e.Log = append(e.Log, words(failed))
	}
	return nil, workflow.NewContinueAsNewError(ctx, "errands", errand{Round: 1, Log: e.Log})
}

// words are what a workflow can read of a failure.
func words(err error) string {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return err.Error()
	}
	var details string
	if app.HasDetails() {
		if err := app.Details(&details); err != nil {
			details = err.Error()
		}
	}
	return strings.Join([]string{app.Message(), app.Type(), details}, ", ")
}

func TestEverythingAWorkflowCarriesIsBoundAndRead(t *testing.T) {
	c, queue := durabletest.Dial(t), rand.Text()
	known := []durable.Workflow{{Name: "errands", Func: errands}, {Name: "child", Func: child}}
	run(t, c, durable.Version{}, durable.Work{App: queue, Workflows: known, Activities: []any{&hands{}}})
	wf, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: rand.Text(), TaskQueue: queue}, "errands", errand{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := wf.Get(patient(t), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"near one", "half far two", "child three", "aside", "words of ours, conflict, details of ours",
		"words of ours, conflict, details of ours", "a child's words, conflict, "}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// Its history, which is bound to it, replays under the replayer's own names.
	dir := t.TempDir()
	durabletest.RecordRun(t, c, wf.GetID(), wf.GetRunID(), filepath.Join(dir, "first.json"))
	durabletest.Record(t, c, wf.GetID(), filepath.Join(dir, "last.json"))
	durabletest.Replay(t, dir, known...)
}

func TestWhyAWorkflowFailedIsReadByUs(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	run(t, f.ours, durable.Version{}, durable.Work{App: f.queue + "-hands", Activities: []any{&hands{}}, Workflows: []durable.Workflow{
		{Name: "fails", Func: func(ctx workflow.Context) error {
			return workflow.ExecuteLocalActivity(durable.Step(ctx), "Fail").Get(ctx, nil)
		}}}})
	err := start(t, f.ours, f.queue+"-hands", "fails").Get(patient(t), nil)
	if err == nil || !strings.Contains(err.Error(), "words of ours") {
		t.Errorf("got %v, want our words", err)
	}
}
