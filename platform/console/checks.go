package console

import (
	"context"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what checking strangers' files may take from everybody else. Files wait
// in two lines, so that a small one never waits for a large one; in each, one is
// looked at at a time.
const (
	maxUnpacked  = 128 << 20       // bytes that one file may unpack to
	maxHeld      = 64 << 20        // bytes of memory for what is read as a whole
	smallFile    = 4 << 20         // bytes of a file that waits in the line of the small ones
	smallHeld    = 32 << 20        // bytes of memory for one of those
	smallOpen    = 16 << 20        // bytes that one of those may unpack to; more sends it to the other line
	perSecond    = 96 << 20        // bytes a second read and unpacked, of all files together
	checksRefill = 32 << 20        // bytes a second that come back to the server's purse
	checksPurse  = 512 << 20       // bytes in it at most
	keptForSmall = 128 << 20       // of those, that large files leave alone
	maxTurn      = time.Second     // that a file which has arrived waits for its turn
	maxCheck     = 3 * time.Second // that looking at it may take
)

// checks are the files being looked at, and what all of them have taken lately.
type checks struct {
	small, large chan struct{}

	mu    sync.Mutex
	left  int64     // bytes in the purse
	asked time.Time // when that was so

	work pacer
}

func newChecks() *checks {
	return &checks{small: make(chan struct{}, 1), large: make(chan struct{}, 1), left: checksPurse, work: pacer{rate: perSecond}}
}

func isBusy() error {
	return fault.New(fault.Unavailable, "%s", busy).WithNext("%s", busyNext).Because("verify_busy")
}

// pay takes what a file costs from the purse, or says that there is not so much.
func (c *checks) pay(cost, leave int64, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asked.IsZero() {
		back := now.Sub(c.asked).Seconds() * checksRefill
		c.left = min(checksPurse, c.left+int64(back))
	}
	c.asked = now
	if c.left-cost < leave {
		return false
	}
	c.left -= cost
	return true
}

// run looks at a file when its turn has come and the purse has enough for it.
func (c *checks) run(ctx context.Context, size int64, look func(context.Context, bundle.Limits) error) error {
	limits := bundle.Limits{Unpacked: maxUnpacked, Held: maxHeld, Pace: c.work.pace()}
	if size > smallFile {
		return c.turn(ctx, c.large, size+maxUnpacked, keptForSmall, limits, look)
	}
	few := bundle.Limits{Unpacked: smallOpen, Held: smallHeld, Pace: limits.Pace}
	err := c.turn(ctx, c.small, size+smallOpen/4, 0, few, look)
	if !fault.Is(err, fault.TooLarge) {
		return err
	}
	return c.turn(ctx, c.large, size+maxUnpacked, keptForSmall, limits, look)
}

// turn waits for a place in a line.
func (c *checks) turn(ctx context.Context, line chan struct{}, cost, leave int64, limits bundle.Limits,
	look func(context.Context, bundle.Limits) error) error {
	patience := time.NewTimer(maxTurn)
	defer patience.Stop()
	select {
	case line <- struct{}{}:
		defer func() { <-line }()
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return isBusy()
	}
	if !c.pay(cost, leave, time.Now()) {
		return isBusy()
	}
	inTime, cancel := context.WithTimeout(ctx, maxCheck)
	defer cancel()
	err := look(inTime, limits)
	if inTime.Err() != nil && ctx.Err() == nil && err != nil {
		return isBusy()
	}
	return err
}
