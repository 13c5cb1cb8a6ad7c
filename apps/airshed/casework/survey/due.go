package survey

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/timetable"
)

// A Turn is what the watch does next.
type Turn struct {
	At   time.Time `json:"at,omitzero"`   // when to look again; zero: when somebody wakes it
	Over bool      `json:"over,omitzero"` // the organisation has no lake here any more
}

// Due begins the scan for which it is time, and says when the next is; it does so once,
// also where the step is done again.
func (s *Steps) Due(ctx context.Context, in timetable.Input, at time.Time) (next Turn, err error) {
	v := s.surveyor
	if !v.Watches(in.Org) {
		return Turn{Over: true}, nil
	}
	next.At, err = v.store.Due(ctx, in.Org, at.UTC().Truncate(time.Microsecond))
	return next, err
}
