package poolpatrol

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// RoadsGoodFor is how long a measured way is believed. Roads are built slowly.
const RoadsGoodFor = 180 * 24 * time.Hour

// Roads finds the ways an audit needs: those it knows from before, and from the
// router the rest. It is safe for use by many goroutines.
//
// Ways are measured from the middle of the cell a home lies in, some hundred
// metres off at most. So the router never learns where somebody lives, neighbours
// have the same way, and what is found does not depend on who was asked about
// first.
type Roads struct {
	db     *postgres.DB
	router Router
}

// NewRoads makes it. router may be nil: then what is known from before is used.
func NewRoads(db *postgres.DB, router Router) *Roads { return &Roads{db: db, router: router} }

// Distances are the ways one pass of audits works with, and how they were come by:
// the four numbers are ways and add up to those that were wanted.
type Distances struct {
	location.Table

	Kept       int   // known from before
	Measured   int   // by the router, now
	None       int   // the router says that there is no way, or one that cannot be
	Unanswered int   // no router, or it failed
	Fault      error // how it failed; nil where it did not, or there is none
}

// For finds ways as they are known at a moment of the installation's clock. A
// router that fails is not asked again in this call, and its failure is no error:
// the check has an estimate for what is not in the table. What was measured is
// kept as it comes, so that a call which is made again goes on from there.
func (s *Roads) For(ctx context.Context, org identity.Org, at time.Time, pairs []location.Pair) (Distances, error) {
	all := newWays(pairs)
	known, err := s.known(ctx, org, at, all.keys())
	if err != nil {
		return Distances{}, err
	}
	a := asking{router: s.router, none: map[wayKey]bool{}}
	found := map[wayKey]location.Road{}
	for _, lot := range all.missing(known) {
		budget := maxSplits
		fresh, err := a.measure(ctx, lot, &budget)
		if err != nil {
			return Distances{}, err
		}
		if err := s.keep(ctx, org, at, fresh); err != nil {
			return Distances{}, err
		}
		maps.Copy(found, fresh)
	}
	d := all.sum(known, found, a.none)
	d.Fault = a.fault
	return d, nil
}

// maxSplits bounds the requests about one lot some of whose places are off the
// map. Two such homes among ninety-nine are found with it.
const maxSplits = 32

// asking is one call's dealings with the router.
type asking struct {
	router Router
	fault  error
	none   map[wayKey]bool
}

// measure asks about one lot. Where a place is off the map the router says so of
// the whole lot, and each half is asked about again: one home across the border
// must not cost its neighbours their ways. The only error is that the caller has
// gone.
func (a *asking) measure(ctx context.Context, lot []*way, budget *int) (map[wayKey]location.Road, error) {
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
		from[i] = w.from
	}
	table, err := a.router.Table(ctx, lot[0].to, from)
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

func (a *asking) halves(ctx context.Context, lot []*way, budget *int) (map[wayKey]location.Road, error) {
	all := map[wayKey]location.Road{}
	for _, half := range [][]*way{lot[:len(lot)/2], lot[len(lot)/2:]} {
		found, err := a.measure(ctx, half, budget)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	return all, nil
}

func (a *asking) noWay(lot []*way) {
	for _, w := range lot {
		a.none[w.key] = true
	}
}

// believe takes what can be a way. What cannot is not kept either: a router that
// was set up wrongly is mended, and then asked again.
func (a *asking) believe(lot []*way, table []*location.Road) map[wayKey]location.Road {
	found := make(map[wayKey]location.Road, len(lot))
	for i, w := range lot {
		if r := table[i]; r != nil && (location.Pair{Home: w.from, Pickup: w.to}).Plausible(*r) {
			found[w.key] = *r
		} else {
			a.none[w.key] = true
		}
	}
	return found
}

// A wayKey is what a way is known by: the cell of the home, and the pickup to five
// decimals, which is about a metre.
type wayKey struct{ home, pickup string }

// A way is a way to be found, for everybody who has it.
type way struct {
	key      wayKey
	from, to fleet.Point // what the router is asked
	pairs    []location.Pair
}

type ways struct {
	byKey map[wayKey]*way
	off   int // pairs of which one is no place at all
}

func newWays(pairs []location.Pair) ways {
	w := ways{byKey: map[wayKey]*way{}}
	for _, p := range pairs {
		if !p.Home.Valid() || !p.Pickup.Valid() {
			w.off++
			continue
		}
		cell := location.CellOf(p.Home)
		to := rounded(p.Pickup)
		key := wayKey{cell.Name, fiveDecimals(to.Lat) + "," + fiveDecimals(to.Lng)}
		if w.byKey[key] == nil {
			w.byKey[key] = &way{key: key, from: cell.Middle, to: to}
		}
		w.byKey[key].pairs = append(w.byKey[key].pairs, p)
	}
	return w
}

// rounded is the place a key names.
func rounded(p fleet.Point) fleet.Point {
	return fleet.Point{Lat: math.Round(p.Lat*1e5) / 1e5, Lng: math.Round(p.Lng*1e5) / 1e5}
}

func fiveDecimals(f float64) string { return strconv.FormatFloat(f, 'f', 5, 64) }

func (w ways) keys() []wayKey { return slices.SortedFunc(maps.Keys(w.byKey), inOrder) }

func inOrder(a, b wayKey) int {
	return cmp.Or(cmp.Compare(a.pickup, b.pickup), cmp.Compare(a.home, b.home))
}

// missing are the ways not known, in lots for one request each: one pickup, and no
// more homes than a request takes.
func (w ways) missing(known map[wayKey]location.Road) [][]*way {
	var lots [][]*way
	for _, k := range w.keys() {
		if _, ok := known[k]; ok {
			continue
		}
		last := len(lots) - 1
		if last < 0 || lots[last][0].key.pickup != k.pickup || len(lots[last]) == MaxFrom {
			lots, last = append(lots, nil), last+1
		}
		lots[last] = append(lots[last], w.byKey[k])
	}
	return lots
}

// sum puts together what everybody's way is and how it was come by.
func (w ways) sum(known, found map[wayKey]location.Road, none map[wayKey]bool) Distances {
	d := Distances{Table: location.Table{}, None: w.off}
	for key, way := range w.byKey {
		r, kept := known[key]
		switch fresh, measured := found[key]; {
		case kept:
			d.Kept += len(way.pairs)
		case measured:
			r = fresh
			d.Measured += len(way.pairs)
		case none[key]:
			d.None += len(way.pairs)
			continue
		default:
			d.Unanswered += len(way.pairs)
			continue
		}
		for _, p := range way.pairs {
			d.Table[p] = r
		}
	}
	return d
}
