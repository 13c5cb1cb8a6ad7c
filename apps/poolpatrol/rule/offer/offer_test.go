package offer_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

var terms = offer.Terms{Shift: shift.Standard(), Location: location.Standard()}

// sixVans is a day van and five at night: VP-102 full, VP-103 farther, VP-104
// nearer, and two nearer still that do not run or go elsewhere.
func sixVans() fleet.Records {
	r := fleet.Records{Taken: madeup.Now(), Sites: []fleet.Site{madeup.Site()}, Shifts: []fleet.Shift{madeup.Day(), madeup.Swing(),
		madeup.Night()}}
	n := 0
	van := func(id fleet.VanpoolID, shift fleet.ShiftID, riders, capacity int, north float64) {
		at := *madeup.Site().At
		at.Lat += north
		v := fleet.Vanpool{ID: id, Site: "PLANT-1", Pickup: &at, Capacity: capacity, Standing: fleet.Active}
		for range riders {
			n++
			e := madeup.Worker(n, shift)
			r.Employees = append(r.Employees, e)
			v.Riders = append(v.Riders, fleet.Rider{Employee: e.ID})
		}
		r.Vanpools = append(r.Vanpools, v)
	}
	van("VP-101", "SHIFT_DAY", 4, 8, 0)
	van("VP-102", "SHIFT_NIGHT", 7, 7, 0.1)
	van("VP-103", "SHIFT_NIGHT", 4, 7, 0)
	van("VP-104", "SHIFT_NIGHT", 4, 7, 0.1)
	van("VP-105", "SHIFT_NIGHT", 4, 7, 0.12)
	r.Vanpools[4].Standing = fleet.Suspended
	van("VP-106", "SHIFT_NIGHT", 4, 7, 0.12)
	r.Vanpools[5].Site = "PLANT-2"
	r.Sites = append(r.Sites, fleet.Site{ID: "PLANT-2", At: madeup.Site().At})
	r.Employees[0].Shifts[0].Shift = "SHIFT_NIGHT" // EMP-0001 is in the wrong van
	return r
}

// TestABetterVanIsFoundAndTheNearestComesFirst promises offers with a free seat
// at the right hours, and none that the rules would object to.
func TestABetterVanIsFoundAndTheNearestComesFirst(t *testing.T) {
	book, err := fleet.NewBook(sixVans())
	if err != nil {
		t.Fatal(err)
	}
	index := offer.NewIndex(book, madeup.Now(), terms)
	got := index.Find("EMP-0001")
	if len(got) != 2 || got[0].Vanpool != "VP-104" || got[1].Vanpool != "VP-103" || got[0].Miles >= got[1].Miles || got[0].Overlap != 60 ||
		got[0].Seats != 3 {
		t.Errorf("got %+v", got)
	}
	if got := index.Find("EMP-0002"); len(got) != 0 {
		t.Errorf("a day worker is offered %+v", got)
	}
	if got := index.Find("EMP-7777"); got != nil {
		t.Errorf("nobody is offered %+v", got)
	}
}

// TestWhoeverTakesAnOfferIsFlaggedNoMore promises that an offer holds: in the van
// that was offered, the same rules find nothing against the rider.
func TestWhoeverTakesAnOfferIsFlaggedNoMore(t *testing.T) {
	town := madeup.Plan{Seed: 3, Vans: 60, Riders: 8, Percent: 50}.Build()
	for i := range town.Vanpools {
		town.Vanpools[i].Capacity = 12
	}
	book, err := fleet.NewBook(town.Records)
	if err != nil {
		t.Fatal(err)
	}
	taken, index := 0, offer.NewIndex(book, madeup.Now(), terms)
	for _, wrong := range town.Wrong {
		offers := index.Find(wrong.Employee)
		if len(offers) == 0 {
			continue
		}
		taken++
		moved := town.Records
		moved.Vanpools = append([]fleet.Vanpool(nil), town.Vanpools...)
		for i, v := range moved.Vanpools {
			if v.ID == offers[0].Vanpool {
				moved.Vanpools[i].Riders = append(append([]fleet.Rider(nil), v.Riders...), fleet.Rider{Employee: wrong.Employee})
			}
		}
		after, err := fleet.NewBook(moved)
		if err != nil {
			t.Fatal(err)
		}
		ask := []check.Specialist{shift.New(terms.Shift), location.New(terms.Location, nil)}
		for _, f := range audit.Of(after, offers[0].Vanpool, madeup.Now(), ask, check.Exceptions{}).Findings() {
			if f.Employee == wrong.Employee {
				t.Fatalf("%s took %s and is flagged: %+v", wrong.Employee, offers[0].Vanpool, f)
			}
		}
	}
	if taken == 0 {
		t.Error("nobody was offered anything")
	}
}
