package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// outboxPatience is how long a message may wait before someone should look: a
// dispatcher that is well delivers within a second, or holds back a backlog
// that people should know of.
const outboxPatience = time.Minute

// Outbox checks that what was committed reaches the engine. It looks as the
// system role, the only one that sees every organisation's messages.
func Outbox(systemURL string) Check {
	return AsSystem("Outbox", "messages reach the engine", systemURL, "the outbox",
		func(ctx context.Context, sys *postgres.System) (Result, error) {
			lanes, err := outbox.Measure(ctx, sys)
			return drained(lanes), err
		})
}

// drained judges the lanes. Dead messages come first: waiting does not cure
// them.
func drained(lanes []outbox.LaneState) Result {
	var waiting, dead int64
	var oldest time.Duration
	for _, l := range lanes {
		waiting, dead, oldest = waiting+l.Waiting, dead+l.Dead, max(oldest, l.Oldest)
	}
	detail := fmt.Sprintf("%d waiting", waiting)
	if waiting > 0 {
		detail += fmt.Sprintf(", the oldest for %s", oldest.Round(time.Second))
	}
	switch {
	case dead > 0:
		return Result{Warn, fmt.Sprintf("%d can never be delivered; %s", dead, detail),
			"as " + postgres.SystemRole +
				": select id, kind, target, last_error from gavel.outbox where dead; then docs/runbook/worker-stuck.md"}
	case oldest > outboxPatience:
		return Result{Warn, detail, "make sure that Temporal answers and that a server runs (gavel serve); then " +
			"docs/runbook/worker-stuck.md"}
	}
	return Result{OK, detail, ""}
}
