// Package offer answers the kinder question: not whether somebody fits their
// van, but which van they would fit. A better seat settles more than a
// cancellation.
package offer

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

// An Offer is a van somebody would fit.
type Offer struct {
	Vanpool fleet.VanpoolID `json:"vanpool_id"`
	Miles   fleet.Miles     `json:"distance_miles"`  // from home to its pickup
	Overlap int             `json:"overlap_minutes"` // of the commutes
	Seats   int             `json:"free_seats"`
}

// Terms are what an offer is measured by: the same rules that found the trouble.
type Terms struct {
	Shift    shift.Policy
	Location location.Policy
	Roads    location.Roads // may be nil
	Most     int            // how many offers are given; 0 is three
}

// An Index finds offers for many people at one moment.
type Index struct {
	book  *fleet.Book
	at    time.Time
	terms Terms
	ask   []check.Specialist
	sites map[fleet.SiteID][]seats
}

// seats is a running van with a free seat.
type seats struct {
	van    fleet.VanpoolID
	pickup fleet.Point
	free   int
	line   float64 // from the home that is asked about
}

// NewIndex looks once at every van: which have a free seat, and where people get in.
func NewIndex(book *fleet.Book, at time.Time, t Terms) *Index {
	x := &Index{book: book, at: at, terms: t, ask: []check.Specialist{location.New(t.Location, t.Roads), shift.New(t.Shift)},
		sites: map[fleet.SiteID][]seats{}}
	for _, id := range book.Vanpools() {
		if v, _ := book.Vanpool(id); v.Standing != fleet.Active {
			continue
		}
		g, err := book.Group(id, at)
		if err != nil || len(g.Riders) == 0 || len(g.Riders) >= g.Van.Capacity {
			continue
		}
		if pickup, _ := g.Pickup(); pickup != nil {
			x.sites[g.Van.Site] = append(x.sites[g.Van.Site], seats{van: id, pickup: *pickup, free: g.Van.Capacity - len(g.Riders)})
		}
	}
	return x
}

// tried is how many vans are looked at closely for one person, the nearest first.
// Whoever fits none of so many is offered none: without an end, everybody whose
// shift is not known would be held against every van there is.
const tried = 200

// snap is by how much a measured way may be shorter than the straight line, in
// miles: routers begin at the nearest road.
const snap = 0.5

// Find lists the vans of somebody's site that have a free seat and in which the
// rules would find nothing against them, the nearest pickup first. It says
// nothing about who else rides there.
func (x *Index) Find(who fleet.EmployeeID) []Offer {
	e, ok := x.book.Employee(who)
	if !ok || e.Standing == fleet.Inactive || e.Home.At == nil || !e.Home.At.Valid() {
		return nil
	}
	most := x.terms.Most
	if most <= 0 {
		most = 3
	}
	var out []Offer
	for _, s := range x.near(e) {
		// All that follow are as far or farther.
		if len(out) >= most && fleet.ToMiles(max(s.line-snap, 0)) > out[most-1].Miles {
			break
		}
		if o, ok := x.fits(e, s); ok {
			out = append(out, o)
			slices.SortFunc(out, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Miles, b.Miles), cmp.Compare(a.Vanpool, b.Vanpool)) })
		}
	}
	return out[:min(len(out), most)]
}

// near are the vans of somebody's site that are not too far, by the straight line,
// the nearest first, and so many as are tried.
func (x *Index) near(e *fleet.Employee) []seats {
	var all []seats
	for _, s := range x.sites[e.Site] {
		if s.line = location.Haversine(*e.Home.At, s.pickup); !x.terms.Location.TooFar(e.Home, s.pickup) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b seats) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.van, b.van)) })
	return all[:min(len(all), tried)]
}

// fits asks the rules about the van as it would be with one rider more.
func (x *Index) fits(e *fleet.Employee, s seats) (Offer, bool) {
	g, err := x.book.Group(s.van, x.at)
	if err != nil || rides(g.Van, e.ID) {
		return Offer{}, false
	}
	joined := g.With(e)
	for _, joined.Brief = range []bool{true, false} { // most do not fit, which is told without evidence
		o := Offer{Vanpool: s.van, Seats: s.free, Miles: -1, Overlap: -1}
		for _, ask := range x.ask {
			v := check.Run(ask, joined, check.Exceptions{})
			if slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Employee == e.ID || f.Employee == "" }) {
				return Offer{}, false
			}
			o.read(v, e.ID)
		}
		if !joined.Brief {
			return o, o.Miles >= 0 && o.Overlap >= 0 // both were really measured
		}
	}
	return Offer{}, false
}

func (o *Offer) read(v check.Verdict, who fleet.EmployeeID) {
	for _, e := range v.Evidence() {
		if e.Data.Text("employee_id") != string(who) {
			continue
		}
		if m, ok := e.Data.Get("distance_miles").(fleet.Miles); ok {
			o.Miles = m
		}
		if n, ok := e.Data.Get("overlap_minutes").(int); ok {
			o.Overlap = n
		}
	}
}

func rides(v fleet.Vanpool, who fleet.EmployeeID) bool {
	return slices.ContainsFunc(v.Riders, func(r fleet.Rider) bool { return r.Employee == who && r.Removed == 0 })
}
