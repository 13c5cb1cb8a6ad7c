package durable

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
)

// StretchTime is how long an agent works on by itself: after it, a stretch begins
// nothing more and ends with what has begun.
const StretchTime = 90 * time.Second

// The kinds of step. Every activity of every application runs under one of
// these, so that how long we wait and how often we try stand in one place.
const (
	stepTimeout    = 10 * time.Second // one try of one short transaction
	outsideTimeout = 2 * time.Minute  // one try of a mail, an upload, a submission
	turnTimeout    = 6 * time.Minute  // one try of an agent's turn: a model may think for long
	stretchTimeout = StretchTime + turnTimeout

	// silence is how long a worker may be unheard of before its step is given to
	// another. A living one is heard of twice in that time, whatever it does; a
	// short step never gets that far and costs nothing.
	silence = 20 * time.Second

	// forEver bounds all tries of a step together. It must be said: left out, the
	// engine's library takes the time of one try for it, and a database that is
	// away for ten seconds would end every case that met it.
	forEver = 10 * 365 * 24 * time.Hour
)

func patience() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:    500 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    10 * time.Second,
	}
}

// Step is for short, idempotent database work between other things: a local
// activity, which costs a fraction of a normal one. It is tried for as long as
// it takes, since a case must not die of a database restart.
func Step(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    stepTimeout,
		ScheduleToCloseTimeout: forEver,
		RetryPolicy:            patience(),
	})
}

// Outside is for what is slow, paid for or beyond our walls: a normal activity,
// tried until it succeeds or fails for good.
func Outside(ctx workflow.Context) workflow.Context { return lasting(ctx, outsideTimeout) }

// Turn is for one turn of an agent: Outside, with a model's patience.
func Turn(ctx workflow.Context) workflow.Context { return lasting(ctx, turnTimeout) }

// Stretch is for an agent's turns one after the other, and what it does between them.
func Stretch(ctx workflow.Context) workflow.Context { return lasting(ctx, stretchTimeout) }

func lasting(ctx workflow.Context, timeout time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    timeout,
		ScheduleToCloseTimeout: forEver,
		HeartbeatTimeout:       silence,
		RetryPolicy:            patience(),
	})
}

// Around is what stands around every activity of a worker: its rate, its sign of
// life, and its faults told by kind.
func Around(limits map[string]*rate.Limiter) interceptor.WorkerInterceptor {
	return &steps{limits: limits}
}

type steps struct {
	interceptor.WorkerInterceptorBase
	limits map[string]*rate.Limiter // by activity name
}

func (s *steps) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &stepInbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, limits: s.limits}
}

type stepInbound struct {
	interceptor.ActivityInboundInterceptorBase
	limits map[string]*rate.Limiter
}

// ExecuteActivity waits for the activity's rate, runs it, and tells the engine
// whether trying again can help.
func (i *stepInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	defer beat(ctx)() // waiting for its turn is a sign of life, too
	if limit := i.limits[activityName(ctx)]; limit != nil {
		if err := limit.Wait(ctx); err != nil {
			return nil, err
		}
	}
	out, err := i.Next.ExecuteActivity(ctx, in)
	return out, asEngineError(err)
}

// beat lets the engine hear of a step that takes long, until the returned
// function is called.
func beat(ctx context.Context) (quiet func()) {
	info := activity.GetInfo(ctx)
	if info.IsLocalActivity || info.HeartbeatTimeout == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(info.HeartbeatTimeout / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done) }
}

// asEngineError marks faults by kind: the engine tries again only what trying
// again can mend. A plain error is an Internal one and is tried again.
func asEngineError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); !ok {
		return err
	}
	kind := fault.KindOf(err)
	text, _ := fault.Words(err)
	if kind.Retryable() {
		return temporal.NewApplicationErrorWithCause(text, kind.Code(), err)
	}
	return temporal.NewNonRetryableApplicationError(text, kind.Code(), err)
}

// FaultOf is the kind of a failed step as a workflow sees it.
func FaultOf(err error) fault.Kind {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return fault.Internal
	}
	for _, k := range fault.Kinds() {
		if k.Code() == app.Type() {
			return k
		}
	}
	return fault.Internal
}

// Attempt is how often the step that runs has been tried, this time included; 1 where
// no engine runs it.
func Attempt(ctx context.Context) int {
	if !activity.IsActivity(ctx) {
		return 1
	}
	return int(activity.GetInfo(ctx).Attempt)
}
