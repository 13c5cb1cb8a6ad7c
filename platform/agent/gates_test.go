package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
)

var (
	gateRuns   = flag.Int("gates", 150, "random cases through the loop in the engine's test environment")
	engineRuns = flag.Int("engine-gates", 20, "random cases on the real engine")
	gateSeed   = flag.Uint64("gates-seed", 1, "seed of the first random case")
)

// TestNoActWithoutItsApproval drives random agents, calls, gates, decisions,
// forged and repeated signals, crashes and doubled steps against what ought to
// happen: no act without its approval, none twice, none after a rejection, no
// decision applied to another call.
func TestNoActWithoutItsApproval(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.SendTimeout = gateSend })
	r.other.Break = breaks
	var next, held atomic.Uint64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= uint64(*gateRuns) || failed.Load() {
					return
				}
				if err := r.gateRun(*gateSeed + i); err != nil {
					failed.Store(true)
					t.Errorf("case %d of seed %d: %v", i, *gateSeed+i, err)
					return
				}
				if n := held.Add(1); n%progressEvery == 0 {
					fmt.Printf("%d of %d so far\n", n, *gateRuns)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("people tried: %s; %d effects\n", tallied(), len(r.other.Log()))
	fmt.Printf("gates: %d of %d random cases through the loop went as decided\n", held.Load(), *gateRuns)
}

// progressEvery so many cases, a long run says how far it is.
const progressEvery = 500

const maxTitle = 300

// gateSend is how long one effect may take.
const gateSend = 400 * time.Millisecond

// gateRun is one random case in the engine's test environment, whose clock jumps
// to whatever happens next, over a real database.
func (r *rig) gateRun(seed uint64) error {
	plot := newPlot(seed)
	for ; len(plot.script) > maxTitle; seed += 1 << 32 {
		plot = newPlot(seed + 1<<32)
	}
	c, _, err := r.Cases.Open(context.Background(), asha, casefile.Opening{App: r.app, Key: fmt.Sprintf("foreman.%d", seed),
		Title: plot.script})
	if err != nil {
		return err
	}
	w := &world{rig: r, plot: plot, caseID: c.ID}
	err = r.loop(c, &crashes{steps: r.Steps, rng: rand.New(rand.NewPCG(seed, 13))}, 60, func(signal func(name string, payload any)) {
		w.signal = signal
		w.step()
		w.deliver(signal)
	})
	if err := errors.Join(err, w.check()); err != nil {
		return fmt.Errorf("%w\nscript: %s", err, plot.script)
	}
	return nil
}

// loop carries one case in the engine's test environment, with something around its steps
// besides what is there always. Every five minutes of its clock, so many times, people get
// to do something.
func (r *rig) loop(c casefile.Case, around interceptor.WorkerInterceptor, ticks int, people func(signal func(string, any))) error {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(mute{})
	env := suite.NewTestWorkflowEnvironment()
	// On a busy machine a goroutine may well not be let run for the second after which the
	// library takes a workflow for stuck.
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 2 * time.Minute,
		Interceptors: []interceptor.WorkerInterceptor{durable.Around(nil), around}})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: r.app + "/north/" + c.Key, TaskQueue: r.app})
	env.SetStartTime(time.Now())
	env.SetTestTimeout(wait.Patience())
	work := r.Work()
	for _, wf := range work.Workflows {
		env.RegisterWorkflowWithOptions(wf.Func, workflow.RegisterOptions{Name: wf.Name})
	}
	for _, a := range work.Activities {
		env.RegisterActivity(a)
	}
	var tick func()
	tick = func() {
		people(env.SignalWorkflow)
		if ticks--; ticks > 0 {
			env.RegisterDelayedCallback(tick, 5*time.Minute)
		}
	}
	env.RegisterDelayedCallback(tick, time.Minute)
	env.ExecuteWorkflow(agenttest.WorkflowName, casefile.Input{Org: north, Case: c.ID, Procedure: casefile.Procedure})
	return env.GetWorkflowError()
}

