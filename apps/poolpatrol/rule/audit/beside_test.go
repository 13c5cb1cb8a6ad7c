package audit_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

// TestAPassFindsWhatOneLookAtEachVanFinds promises that the pass over many vans, which
// judges side by side and leaves out why a van passes, comes to what a full look at
// each van comes to: outcome, labels, confidence, findings, and all evidence of a van
// that fails.
func TestAPassFindsWhatOneLookAtEachVanFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		town := madeup.Plan{Seed: rapid.Uint64().Draw(t, "seed"), Vans: rapid.IntRange(1, 600).Draw(t, "vans"),
			Riders: rapid.IntRange(1, 6).Draw(t, "riders"), Percent: 40}.Build()
		for i := range town.Employees {
			switch e := &town.Employees[i]; rapid.IntRange(0, 30).Draw(t, "odd") {
			case 0:
				e.Home.At = nil
			case 1:
				e.Shifts = nil
			case 2:
				e.Away = []fleet.Span{{From: fleet.NewDate(2026, 3, 1), Until: fleet.NewDate(2026, 3, 5)}}
			case 3:
				e.Standing = fleet.OnLeave
			case 4:
				e.Home.ByZIP = true
			}
		}
		b, err := fleet.NewBook(town.Records)
		if err != nil {
			t.Fatal(err)
		}
		ask := audit.Specialists(audit.Standard(), b, audit.Inputs{})
		runs, err := audit.All(b, "", madeup.Now(), ask, check.Exceptions{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for got := range runs {
			n++
			want := audit.Of(b, got.Vanpool, madeup.Now(), ask, check.Exceptions{})
			if got.Outcome == audit.Verified {
				for i := range want.Verdicts {
					want.Verdicts[i].For, got.Verdicts[i].For = nil, nil
				}
			}
			if x, y := text(t, got), text(t, want); x != y {
				t.Fatalf("got %s, want %s", x, y)
			}
		}
		if n != len(town.Vanpools) {
			t.Errorf("%d vans were judged, of %d", n, len(town.Vanpools))
		}
	})
}

func text(t *rapid.T, r audit.Run) string {
	all, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// TestAPanicOfASpecialistIsTheCallers promises that judging side by side does not
// take the whole program down with one specialist.
func TestAPanicOfASpecialistIsTheCallers(t *testing.T) {
	b := book(t, madeup.Plan{Seed: 1, Vans: 40, Riders: 2}.Build().Records)
	bad := check.Specialist{Name: "bad", Judge: func(fleet.Group) check.Verdict { panic("no") }}
	runs, err := audit.All(b, "", madeup.Now(), []check.Specialist{bad}, check.Exceptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if got := recover(); got != "no" {
			t.Errorf("recovered %v, want what the specialist panicked with", got)
		}
	}()
	for range runs {
		t.Error("a run was handed out")
	}
}

// TestEachWayIsWantedOnce promises that neighbours, and two policies, make one question
// of one way, and that vans that do not run ask none.
func TestEachWayIsWantedOnce(t *testing.T) {
	town := madeup.Plan{Seed: 1, Vans: 3, Riders: 2}.Build()
	for i := range town.Employees {
		at := *town.Vanpools[i/2].Pickup
		at.Lat += 0.6 // some forty miles: neither surely near nor surely far
		town.Employees[i].Home.At = &at
	}
	town.Vanpools[2].Standing = fleet.Suspended
	near := audit.Standard().Location
	near.Limit = 45
	got := audit.Ways(book(t, town.Records), madeup.Now(), audit.Standard().Location, near)
	want := map[fleet.Point]bool{*town.Employees[0].Home.At: true, *town.Employees[2].Home.At: true}
	if len(got) != len(want) {
		t.Errorf("got %v, want one way for each of %v", got, want)
	}
	for _, p := range got {
		if !want[p.Home] {
			t.Errorf("got a way from %v", p.Home)
		}
	}
}
