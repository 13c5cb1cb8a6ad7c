// Package road says which ways an audit needs and how far each was come by: what is
// known from before, what a router has to be asked, and what nobody can say.
//
// Ways are measured from the middle of the cell a home lies in, some hundred metres
// off at most. So the router never learns where somebody lives, neighbours have the
// same way, and what is found does not depend on who was asked about first.
package road

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// GoodFor is how long a measured way is believed. Roads are built slowly.
const GoodFor = 180 * 24 * time.Hour

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

// A Key is what a way is known by: the cell of the home, and the pickup to five
// decimals, which is about a metre.
type Key struct{ Home, Pickup string }

// InOrder compares keys: those of one pickup stand together.
func InOrder(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Pickup, b.Pickup), cmp.Compare(a.Home, b.Home))
}

// A Way is a way to be found, for everybody who has it.
type Way struct {
	Key      Key
	From, To fleet.Point // what the router is asked
	pairs    []location.Pair
}

// Ways are all that some homes and pickups need, each once.
type Ways struct {
	byKey map[Key]*Way
	off   int // pairs of which one is no place at all
}

// NewWays finds them.
func NewWays(pairs []location.Pair) Ways {
	w := Ways{byKey: map[Key]*Way{}}
	for _, p := range pairs {
		if !p.Home.Valid() || !p.Pickup.Valid() {
			w.off++
			continue
		}
		cell := location.CellOf(p.Home)
		to := rounded(p.Pickup)
		key := Key{cell.Name, fiveDecimals(to.Lat) + "," + fiveDecimals(to.Lng)}
		if w.byKey[key] == nil {
			w.byKey[key] = &Way{Key: key, From: cell.Middle, To: to}
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

// Keys are those of all ways, in order.
func (w Ways) Keys() []Key { return slices.SortedFunc(maps.Keys(w.byKey), InOrder) }

// Missing are the ways not known, in lots for one request each: one pickup, and no
// more homes than a request takes.
func (w Ways) Missing(known map[Key]location.Road, most int) [][]*Way {
	var lots [][]*Way
	for _, k := range w.Keys() {
		if _, ok := known[k]; ok {
			continue
		}
		last := len(lots) - 1
		if last < 0 || lots[last][0].Key.Pickup != k.Pickup || len(lots[last]) == most {
			lots, last = append(lots, nil), last+1
		}
		lots[last] = append(lots[last], w.byKey[k])
	}
	return lots
}

// Sum puts together what everybody's way is and how it was come by.
func (w Ways) Sum(known, found map[Key]location.Road, none map[Key]bool) Distances {
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