// deliver hands over what the outbox holds for the case, some of it twice, as a
// dispatcher may.
func (w *world) deliver(signal func(name string, payload any)) {
	target := w.app + "/north/foreman." + strings.TrimSuffix(w.plot.prefix[1:], "w")
	if err := w.rig.deliver(target, func() int { return 1 + w.plot.rng.IntN(2) }, signal); err != nil {
		w.fail(err)
	}
}

// deliver hands over what the outbox holds for a workflow, each so many times.
func (r *rig) deliver(workflow string, times func() int, signal func(name string, payload any)) error {
	const take = `delete from gavel.outbox where target = $1 returning kind, payload`
	rows, _ := r.db.System.Query(context.Background(), take, workflow)
	messages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Kind    string
		Payload []byte
	}])
	if err != nil {
		return err
	}
	for _, m := range messages {
		if m.Kind != "signal" {
			continue
		}
		var s struct {
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}
		if err := json.Unmarshal(m.Payload, &s); err != nil {
			return err
		}
		for range times() {
			signal(s.Name, s.Input)
		}
	}
	return nil
}

func (w *world) enrolled() (words []string, err error) {
	err = w.db.App.InOrg(context.Background(), north, func(tx pgx.Tx) error {
		rows, _ := tx.Query(context.Background(), `select body from gavel.case_entry where case_id = $1 and kind = 'enrol'`, w.caseID)
		words, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return words, err
}

func (w *world) count(sql string, args ...any) (n int, err error) {
	err = w.db.App.InOrg(context.Background(), north, func(tx pgx.Tx) error {
		return tx.QueryRow(context.Background(), sql, args...).Scan(&n)
	})
	return n, err
}

// breaks makes some answers of the other side get lost after it did what it was
// asked, and some requests before. It goes by the word, so that a run is the
// same whenever it is run.
func breaks(e agenttest.Effect, n int) agenttest.Breakage {
	sum := 0
	for _, r := range e.Word + e.What {
		sum = sum*31 + int(r)
	}
	switch {
	case n > 1:
		return agenttest.Whole
	case sum%11 == 0:
		return agenttest.AnswerLost
	case sum%13 == 0:
		return agenttest.RequestLost
	}
	return agenttest.Whole
}

// crashes makes steps fail before they begin and after they are done, and runs
// some twice at once, as a worker that is only slow would.
type crashes struct {
	interceptor.WorkerInterceptorBase
	steps any
	mu    sync.Mutex
	rng   *rand.Rand
}

// call does a step past the engine's library, which keeps notes of its own about
// the one it runs.
func (c *crashes) call(ctx context.Context, args []any) {
	step := reflect.ValueOf(c.steps).MethodByName(activity.GetInfo(ctx).ActivityType.Name)
	if !step.IsValid() {
		return // not one of an agent's
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	step.Call(in)
}

func (c *crashes) roll(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.IntN(n) == 0
}

// InterceptActivity stands around every step.
func (c *crashes) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &crashing{interceptor.ActivityInboundInterceptorBase{Next: next}, c}
}

type crashing struct {
	interceptor.ActivityInboundInterceptorBase
	crashes *crashes
}

func (c *crashing) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if c.crashes.roll(12) {
		return nil, errors.New("the worker died before the step")
	}
	var beside sync.WaitGroup
	if c.crashes.roll(12) {
		beside.Go(func() { c.crashes.call(ctx, in.Args) })
	}
	out, err := c.Next.ExecuteActivity(ctx, in)
	if fault.Is(err, fault.Unavailable) {
		time.Sleep(gateSend) // a lease is twice as long in real time; the environment's patience, ten tries, takes none
	}
	beside.Wait()
	if c.crashes.roll(12) {
		return nil, errors.New("the worker died after the step")
	}
	return out, err
}

// mute keeps the engine's test environment quiet.
type mute struct{}

func (mute) Debug(string, ...any) {}
func (mute) Info(string, ...any)  {}
func (mute) Warn(string, ...any)  {}
func (mute) Error(string, ...any) {}

var _ log.Logger = mute{}
