package review_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

var record = flag.Bool("record", false, "write the histories under testdata anew")

// An engine carries the waits of one test on a queue of its own.
type engine struct {
	client client.Client
	queue  string
}

func newEngine(t *testing.T, r *rig) engine {
	t.Helper()
	e := engine{client: durabletest.Dial(t), queue: "t" + strings.Map(onlyLetters, strings.ToLower(rand.Text()))[:12]}
	to := outbox.NewEngine(e.client, durabletest.Config(t).Memo, r.db.System)
	background(t, outbox.NewDispatcher(r.db.System, to, 1000, slog.New(slog.DiscardHandler)).Run)
	background(t, func(ctx context.Context) error {
		return durable.Run(ctx, e.client, durable.Version{}, slog.New(slog.DiscardHandler), review.Work(durable.Work{App: e.queue},
			r.Store))
	})
	return e
}

func onlyLetters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

func background(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// wait proposes something and has it waited for.
func (e engine) wait(t *testing.T, r *rig, edit ...func(*review.Proposal)) review.Proposal {
	t.Helper()
	p := r.draft()
	p.Key = e.queue + "/" + p.Call
	for _, c := range edit {
		c(&p)
	}
	input, err := json.Marshal(review.Input{Org: north, Key: p.Key, Clock: r.clock})
	if err != nil {
		t.Fatal(err)
	}
	p.Wake = review.Wake{WorkflowID: e.queue + "/north/" + p.Call,
		Start: outbox.Start{Workflow: review.WorkflowName, Queue: e.queue, Subject: p.Key, Input: input}}
	if p, err = r.Propose(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		return outbox.AddStart(t.Context(), tx, north, p.Wake.WorkflowID, p.Wake.Start)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ends waits for the end of a workflow, which the dispatcher has begun.
func (e engine) ends(t *testing.T, p review.Proposal, file string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*wait.Patience()) // to begin, and to end
	defer cancel()
	wait.Try(t, func() error {
		err := e.client.GetWorkflow(ctx, p.Wake.WorkflowID, "").Get(ctx, nil)
		if err != nil && !strings.Contains(err.Error(), "not found") {
			t.Fatal(err)
		}
		return err
	})
	if *record {
		durabletest.Record(t, e.client, p.Wake.WorkflowID, "testdata/history/"+file)
	}
}

// grows waits until a workflow's history has so many events.
func (e engine) grows(t *testing.T, p review.Proposal, events int64) {
	t.Helper()
	wait.Try(t, func() error {
		d, err := e.client.DescribeWorkflowExecution(t.Context(), p.Wake.WorkflowID, "")
		if err != nil {
			return err
		}
		if n := d.WorkflowExecutionInfo.HistoryLength; n < events {
			return fmt.Errorf("it has got to %d events of %d: %v", n, events, d)
		}
		return nil
	})
}

func TestThePlatformsOwnWaitRemindsEscalatesAndExpires(t *testing.T) {
	// An hour in four seconds: a machine that is slow to begin the wait is still
	// there before it expires.
	r := newRig(t, durable.Clock{Epoch: time.Now(), Speed: 900})
	e := newEngine(t, r)
	p := e.wait(t, r, timed)
	e.ends(t, p, "expired.json")
	got := r.get(t, p.ID)
	if got.State != review.Expired || got.RemindedAt.Before(p.RemindAt.Truncate(time.Microsecond)) ||
		got.EscalatedAt.Before(p.EscalateAt.Truncate(time.Microsecond)) ||
		got.EndedAt.Before(p.ExpiresAt.Truncate(time.Microsecond)) {
		t.Errorf("got %+v", got)
	}
	if steps := strings.Join(r.heeded(t), " "); steps != "reminded escalated" {
		t.Errorf("the log says %s", steps)
	}
}

func TestThePlatformsOwnWaitEndsWithTheDecision(t *testing.T) {
	r := newRig(t, durable.Clock{})
	e := newEngine(t, r)
	p := e.wait(t, r, func(p *review.Proposal) { p.RemindAt = p.CreatedAt.Add(24 * time.Hour) })
	e.grows(t, p, 6) // it has begun, looked at the record, and waits
	forged := review.Decided{Key: p.Key, Proposal: p.ID, State: review.Approved}
	if err := e.client.SignalWorkflow(t.Context(), p.Wake.WorkflowID, "", review.SignalName, forged); err != nil {
		t.Fatal(err)
	}
	e.grows(t, p, 11) // it was told, looked again, and waits on
	if got := r.get(t, p.ID); got.State != review.Open {
		t.Fatalf("a forged word made it %s", got.State)
	}
	r.decide(t, manager, r.answer(p, review.Reject))
	e.ends(t, p, "decided.json")
	if got := r.get(t, p.ID); got.State != review.Rejected || !got.RemindedAt.IsZero() {
		t.Errorf("got %+v", got)
	}
}

func TestWhatNobodyWaitsForIsWaitedForByThePlatform(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.draft()
	p.Wake = review.Wake{}
	for range 2 {
		got, err := r.Propose(t.Context(), p)
		if err != nil || got.ID != "P-1" || got.State != review.Open {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	starts := all[string](t, r.db, `select target || ' ' || (payload->>'workflow') || ' ' || (payload->>'queue') || ' ' || (payload->>'subject') from gavel.outbox where kind = 'start' and target like '%proposal:%'`)
	if want := "general/north/proposal:" + p.Key + " review.Proposal general " + p.Key; len(starts) != 2 || starts[0] != want ||
		starts[1] != want {
		t.Errorf("got %q, want %q, which the engine takes once", starts, want)
	}
	r.decide(t, manager, r.answer(r.get(t, "P-1"), review.Reject))
	if told := all[string](t, r.db, `select target from gavel.outbox where kind = 'signal'`); len(told) != 1 ||
		told[0] != "general/north/proposal:"+p.Key {
		t.Errorf("told %v", told)
	}
	if got, err := r.Propose(t.Context(), p); err != nil || got.State != review.Rejected {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := len(all[int](t, r.db, `select 1 from gavel.outbox where kind = 'start' and target like '%proposal:%'`)); n != 2 {
		t.Errorf("%d starts: a wait begins again after the end", n)
	}
}

func TestRecordedWaitsStillReplay(t *testing.T) {
	durabletest.Replay(t, "testdata/history", durable.Workflow{Name: review.WorkflowName, Func: review.Workflow})
}

// An incompatible change is one more step before the rest.
func TestReplayCatchesAnIncompatibleWait(t *testing.T) {
	changed := func(ctx workflow.Context, in review.Input) error {
		if err := workflow.Sleep(ctx, time.Second); err != nil {
			return err
		}
		return review.Workflow(ctx, in)
	}
	err := durabletest.ReplayFile(t, "testdata/history/expired.json", durable.Workflow{Name: review.WorkflowName, Func: changed})
	if err == nil || !strings.Contains(err.Error(), "nondeterministic") {
		t.Errorf("got %v, want the replay to fail", err)
	}
}
