package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Book finds the things of one snapshot by their ids. It does not change.
type Book struct {
	taken     time.Time
	sites     map[SiteID]Site
	shifts    map[ShiftID]*Pattern
	employees map[EmployeeID]*Employee
	vanpools  map[VanpoolID]*van
	order     []VanpoolID
}

// A Pattern is a shift with its week, or with the reason why it has none.
type Pattern struct {
	Shift

	Week       Week
	Hours      string // Week in words
	Unreadable error  // the slots cannot be read; Week is empty
}

type van struct {
	Vanpool

	week *Week
	bad  error
}

// MaxRiders bounds one van. The largest vehicles of the programmes we know seat 15.
const MaxRiders = 100

// NewBook checks the ids of records and how they hang together. A shift whose
// times cannot be read is kept: it is the rider's check that says so. A rider
// who is not among the employees is kept too; Group refuses that van alone, so
// that one bad row does not stop the audit of all.
func NewBook(r Records) (*Book, error) {
	b := &Book{
		taken: r.Taken,
		sites: make(map[SiteID]Site, len(r.Sites)), shifts: make(map[ShiftID]*Pattern, len(r.Shifts)),
		employees: make(map[EmployeeID]*Employee, len(r.Employees)), vanpools: make(map[VanpoolID]*van, len(r.Vanpools)),
	}
	for _, s := range r.Sites {
		if _, err := ParseSite(string(s.ID)); err != nil {
			return nil, err
		}
		b.sites[s.ID] = s
	}
	for _, s := range r.Shifts {
		if _, err := ParseShift(string(s.ID)); err != nil {
			return nil, err
		}
		w, err := ReadWeek(s.Slots)
		b.shifts[s.ID] = &Pattern{Shift: s, Week: w, Hours: w.Hours(), Unreadable: err}
	}
	for i := range r.Employees {
		e := &r.Employees[i]
		if _, err := ParseEmployee(string(e.ID)); err != nil {
			return nil, err
		}
		b.employees[e.ID] = e
	}
	if len(b.sites) != len(r.Sites) || len(b.shifts) != len(r.Shifts) || len(b.employees) != len(r.Employees) {
		return nil, fault.New(fault.Invalid, "a site, shift or employee is listed twice")
	}
	return b, b.addVanpools(r.Vanpools)
}

func (b *Book) addVanpools(all []Vanpool) error {
	for _, v := range all {
		if _, err := ParseVanpool(string(v.ID)); err != nil {
			return err
		}
		if b.vanpools[v.ID] != nil {
			return fault.New(fault.Invalid, "vanpool %s is listed twice", v.ID)
		}
		if len(v.Riders) > MaxRiders {
			return fault.New(fault.TooLarge, "vanpool %s has %d riders, more than %d", v.ID, len(v.Riders), MaxRiders)
		}
		kept := &van{Vanpool: v}
		if len(v.Schedule) > 0 {
			w, err := ReadWeek(v.Schedule)
			kept.week, kept.bad = &w, err
		}
		b.vanpools[v.ID] = kept
	}
	b.order = slices.Sorted(maps.Keys(b.vanpools))
	return nil
}

// Taken is when the snapshot was taken.
func (b *Book) Taken() time.Time { return b.taken }

// Vanpools lists the ids of all vans in order.
func (b *Book) Vanpools() []VanpoolID { return slices.Clone(b.order) }

// Vanpool is one van as it was recorded.
func (b *Book) Vanpool(id VanpoolID) (Vanpool, bool) {
	v := b.vanpools[id]
	if v == nil {
		return Vanpool{}, false
	}
	return v.Vanpool, true
}

// Employee finds somebody by id. The value is the book's own and must not be
// changed.
func (b *Book) Employee(id EmployeeID) (*Employee, bool) {
	e, ok := b.employees[id]
	return e, ok
}

// Memberships says in which running vans each employee rides, in order of van.
func (b *Book) Memberships() map[EmployeeID][]VanpoolID {
	in := make(map[EmployeeID][]VanpoolID, len(b.employees))
	seats := make([]VanpoolID, 0, len(b.employees)) // nearly everybody has one: these are parts of one list
	for _, id := range b.order {
		v := b.vanpools[id]
		if v.Standing != Active {
			continue
		}
		for _, r := range v.Riders {
			switch others := in[r.Employee]; {
			case r.Removed != 0:
			case others != nil:
				in[r.Employee] = append(others, id)
			default:
				n := len(seats)
				seats = append(seats, id)
				in[r.Employee] = seats[n : n+1 : n+1]
			}
		}
	}
	return in
}
