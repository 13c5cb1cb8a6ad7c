package watch

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Workflow has all districts of an organisation looked at when it is time. It lives as long as the organisation; while it is paused
// it waits to be woken.
func Workflow(ctx workflow.Context, in timetable.Input) error {
	var steps *Steps
	return timetable.Keep(ctx, in, Workflow, func(ctx workflow.Context, at time.Time) (time.Time, bool, error) {
		var turn store.Turn
		if err := workflow.ExecuteLocalActivity(ctx, steps.Due, in, at).Get(ctx, &turn); err != nil {
			return time.Time{}, false, err
		}
		if turn.Over || turn.Due.IsZero() {
			return turn.Next, turn.Over, nil
		}
		err := workflow.ExecuteActivity(durable.Turn(ctx), steps.LookAtAll, in, turn).Get(ctx, nil)
		return turn.Next, false, err
	})
}

// Steps are the activities of the watch.
type Steps struct{ watcher *Watcher }

// Due says whether it is time.
func (s *Steps) Due(ctx context.Context, in timetable.Input, at time.Time) (store.Turn, error) {
	return s.watcher.store.Due(ctx, in.Org, at.UTC().Truncate(time.Microsecond))
}

// LookAtAll looks at all districts. What cannot be looked at now, and would not be better a second time, is told to operators; the
// watch goes on with the next turn.
func (s *Steps) LookAtAll(ctx context.Context, in timetable.Input, t store.Turn) (Seen, error) {
	seen, err := s.watcher.Look(ctx, in.Org, t.Due, t.Freeze)
	kind := fault.KindOf(err)
	if err == nil || ctx.Err() != nil || kind.Retryable() || kind == fault.Internal && durable.Attempt(ctx) < hopeful {
		return seen, err
	}
	s.watcher.log.ErrorContext(ctx, "the districts could not be looked at", slog.String("org", string(in.Org)), slog.Any("error", err))
	return seen, nil
}

// hopeful is how often a look is tried whose fault may be ours and pass by itself.
const hopeful = 10
