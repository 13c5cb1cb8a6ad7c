package offer_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

// everyVan is the plain way to find offers: everybody against every van, in full.
func everyVan(book *fleet.Book, who fleet.EmployeeID, t offer.Terms) (out []offer.Offer) {
	e, ok := book.Employee(who)
	if !ok || e.Standing == fleet.Inactive {
		return nil
	}
	for _, id := range book.Vanpools() {
		van, _ := book.Vanpool(id)
		g, err := book.Group(id, madeup.Now())
		in := func(r fleet.Rider) bool { return r.Employee == who }
		if err != nil || van.Standing != fleet.Active || van.Site != e.Site || len(g.Riders) == 0 || len(g.Riders) >= van.Capacity ||
			slices.ContainsFunc(van.Riders, in) {
			continue
		}
		o, fits := offer.Offer{Vanpool: id, Seats: van.Capacity - len(g.Riders), Miles: -1, Overlap: -1}, true
		for _, s := range []check.Specialist{location.New(t.Location, t.Roads), shift.New(t.Shift)} {
			v := check.Run(s, g.With(e), check.Exceptions{})
			for _, f := range v.Findings {
				fits = fits && f.Employee != who && f.Employee != ""
			}
			for _, ev := range v.Evidence() {
				if ev.Data.Text("employee_id") != string(who) {
					continue
				}
				if m, ok := ev.Data.Get("distance_miles").(fleet.Miles); ok {
					o.Miles = m
				}
				if n, ok := ev.Data.Get("overlap_minutes").(int); ok {
					o.Overlap = n
				}
			}
		}
		if fits && o.Miles >= 0 && o.Overlap >= 0 {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b offer.Offer) int {
		return cmp.Or(cmp.Compare(a.Miles, b.Miles), cmp.Compare(a.Vanpool, b.Vanpool))
	})
	return out[:min(len(out), t.Most)]
}

// TestAnIndexFindsWhatLookingAtEveryVanFinds promises that being quick changes no
// offer: in made-up towns with vans of all sizes, pickups all over the place, gaps in
// the records and measured roads, the index answers as everybody against every van.
func TestAnIndexFindsWhatLookingAtEveryVanFinds(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		plan := madeup.Plan{Seed: rapid.Uint64().Draw(t, "seed"), Vans: rapid.IntRange(1, 60).Draw(t, "vans"), Riders: rapid.IntRange(1, 6).
			Draw(t, "riders"), Percent: 60}
		town := plan.Build()
		roads := location.Table{}
		for i := range town.Vanpools {
			v := &town.Vanpools[i]
			v.Capacity = rapid.IntRange(0, 9).Draw(t, "capacity")
			v.Standing = rapid.SampledFrom([]fleet.Standing{fleet.Active, fleet.Active, fleet.Active, fleet.Suspended}).Draw(t, "standing")
			at := *v.Pickup
			at.Lat += float64(rapid.IntRange(-12, 12).Draw(t, "north")) / 20
			v.Pickup = &at
			if rapid.IntRange(0, 9).Draw(t, "scheduled") == 0 {
				v.Schedule = madeup.Night().Slots
			}
		}
		for i := range town.Employees {
			switch e := &town.Employees[i]; rapid.IntRange(0, 19).Draw(t, "gap") {
			case 0:
				e.Home.At = nil
			case 1:
				e.Shifts = nil
			case 2:
				e.Site = ""
			case 3:
				e.Standing = fleet.OnLeave
			}
		}
		book, err := fleet.NewBook(town.Records)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range town.Employees[:min(len(town.Employees), 20)] {
			for _, v := range town.Vanpools {
				if e.Home.At != nil && rapid.IntRange(0, 3).Draw(t, "measured") == 0 {
					roads[location.Pair{Home: *e.Home.At, Pickup: *v.Pickup}] = location.Road{Miles: location.Haversine(*e.Home.At,
						*v.Pickup)*1.3 - 0.4, Method: location.OSRM}
				}
			}
		}
		terms := offer.Terms{Shift: shift.Standard(), Location: location.Standard(), Roads: roads, Most: rapid.IntRange(1, 3).
			Draw(t, "most")}
		index := offer.NewIndex(book, madeup.Now(), terms)
		for _, e := range town.Employees[:min(len(town.Employees), 20)] {
			got, want := index.Find(e.ID), everyVan(book, e.ID, terms)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: got %+v, want %+v", e.ID, got, want)
			}
			found += len(want)
		}
	})
	if found == 0 {
		t.Error("nobody was offered anything: nothing was compared")
	}
}
