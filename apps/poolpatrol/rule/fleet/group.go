package fleet

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Group is one van with all that is known of the people in it, at one moment.
// It is what a specialist judges.
type Group struct {
	Van   Vanpool
	Site  Site
	At    time.Time
	Today Date // at the van's site

	// Week is the van's own schedule; nil where it has none. Unreadable says that
	// there is one and that its times cannot be read.
	Week       *Week
	Unreadable error

	Riders []Member // those who have not been removed, in the order of the roster

	// Brief asks only for what is wrong: a specialist may leave out the evidence that
	// somebody fits, and comes to the same label, confidence and findings.
	Brief bool

	book *Book
}

// A Member is one rider of a group.
type Member struct {
	*Employee

	Rider Rider
	Site  Site // the employee's own; the van's where they have none
}

// Group puts a van's riders together at a moment. It refuses a van that does not
// exist and a rider nobody knows. An empty roster is a group without riders.
func (b *Book) Group(id VanpoolID, at time.Time) (Group, error) {
	v := b.vanpools[id]
	if v == nil {
		return Group{}, fault.New(fault.NotFound, "vanpool %.60s", id)
	}
	site, ok := b.sites[v.Site]
	if !ok {
		return Group{}, fault.New(fault.NotFound, "site %.60s of vanpool %s", v.Site, id)
	}
	g := Group{Van: v.Vanpool, Site: site, At: at, Today: DateAt(at, site.clock()), Week: v.week, Unreadable: v.bad, book: b}
	g.Riders = make([]Member, 0, len(v.Riders))
	for _, r := range v.Riders {
		if r.Removed != 0 {
			continue
		}
		e := b.employees[r.Employee]
		if e == nil {
			return Group{}, fault.New(fault.NotFound, "employee %.60s, who rides in %s", r.Employee, id)
		}
		m := Member{Employee: e, Rider: r, Site: site}
		if own, ok := b.sites[e.Site]; ok {
			m.Site = own
		}
		g.Riders = append(g.Riders, m)
	}
	return g, nil
}

// With is the group as it would be if somebody joined it, for asking where else
// they would fit.
func (g Group) With(e *Employee) Group {
	m := Member{Employee: e, Rider: Rider{Employee: e.ID}, Site: g.Site}
	if own, ok := g.book.sites[e.Site]; ok {
		m.Site = own
	}
	riders := make([]Member, 0, len(g.Riders)+1)
	g.Riders = append(append(riders, g.Riders...), m)
	return g
}

// Shift finds a shift by id.
func (g Group) Shift(id ShiftID) (*Pattern, bool) {
	p, ok := g.book.shifts[id]
	return p, ok
}

// Zone is the clock the van runs by.
func (g Group) Zone() *time.Location { return g.Site.clock() }

// Zone is the clock the member's shift is told by.
func (m Member) Zone() *time.Location { return m.Site.clock() }

// Pickup is where riders get in: the van's own place, or the site where it has
// none. fromSite says which; the point is nil where neither is known.
func (g Group) Pickup() (at *Point, fromSite bool) {
	if p := g.Van.Pickup; p != nil && p.Valid() {
		return p, false
	}
	if p := g.Site.At; p != nil && p.Valid() {
		return p, true
	}
	return nil, true
}
