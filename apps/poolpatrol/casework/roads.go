package casework

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/outside"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/road"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// Roads finds the ways an audit needs: those it knows from before, and from the
// router the rest. It is safe for use by many goroutines.
type Roads struct {
	store  *store.Store
	router outside.Router
}

// NewRoads makes it. router may be nil: then what is known from before is used.
func NewRoads(s *store.Store, router outside.Router) *Roads { return &Roads{store: s, router: router} }

// For finds ways as they are known at a moment of the installation's clock. A
// router that fails is not asked again in this call, and its failure is no error:
// the check has an estimate for what is not in the table. What was measured is
// kept as it comes, so that a call which is made again goes on from there.
func (s *Roads) For(ctx context.Context, org identity.Org, at time.Time, pairs []location.Pair) (road.Distances, error) {
	all := road.NewWays(pairs)
	known, err := s.store.KnownRoads(ctx, org, at, all.Keys())
	if err != nil {
		return road.Distances{}, err
	}
	asking, found := outside.Ask(s.router), map[road.Key]location.Road{}
	for _, lot := range all.Missing(known, outside.MaxFrom) {
		fresh, err := asking.Measure(ctx, lot)
		if err != nil {
			return road.Distances{}, err
		}
		if err := s.store.KeepRoads(ctx, org, at, fresh); err != nil {
			return road.Distances{}, err
		}
		maps.Copy(found, fresh)
	}
	d := all.Sum(known, found, asking.None())
	d.Fault = asking.Fault()
	return d, nil
}

// roadsFor is what is known of the ways that an audit asks about. Where the router fails,
// the check goes by its estimate and says so.
func (a *Work) roadsFor(ctx context.Context, org identity.Org, ways []location.Pair, at time.Time) (location.Roads, error) {
	found, err := a.roads.For(ctx, org, at, ways)
	if err != nil {
		return nil, err
	}
	if found.Fault != nil {
		a.log.WarnContext(ctx, "the router fails; distances are estimated", slog.Any("error", found.Fault),
			slog.Int("ways", found.Unanswered))
	}
	return found, nil
}
