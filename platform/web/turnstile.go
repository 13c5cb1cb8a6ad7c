package web

import (
	"sync"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
)

// How often one link is opened, and how often one that opens nothing: enough for a
// person, and for a scanner that follows it, too little to try with.
const (
	linkRate   = 1 // a second, on and on
	linkBurst  = 30
	strayRate  = 20 // of all strays together
	strayBurst = 200
	maxPasses  = 10_000
)

// A Turnstile holds back who opens a page without an account too often. It is
// bounded: when it is full, all begin anew. It is safe for use by many goroutines.
type Turnstile struct {
	mu     sync.Mutex
	links  map[string]*rate.Limiter
	strays *rate.Limiter
}

// NewTurnstile makes one that nobody has passed yet.
func NewTurnstile() *Turnstile {
	return &Turnstile{links: map[string]*rate.Limiter{}, strays: rate.NewLimiter(strayRate, strayBurst)}
}

// Pass counts a visit by the link it came by; empty for one that was not signed
// here or has ended. TooMany says that there were too many.
func (t *Turnstile) Pass(link string) error {
	t.mu.Lock()
	one := t.strays
	if link != "" {
		if one = t.links[link]; one == nil {
			if len(t.links) >= maxPasses {
				clear(t.links)
			}
			one = rate.NewLimiter(linkRate, linkBurst)
			t.links[link] = one
		}
	}
	t.mu.Unlock()
	if !one.Allow() {
		return fault.New(fault.TooMany, "this page was opened too often at once").WithNext("wait a minute, then open it again").
			Because("too_often")
	}
	return nil
}
