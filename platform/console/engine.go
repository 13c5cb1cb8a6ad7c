package console

import (
	"context"
	"sync"
	"time"
)

// A pulse remembers for a moment whether the engine answers, so that a page that
// many people open does not ask it for each of them.
type pulse struct {
	ask func(context.Context) error

	mu    sync.Mutex
	until time.Time
	away  bool
}

// How long an answer counts, and how long the engine has to give one.
const (
	pulseLasts = 3 * time.Second
	pulseWaits = 500 * time.Millisecond
)

// engineAway reports whether the engine is known not to answer: what is decided
// now is then carried out when it is back.
func (c *Console) engineAway(ctx context.Context) bool {
	p := &c.pulse
	if p.ask == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.After(p.until) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pulseWaits)
		defer cancel()
		p.away = p.ask(ctx) != nil
		p.until = time.Now().Add(pulseLasts)
	}
	return p.away
}
