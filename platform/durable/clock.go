package durable

import (
	"encoding/json"
	"math"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Clock is the only source of now, sleeps, deadlines and printed dates. At
// Epoch it agrees with the wall clock; after it, Speed days pass in every real
// day. Rules keep their real constants (seven days are seven days) and a test
// or a demonstration turns the speed up. The zero Clock is the wall clock.
//
// A workflow is given its clock in its input, so that a case keeps the clock
// it was opened under.
type Clock struct {
	Epoch time.Time `json:"epoch,omitzero"`
	Speed float64   `json:"speed,omitzero"`
}

// MaxSpeed bounds a scaled clock: a year in half a minute.
const MaxSpeed = 1e6

// NewClock checks that a clock makes sense. Speed 1 is the wall clock, whatever
// the epoch; any other speed is only for demonstrations and tests, and the
// caller says whether this is one.
func NewClock(epoch time.Time, speed float64, scalable bool) (Clock, error) {
	switch {
	case speed == 1:
		return Clock{}, nil
	case !scalable:
		return Clock{}, fault.New(fault.Invalid, "a clock of speed %g is refused outside the modes demo and test", speed)
	case !(speed > 0 && speed <= MaxSpeed): // also catches NaN
		return Clock{}, fault.New(fault.Invalid, "a clock's speed must be over 0 and at most %g, not %g", float64(MaxSpeed), speed)
	case epoch.IsZero():
		return Clock{}, fault.New(fault.Invalid, "a scaled clock needs the moment at which it starts to differ from the wall clock")
	}
	return Clock{Epoch: epoch.UTC(), Speed: speed}, nil
}

// Scaled reports whether this clock differs from the wall clock.
func (c Clock) Scaled() bool { return c.Speed != 0 && c.Speed != 1 }

// At is the time on this clock at a moment of real time.
func (c Clock) At(real time.Time) time.Time {
	if !c.Scaled() {
		return real.UTC()
	}
	ahead := real.Sub(c.Epoch).Seconds() * c.Speed
	ahead = min(max(ahead, -farthest), farthest)
	whole := math.Floor(ahead)
	return time.Unix(c.Epoch.Unix()+int64(whole), int64(c.Epoch.Nanosecond())+int64((ahead-whole)*1e9)).UTC()
}

// farthest is how many seconds a scaled clock can be from its epoch. There it
// stands still: a demonstration left running over a year of weekends is better
// off in the year 7000 than back in 1734.
const farthest = 5000 * 365.25 * 24 * 3600.0

// Real is how long d on this clock takes.
func (c Clock) Real(d time.Duration) time.Duration {
	if !c.Scaled() {
		return d
	}
	return time.Duration(float64(d) / c.Speed)
}

// Passes is how much time passes on this clock while d passes on a watch.
func (c Clock) Passes(d time.Duration) time.Duration {
	if !c.Scaled() {
		return d
	}
	return time.Duration(min(float64(d)*c.Speed, math.MaxInt64/2))
}

// Now is the time on this clock. Workflows use In.
func (c Clock) Now() time.Time { return c.At(time.Now()) }

// In is the time on this clock in a workflow, the same on every replay.
func (c Clock) In(ctx workflow.Context) time.Time { return c.At(workflow.Now(ctx)) }

// Timer fires when this clock reaches t; at once if it has.
func (c Clock) Timer(ctx workflow.Context, t time.Time) workflow.Future {
	wait := max(c.Real(t.Sub(c.In(ctx))), 0)
	return workflow.NewTimer(ctx, wait)
}

// String is for logs and the settings page.
func (c Clock) String() string {
	if !c.Scaled() {
		return "wall clock"
	}
	text, _ := json.Marshal(c) // two plain fields cannot fail
	return string(text)
}
