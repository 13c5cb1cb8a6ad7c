package planted

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"example.test/planted/clock"
)

func Looks(ctx workflow.Context) time.Time { // want "example.test/planted.Looks is non-deterministic, reason: calls non-deterministic function time.Now"
	return time.Now()
}

func Ranges(ctx workflow.Context, of map[string]int) (sum int) { // want "example.test/planted.Ranges is non-deterministic, reason: iterates over map"
	for _, n := range of {
		sum += n
	}
	return sum
}

func Asks(ctx workflow.Context) int { // want "calls non-deterministic function example.test/planted/clock.Hour"
	return clock.Hour()
}

func Behaves(ctx workflow.Context) int { return clock.Noon() }

// NoWorkflow may look at the clock.
func NoWorkflow() time.Time { return time.Now() }
