package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The share of one person or token, for each server. It is there so that a loop
// gone wild does not keep others out, not as a price list.
const (
	DefaultRate  = 200  // requests a second, on and on
	DefaultBurst = 1000 // at once
	maxLimits    = 20_000
)

// limits hold back callers who ask too often. They are bounded: the ones that
// have their whole share are forgotten first.
type limits struct {
	rate  rate.Limit
	burst int

	mu  sync.Mutex
	all map[string]*rate.Limiter
}

func newLimits(perSecond float64, burst int) *limits {
	if perSecond <= 0 {
		perSecond = DefaultRate
	}
	if burst <= 0 {
		burst = DefaultBurst
	}
	return &limits{rate: rate.Limit(perSecond), burst: burst, all: map[string]*rate.Limiter{}}
}

// take counts a request and says in the answer how many are left.
func (l *limits) take(h http.Header, who identity.Actor) error {
	one := l.of(string(who.Org) + "/" + who.ID)
	allowed := one.Allow()
	left := max(0, int(one.Tokens()))
	full := int(math.Ceil(float64(l.burst-left) / float64(l.rate)))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"caller";q=%d;w=%d`, l.burst, max(1, int(math.Ceil(float64(l.burst)/float64(l.rate))))))
	h.Set("RateLimit", fmt.Sprintf(`"caller";r=%d;t=%d`, left, full))
	if allowed {
		return nil
	}
	wait := max(1, int(math.Ceil(1/float64(l.rate))))
	h.Set("Retry-After", strconv.Itoa(wait))
	return fault.New(fault.TooMany, "you sent more than %d requests, and are let through at %g a second", l.burst, float64(l.rate)).
		WithNext("wait %d s, and send fewer at a time", wait)
}

func (l *limits) of(key string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.all[key]
	if one == nil {
		if len(l.all) >= maxLimits {
			l.forget()
		}
		one = rate.NewLimiter(l.rate, l.burst)
		l.all[key] = one
	}
	return one
}

// forget lets go of everybody who has their whole share: a new limiter would say
// the same. Where that is nobody, all begin anew.
func (l *limits) forget() {
	for key, one := range l.all {
		if one.Tokens() >= float64(l.burst) {
			delete(l.all, key)
		}
	}
	if len(l.all) >= maxLimits {
		clear(l.all)
	}
}
