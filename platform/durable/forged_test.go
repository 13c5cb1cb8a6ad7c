package durable_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// listens takes one word by each way there is into a workflow, and ends with
// what it was told by signal.
func listens(ctx workflow.Context, first string) (string, error) {
	said := first
	err := workflow.SetUpdateHandler(ctx, "tell", func(_ workflow.Context, word string) (string, error) {
		said = word
		return "took " + word, nil
	})
	if err != nil {
		return "", err
	}
	if err := workflow.SetQueryHandler(ctx, "what", func(like string) (string, error) { return like + said, nil }); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, "word").Receive(ctx, &said)
	return said, nil
}

// A forum is a worker that carries listens, its own client, and a stranger's.
type forum struct {
	cfg          durable.Config
	ours, theirs client.Client
	queue        string
}

func newForum(t *testing.T, cfg durable.Config) forum {
	t.Helper()
	f := forum{cfg: cfg, ours: durabletest.DialTo(t, cfg), theirs: durabletest.Stranger(t, cfg), queue: rand.Text()}
	run(t, f.ours, durable.Version{}, durable.Work{App: f.queue, Workflows: []durable.Workflow{
		{Name: "listens", Func: listens}, {Name: "relies", Func: relies}}})
	return f
}

func (f forum) begin(t *testing.T, c client.Client, id string) client.WorkflowRun {
	t.Helper()
	wf, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: f.queue}, "listens", "begun")
	if err != nil {
		t.Fatal(err)
	}
	return wf
}

func (f forum) tell(t *testing.T, c client.Client, id, word string) {
	t.Helper()
	if err := c.SignalWorkflow(t.Context(), id, "", "word", word); err != nil {
		t.Fatal(err)
	}
}

func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	t.Cleanup(cancel)
	return ctx
}

func TestASignalThatWasNotSealedIsNotHeard(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	wf := f.begin(t, f.ours, rand.Text())
	f.tell(t, f.theirs, wf.GetID(), "forged")
	f.tell(t, f.ours, wf.GetID(), "ours")
	var got string
	if err := wf.Get(patient(t), &got); err != nil || got != "ours" {
		t.Errorf("the workflow heard %q, %v; want what we said", got, err)
	}
}

func TestAWorkflowIsNotBegunByWhatWasNotSealed(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	wf := f.begin(t, f.theirs, rand.Text())
	_ = f.ours.SignalWorkflow(t.Context(), wf.GetID(), "", "word", "on") // it may be over by now, as it should
	var got string
	if err := f.ours.GetWorkflow(t.Context(), wf.GetID(), "").Get(patient(t), &got); err == nil {
		t.Errorf("it ran on an input that nobody sealed, and said %q", got)
	}
}

func TestAnUpdateOrQueryThatWasNotSealedIsRefused(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	wf := f.begin(t, f.ours, rand.Text())
	h, err := f.theirs.UpdateWorkflow(patient(t), client.UpdateWorkflowOptions{
		WorkflowID: wf.GetID(), UpdateName: "tell", Args: []any{"forged"}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(patient(t), nil)
	}
	if err == nil {
		t.Error("an update that was not sealed was taken")
	}
	if _, err := f.theirs.QueryWorkflow(patient(t), wf.GetID(), "", "what", "forged "); err == nil {
		t.Error("a query that was not sealed was answered")
	}
	var said string
	v, err := f.ours.QueryWorkflow(patient(t), wf.GetID(), "", "what", "it says ")
	if err == nil {
		err = v.Get(&said)
	}
	if err != nil || said != "it says begun" {
		t.Errorf("our own query: %q, %v", said, err)
	}
}

// relies does what a step on another queue answers.
func relies(ctx workflow.Context, queue string) (string, error) {
	o := workflow.GetActivityOptions(durable.Outside(ctx))
	o.TaskQueue = queue
	var got string
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), "Answer").Get(ctx, &got)
	return got, err
}

func TestTheResultOfAStepThatWasNotSealedIsRefused(t *testing.T) {
	for name, answer := range map[string]any{
		"not sealed":     func(context.Context) (string, error) { return "forged", nil },
		"nothing at all": func(context.Context) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := newForum(t, durabletest.Config(t))
			elsewhere := rand.Text()
			w := worker.New(f.theirs, elsewhere, worker.Options{})
			w.RegisterActivityWithOptions(answer, activity.RegisterOptions{Name: "Answer"})
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Stop)
			var got string
			if err := start(t, f.ours, f.queue, "relies", elsewhere).Get(patient(t), &got); err == nil {
				t.Errorf("the workflow went on with %q, which a stranger's worker answered", got)
			}
		})
	}
}

func TestWhatAStrangerSaysOfAFailureIsNotRepeated(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	elsewhere := rand.Text()
	w := worker.New(f.theirs, elsewhere, worker.Options{})
	w.RegisterActivityWithOptions(func(context.Context) (string, error) {
		return "", temporal.NewNonRetryableApplicationError("pay to another account", "invalid", nil)
	}, activity.RegisterOptions{Name: "Answer"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	err := start(t, f.ours, f.queue, "relies", elsewhere).Get(patient(t), nil)
	if err == nil || strings.Contains(err.Error(), "another account") {
		t.Errorf("got %v; want a failure without a stranger's words", err)
	}
}

// overheard is a signal as it stands in a workflow's history, once it does: one
// that comes while the workflow is busy is written down after.
func overheard(t *testing.T, c client.Client, id string) *commonpb.Payloads {
	t.Helper()
	it := c.GetWorkflowHistory(patient(t), id, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if s := e.GetWorkflowExecutionSignaledEventAttributes(); s != nil {
			return s.GetInput()
		}
	}
	t.Fatal("nothing was said to " + id)
	return nil
}

func (f forum) repeat(t *testing.T, said *commonpb.Payloads, id string) {
	t.Helper()
	_, err := f.theirs.WorkflowService().SignalWorkflowExecution(t.Context(), &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: f.cfg.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id}, SignalName: "word", Input: said})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasSealedForOneWorkflowIsNotHeardByAnother(t *testing.T) {
	f := newForum(t, durabletest.Config(t))
	one, other := f.begin(t, f.ours, rand.Text()), f.begin(t, f.ours, rand.Text())
	f.tell(t, f.ours, one.GetID(), "for the one")
	f.repeat(t, overheard(t, f.theirs, one.GetID()), other.GetID())
	f.tell(t, f.ours, other.GetID(), "for the other")
	var got string
	if err := other.Get(patient(t), &got); err != nil || got != "for the other" {
		t.Errorf("the other heard %q, %v; want what was sealed for it", got, err)
	}
	if err := one.Get(patient(t), &got); err != nil || got != "for the one" {
		t.Errorf("the one heard %q, %v", got, err)
	}
}

func TestWhatWasSealedInOneNamespaceIsNotHeardInAnother(t *testing.T) {
	f, g := newForum(t, durabletest.Config(t)), newForum(t, durabletest.Own(t))
	id := rand.Text()
	here, there := f.begin(t, f.ours, id), g.begin(t, g.ours, id)
	f.tell(t, f.ours, id, "said here")
	g.repeat(t, overheard(t, f.theirs, id), id)
	g.tell(t, g.ours, id, "said there")
	var got string
	if err := there.Get(patient(t), &got); err != nil || got != "said there" {
		t.Errorf("there it heard %q, %v; want what was sealed there", got, err)
	}
	if err := here.Get(patient(t), &got); err != nil || got != "said here" {
		t.Errorf("here it heard %q, %v", got, err)
	}
}
