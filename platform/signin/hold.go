package signin

import (
	"net/http"
	"sync"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
)

// How often codes may be tried and terminals begun, for each server. Who floods
// uses up a share of their own and keeps nobody else out; all together are bounded
// so that who comes from many addresses cannot try a code's 40 bits either: in the
// ten minutes that one lasts it would be found once in a million times.
const (
	codesPerSecond = 5
	codesAtOnce    = 20
	codesInAll     = 100 // a second

	terminalsPerSecond = 0.2 // of one stranger; a terminal waits ten minutes, so 120 wait at most
	terminalsAtOnce    = 10
	terminalsInAll     = 20

	mostHeld = 10_000 // whose shares are remembered
)

// shares hold back those who do something too often, each by themselves and all
// together.
type shares struct {
	each  rate.Limit
	burst int
	all   *rate.Limiter

	mu    sync.Mutex
	known map[string]*rate.Limiter
}

func newShares(each rate.Limit, burst int, inAll rate.Limit) *shares {
	return &shares{each: each, burst: burst, all: rate.NewLimiter(inAll, max(burst, int(inAll))), known: map[string]*rate.Limiter{}}
}

// take refuses who has used up their share, before they use up any of everybody's.
func (s *shares) take(who string) error {
	if !s.of(who).Allow() || !s.all.Allow() {
		return fault.New(fault.TooMany, "too many codes are being tried").WithNext("wait a moment").Because("codes_tried")
	}
	return nil
}

// of is somebody's own share. When too many are remembered, those who have their
// whole share are forgotten, to whom a new one would say the same; where that is
// nobody, all are.
func (s *shares) of(who string) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.known[who]
	if one != nil {
		return one
	}
	if len(s.known) >= mostHeld {
		for key, l := range s.known {
			if l.Tokens() >= float64(s.burst) {
				delete(s.known, key)
			}
		}
		if len(s.known) >= mostHeld {
			clear(s.known)
		}
	}
	one = rate.NewLimiter(s.each, s.burst)
	s.known[who] = one
	return one
}

// asker is who is signed in, by the name their share has.
func asker(r *http.Request) string {
	a := From(r.Context())
	return string(a.Org) + "/" + a.ID
}
