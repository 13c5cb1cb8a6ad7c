package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/time/rate"
)

// Work is what one application brings to the engine. Its name is its task
// queue: workflows, turns and acts of an application share one queue, because
// a step handed straight to the worker that asked for it costs half.
type Work struct {
	App        string
	Workflows  []Workflow
	Activities []any                    // pointers to structs; their methods are the activities
	Limits     map[string]*rate.Limiter // rate of an activity in this process, by method name
}

// A Workflow is registered under a name that never changes, so that moving or
// renaming the function does not strand the cases that run it.
type Workflow struct {
	Name string
	Func any
}

// Version pins a running case to the code it started with. The zero Version
// lets any worker take any case; an installation that has once pinned goes on
// pinning, since the engine sends new cases to the current build only.
type Version struct {
	Deployment string // the same for all workers of an installation
	BuildID    string // differs between builds
	Current    bool   // from now on new cases go to this build; the first build gets them anyway
}

// Pinned reports whether cases stay with the build that began them.
func (v Version) Pinned() bool { return v.BuildID != "" }

// Limits of one worker process. Sixteen pollers, because the engine's own
// default of two makes the slowest hundredth of steps wait for seconds.
const (
	pollers     = 16
	stopTimeout = 20 * time.Second
	stickyCache = 10_000
)

// Run carries the work of each application until the context ends, then lets
// running steps finish. It waits for the engine to be healthy first.
func Run(ctx context.Context, c client.Client, v Version, logger *slog.Logger, work ...Work) error {
	if err := carry(ctx, c, v, logger, work); ctx.Err() == nil {
		return err
	}
	return nil
}

func carry(ctx context.Context, c client.Client, v Version, logger *slog.Logger, work []Work) error {
	worker.SetStickyWorkflowCacheSize(stickyCache)
	var running []worker.Worker
	defer func() {
		for _, w := range running {
			w.Stop()
		}
	}()
	failed := make(chan error, len(work))
	for _, app := range work {
		w := newWorker(c, v, app, failed)
		if err := start(ctx, w, logger, app.App); err != nil {
			return err
		}
		running = append(running, w)
	}
	if v.Pinned() {
		if err := makeCurrent(ctx, c, v, logger); err != nil {
			return err
		}
	}
	if build, err := CurrentBuild(ctx, c, v.Deployment); err == nil && build != v.BuildID {
		logger.WarnContext(ctx, "new cases go to another build", "theirs", build, "ours", v.BuildID)
	}
	for _, app := range work {
		if !awaitSeen(ctx, c, app.App) && ctx.Err() == nil {
			logger.WarnContext(ctx, "the engine does not list this worker yet", "app", app.App)
		}
	}
	logger.InfoContext(ctx, "worker ready", "apps", len(work), "build", v.BuildID)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// start retries: the frontend may still be coming up.
func start(ctx context.Context, w worker.Worker, logger *slog.Logger, app string) error {
	for {
		err := w.Start()
		if err == nil {
			return nil
		}
		logger.WarnContext(ctx, "the worker cannot start yet", "app", app, "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(time.Second):
		}
	}
}

// seenWithin is how long a worker that polls may stay unlisted before it is called
// ready all the same.
const seenWithin = 10 * time.Second

// awaitSeen reports whether the engine lists this process among those that ask a
// queue for work. Until it does, whoever looks is told that nobody works the queue.
func awaitSeen(ctx context.Context, c client.Client, queue string) bool {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	for {
		answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
		if err == nil && slices.ContainsFunc(answer.GetPollers(),
			func(p *taskqueue.PollerInfo) bool { return p.GetIdentity() == identity() }) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// identity is the name of this process at the engine: its id and its machine.
func identity() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%d@%s", os.Getpid(), host)
}

func newWorker(c client.Client, v Version, work Work, failed chan<- error) worker.Worker {
	atMost := worker.NewPollerBehaviorSimpleMaximum(worker.PollerBehaviorSimpleMaximumOptions{MaximumNumberOfPollers: pollers})
	o := worker.Options{
		Identity:                   identity(),
		WorkflowTaskPollerBehavior: atMost,
		ActivityTaskPollerBehavior: atMost,
		WorkerStopTimeout:          stopTimeout,
		Interceptors:               []interceptor.WorkerInterceptor{Around(work.Limits)},
		OnFatalError:               func(err error) { failed <- fmt.Errorf("worker of %s: %w", work.App, err) },
	}
	if v.Pinned() {
		o.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning:             true,
			Version:                   worker.WorkerDeploymentVersion{DeploymentName: v.Deployment, BuildID: v.BuildID},
			DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		}
	}
	w := worker.New(c, work.App, o)
	for _, wf := range work.Workflows {
		w.RegisterWorkflowWithOptions(wf.Func, workflow.RegisterOptions{Name: wf.Name})
	}
	for _, a := range work.Activities {
		w.RegisterActivity(a)
	}
	return w
}

// makeCurrent sends new cases to this build, if that is asked for or no build
// has them yet: an old build's worker that is started again, to finish its own
// cases, must not take the new ones back. The deployment appears at the engine a
// moment after its first worker polls, so this is tried until it is there.
func makeCurrent(ctx context.Context, c client.Client, v Version, logger *slog.Logger) error {
	handle := c.WorkerDeploymentClient().GetHandle(v.Deployment)
	for {
		current, err := CurrentBuild(ctx, c, v.Deployment)
		if err == nil && (current == v.BuildID || current != "" && !v.Current) {
			return nil
		}
		if err == nil {
			_, err = handle.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: v.BuildID})
		}
		if err == nil {
			return nil
		}
		logger.DebugContext(ctx, "the engine does not know this build yet", "build", v.BuildID, "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// CurrentBuild is the build that new cases go to; empty when none was ever
// pinned, and then any worker takes them.
func CurrentBuild(ctx context.Context, c client.Client, deployment string) (string, error) {
	d, err := c.WorkerDeploymentClient().GetHandle(deployment).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if err != nil || d.Info.RoutingConfig.CurrentVersion == nil {
		return "", err
	}
	return d.Info.RoutingConfig.CurrentVersion.BuildID, nil
}

func activityName(ctx context.Context) string { return activity.GetInfo(ctx).ActivityType.Name }
