// Package offer answers the kinder question: not whether somebody fits their
// van, but which van they would fit. A better seat settles more than a
// cancellation.
package offer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/shift"
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

// Find lists the vans of somebody's site that have a free seat and in which the
// rules would find nothing against them, the nearest pickup first. It says
// nothing about who else rides there.
func Find(book *fleet.Book, who fleet.EmployeeID, at time.Time, t Terms) []Offer {
	e, ok := book.Employee(who)
	if !ok || e.Standing == fleet.Inactive {
		return nil
	}
	ask := []check.Specialist{location.New(t.Location, t.Roads), shift.New(t.Shift)}
	var out []Offer
	for _, id := range book.Vanpools() {
		if o, ok := fits(book, e, id, at, ask); ok {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Miles, b.Miles), cmp.Compare(a.Vanpool, b.Vanpool)) })
	most := t.Most
	if most <= 0 {
		most = 3
	}
	return out[:min(len(out), most)]
}

func fits(book *fleet.Book, e *fleet.Employee, id fleet.VanpoolID, at time.Time, ask []check.Specialist) (Offer, bool) {
	van, _ := book.Vanpool(id)
	if van.Standing != fleet.Active || van.Site != e.Site || rides(van, e.ID) {
		return Offer{}, false
	}
	g, err := book.Group(id, at)
	free := van.Capacity - len(g.Riders)
	if err != nil || len(g.Riders) == 0 || free < 1 {
		return Offer{}, false
	}
	o := Offer{Vanpool: id, Seats: free, Miles: -1, Overlap: -1}
	joined := g.With(e)
	for _, s := range ask {
		v := check.Run(s, joined, check.Exceptions{})
		against := func(f check.Finding) bool { return f.Employee == e.ID || f.Employee == "" }
		if slices.ContainsFunc(v.Findings, against) {
			return Offer{}, false
		}
		o.read(v, e.ID)
	}
	return o, o.Miles >= 0 && o.Overlap >= 0 // both were really measured
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

// Words says an offer to the person it is made to.
func (o Offer) Words() string {
	return fmt.Sprintf("%s has a free seat, runs for your working hours, and its pickup is %.0f miles from your home.", o.Vanpool, o.Miles.Float())
}
