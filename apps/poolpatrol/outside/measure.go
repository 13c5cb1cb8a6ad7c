package outside

import (
	"context"
	"maps"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/road"
	"github.com/gavelhq/gavel/platform/fault"
)

// maxSplits bounds the requests about one lot some of whose places are off the
// map. Two such homes among ninety-nine are found with it.
const maxSplits = 32

// An Asking is one call's dealings with a router. A router that fails is not asked
// again in it.
type Asking struct {
	router Router
	fault  error
	none   map[road.Key]bool
}

// Ask begins one; without a router nothing is ever answered.
func Ask(router Router) *Asking { return &Asking{router: router, none: map[road.Key]bool{}} }

// Fault is how the router failed; nil where it did not.
func (a *Asking) Fault() error { return a.fault }

// None are the ways of which the router says that there is none, or one that cannot
// be.
func (a *Asking) None() map[road.Key]bool { return a.none }

// Measure asks about one lot, of one pickup. The only error is that the caller has
// gone: a router that fails leaves the lot unanswered.
func (a *Asking) Measure(ctx context.Context, lot []*road.Way) (map[road.Key]location.Road, error) {
	budget := maxSplits
	return a.measure(ctx, lot, &budget)
}

// measure asks about one lot. Where a place is off the map the router says so of
// the whole lot, and each half is asked about again: one home across the border
// must not cost its neighbours their ways.
func (a *Asking) measure(ctx context.Context, lot []*road.Way, budget *int) (map[road.Key]location.Road, error) {
	if a.router == nil || a.fault != nil {
		return nil, nil
	}
	if *budget == 0 {
		a.noWay(lot)
		return nil, nil
	}
	*budget--
	from := make([]fleet.Point, len(lot))
	for i, w := range lot {
		from[i] = w.From
	}
	table, err := a.router.Table(ctx, lot[0].To, from)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case fault.Is(err, fault.NotFound) && len(lot) > 1:
		return a.halves(ctx, lot, budget)
	case fault.Is(err, fault.NotFound):
		a.noWay(lot)
		return nil, nil
	case err == nil && len(table) != len(lot):
		err = garbled("it has not one entry for every place")
		fallthrough
	case err != nil:
		a.fault = err
		return nil, nil
	}
	return a.believe(lot, table), nil
}

func (a *Asking) halves(ctx context.Context, lot []*road.Way, budget *int) (map[road.Key]location.Road, error) {
	all := map[road.Key]location.Road{}
	for _, half := range [][]*road.Way{lot[:len(lot)/2], lot[len(lot)/2:]} {
		found, err := a.measure(ctx, half, budget)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	return all, nil
}

func (a *Asking) noWay(lot []*road.Way) {
	for _, w := range lot {
		a.none[w.Key] = true
	}
}

// believe takes what can be a way. What cannot is not kept either: a router that
// was set up wrongly is mended, and then asked again.
func (a *Asking) believe(lot []*road.Way, table []*location.Road) map[road.Key]location.Road {
	found := make(map[road.Key]location.Road, len(lot))
	for i, w := range lot {
		if r := table[i]; r != nil && (location.Pair{Home: w.From, Pickup: w.To}).Plausible(*r) {
			found[w.Key] = *r
		} else {
			a.none[w.Key] = true
		}
	}
	return found
}
