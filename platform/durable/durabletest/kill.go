package durabletest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
)

// A Reaper stands around the steps of workers. It has a worker die at every moment there is:
// when it was given a step and before it has done anything, and when it has done all of it
// and before anybody hears of that. Each moment comes once.
type Reaper struct {
	interceptor.WorkerInterceptorBase

	Fails func(step string) error // what a step ends with for good, in place of being done; nil: none does

	mu    sync.Mutex
	seen  map[string]bool
	dead  chan string
	busy  int  // steps that are being done
	spare bool // nobody dies any more
}

// errKilled is what the engine hears of a worker that died. It hears it sooner than of a
// process that is gone, of which it hears nothing.
var errKilled = errors.New("killed")

// Work carries work until done says that it is over, and gives the moments at which workers
// died on the way, each as the step's name and its number in its workflow. begin makes what a
// new process has: nothing in memory outlives a death.
func (r *Reaper) Work(t testing.TB, c client.Client, begin func() durable.Work, done func() bool) (moments []string) {
	t.Helper()
	r.seen, r.dead = map[string]bool{}, make(chan string, 1000)
	late := time.After(3 * wait.Patience())
	for {
		w := r.worker(c, begin())
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		moment := r.watch(done, late)
		w.Stop()
		switch moment {
		case "":
			return moments
		case never:
			t.Fatalf("it is not over when workers have died at %v", moments)
		}
		moments = append(moments, moment)
	}
}

// never is the moment at which work is given up that does not end.
const never = "never"

// Spare lets workers live.
func (r *Reaper) Spare() *Reaper {
	r.spare = true
	return r
}

// watch waits for a death, and gives its moment; none where the work is over.
func (r *Reaper) watch(done func() bool, late <-chan time.Time) (moment string) {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case moment = <-r.dead:
			return moment
		case <-late:
			return never
		case <-look.C:
			if done() && r.idle() { // the step that ended it has come to its own end
				select {
				case moment = <-r.dead:
				default:
				}
				return moment
			}
		}
	}
}

func (r *Reaper) worker(c client.Client, work durable.Work) worker.Worker {
	w := worker.New(c, work.App, worker.Options{WorkerStopTimeout: time.Second,
		Interceptors: []interceptor.WorkerInterceptor{durable.Around(work.Limits), r}})
	for _, wf := range work.Workflows {
		w.RegisterWorkflowWithOptions(wf.Func, workflow.RegisterOptions{Name: wf.Name})
	}
	for _, a := range work.Activities {
		w.RegisterActivity(a)
	}
	return w
}

// dies reports whether a worker dies at a moment.
func (r *Reaper) dies(moment string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spare || r.seen[moment] {
		return false
	}
	r.seen[moment] = true
	r.dead <- moment
	return true
}

// began counts a step that is being done, and ended one that was.
func (r *Reaper) began() { r.count(1) }
func (r *Reaper) ended() { r.count(-1) }

func (r *Reaper) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy += n
}

// idle reports whether no step is being done.
func (r *Reaper) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy == 0
}

// InterceptActivity stands around a step.
func (r *Reaper) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &reaped{interceptor.ActivityInboundInterceptorBase{Next: next}, r}
}

type reaped struct {
	interceptor.ActivityInboundInterceptorBase
	reaper *Reaper
}

// ExecuteActivity does a step, if its worker lives to.
func (a *reaped) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	a.reaper.began()
	defer a.reaper.ended()
	info := activity.GetInfo(ctx)
	moment := info.WorkflowType.Name + " " + info.ActivityType.Name + " " + info.ActivityID
	if a.reaper.Fails != nil {
		if err := a.reaper.Fails(info.ActivityType.Name); err != nil {
			return nil, err
		}
	}
	if a.reaper.dies(moment + " before") {
		return nil, errKilled
	}
	out, err := a.Next.ExecuteActivity(ctx, in)
	if err == nil && a.reaper.dies(moment+" after") {
		return nil, errKilled
	}
	return out, err
}
