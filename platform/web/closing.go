package web

import (
	"context"

	"github.com/gavelhq/gavel/platform/fault"
)

// Closing ends when the server is going away, for handlers that stream: they end
// at once, and their callers go on elsewhere.
func (s *Site) Closing() <-chan struct{} { return s.closing }

// Gone reports whether who began a stream has been signed out since, or was let in
// as somebody else: a stream asks at every beat, and ends. A database that cannot
// say so ends nothing: it could tell nobody anything either.
func (s *Site) Gone(ctx context.Context) bool {
	return s.cfg.Still != nil && fault.Is(s.cfg.Still(ctx), fault.SignIn)
}
