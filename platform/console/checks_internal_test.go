package console

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestStrangersShareOnePurse promises that large files cannot take what small ones
// need, and that what was taken comes back with time.
func TestStrangersShareOnePurse(t *testing.T) {
	c, now := newChecks(), time.Unix(0, 0)
	large := 0
	for c.pay(64<<20+maxUnpacked, keptForSmall, now) {
		large++
	}
	if large == 0 || large > 4 {
		t.Errorf("%d large files were paid for at once, want some and few", large)
	}
	small := 0
	for range 20 {
		if c.pay(1<<20, 0, now) {
			small++
		}
	}
	if small != 20 {
		t.Errorf("%d of 20 small files were paid for beside them", small)
	}
	if !c.pay(64<<20+maxUnpacked, keptForSmall, now.Add(time.Minute)) {
		t.Error("a minute later there is still nothing for a large file")
	}
}

// TestAPageThatIsBusySaysSo promises 503 and another try to who comes while a file is
// looked at, and that a small file does not wait for a large one.
func TestAPageThatIsBusySaysSo(t *testing.T) {
	c := newChecks()
	began, end := make(chan struct{}), make(chan struct{})
	go func() {
		_ = c.run(context.Background(), 64<<20, func(context.Context, bundle.Limits) error { close(began); <-end; return nil })
	}()
	<-began
	defer close(end)
	never := func(context.Context, bundle.Limits) error { return errors.New("it was looked at") }
	if err := c.run(t.Context(), 64<<20, never); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the second large file got %v, want that the page is busy", err)
	}
	if err := c.run(t.Context(), 64<<10, func(context.Context, bundle.Limits) error { return nil }); err != nil {
		t.Errorf("a small file beside a large one got %v", err)
	}
}

// TestALookHasAnEnd promises that a file which takes too long is let go.
func TestALookHasAnEnd(t *testing.T) {
	err := newChecks().run(t.Context(), 1, func(ctx context.Context, _ bundle.Limits) error { <-ctx.Done(); return ctx.Err() })
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want that the page is busy", err)
	}
}

// TestChecksRest promises that all checks together read no faster than they may.
func TestChecksRest(t *testing.T) {
	p, now := &pacer{rate: perSecond}, time.Unix(0, 0)
	var waited time.Duration
	for range 2 * perSecond / pieceOfWork {
		waited = max(waited, p.rest(pieceOfWork, now))
	}
	if waited < 1900*time.Millisecond {
		t.Errorf("two seconds' work waits %v", waited)
	}
}
