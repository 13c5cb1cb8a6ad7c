package madeup

import (
	"fmt"
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Town is a made-up fleet together with what is wrong in it.
type Town struct {
	fleet.Records

	Wrong []Fault // what an audit must find, in order of van
}

// A Fault is one thing that was made wrong on purpose.
type Fault struct {
	Vanpool  fleet.VanpoolID
	Employee fleet.EmployeeID
	Check    string
}

// A Plan says how large a town is and how much is wrong in it.
type Plan struct {
	Seed    uint64
	Vans    int
	Riders  int // in each van
	Percent int // of vans with exactly one thing wrong
}

// Build makes the town up. Everybody not in Wrong fits without doubt: same
// shift, five to twenty miles from the pickup, employed, in one van.
func (p Plan) Build() Town {
	r := &dice{state: p.Seed}
	t := Town{Records: fleet.Records{Taken: Now(), Shifts: []fleet.Shift{Day(), Swing(), Night()}}}
	for i := range 4 {
		s := Site()
		s.ID = fleet.SiteID(fmt.Sprintf("PLANT-%d", i+1))
		s.Name = fmt.Sprintf("Plant %d", i+1)
		s.At = &fleet.Point{Lat: 37.5 + float64(i)/4, Lng: -121.9}
		t.Sites = append(t.Sites, s)
	}
	t.Employees = make([]fleet.Employee, 0, p.Vans*p.Riders)
	t.Vanpools = make([]fleet.Vanpool, 0, p.Vans)
	for i := range p.Vans {
		p.addVan(&t, i, r)
	}
	return t
}

func (p Plan) addVan(t *Town, i int, r *dice) {
	site := t.Sites[r.under(len(t.Sites))]
	shift := t.Shifts[r.under(len(t.Shifts))].ID
	v := fleet.Vanpool{
		ID: fleet.VanpoolID(fmt.Sprintf("VP-%05d", i+1)), Site: site.ID, Pickup: site.At,
		Capacity: max(7, p.Riders+1), Standing: fleet.Active, Riders: make([]fleet.Rider, 0, p.Riders),
	}
	for range p.Riders {
		e := fleet.Employee{
			ID: Employee(1000 + len(t.Employees)), Standing: fleet.Active, Site: site.ID, Manager: "EMP-0001",
			Home:   fleet.Home{ZIP: fmt.Sprintf("9%04d", r.under(10_000)), At: around(*site.At, 5+float64(r.under(15)), r)},
			Shifts: []fleet.Assignment{{Shift: shift, From: Began()}},
		}
		t.Employees = append(t.Employees, e)
		v.Riders = append(v.Riders, fleet.Rider{Employee: e.ID, Since: Began()})
	}
	v.Coordinator = v.Riders[0].Employee
	if r.under(100) < p.Percent {
		e := &t.Employees[len(t.Employees)-1]
		t.Wrong = append(t.Wrong, Fault{v.ID, e.ID, spoil(e, shift, *site.At, r)})
	}
	t.Vanpools = append(t.Vanpools, v)
}

// spoil makes one thing about somebody wrong and says which check it is.
func spoil(e *fleet.Employee, shift fleet.ShiftID, site fleet.Point, r *dice) string {
	switch r.under(5) {
	case 0, 1:
		other := fleet.ShiftID("SHIFT_NIGHT")
		if shift == other {
			other = "SHIFT_DAY"
		}
		e.Shifts[0].Shift = other
		return "shift"
	case 2, 3:
		e.Home.At = around(site, 80+float64(r.under(200)), r)
		return "location"
	}
	e.Standing = fleet.Inactive
	return "roster"
}

// around is a point some miles from another, in a random direction.
func around(p fleet.Point, miles float64, r *dice) *fleet.Point {
	const milesPerDegree = 69.0934
	angle := float64(r.under(360)) * math.Pi / 180
	return &fleet.Point{
		Lat: p.Lat + miles*math.Sin(angle)/milesPerDegree,
		Lng: p.Lng + miles*math.Cos(angle)/(milesPerDegree*math.Cos(p.Lat*math.Pi/180)),
	}
}

// dice is a small generator (splitmix64): made-up towns need to be the same
// tomorrow, not to be hard to guess.
type dice struct{ state uint64 }

func (d *dice) under(n int) int {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}
