package agent

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Attend does what is due by at, the workflow's own time, around a proposal that
// waits, and says how it stands and when to look again.
func (s *Steps) Attend(ctx context.Context, org identity.Org, key string, at time.Time) (review.Attended, error) {
	return s.reviews.Attend(ctx, org, key, at)
}
