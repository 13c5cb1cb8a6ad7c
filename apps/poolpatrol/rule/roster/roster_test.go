package roster_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/roster"
)

// TestSeatsOfThoseWhoLeftAndSecondSeatsAreFound promises both kinds of finding,
// with certainty and to a person, and silence about everybody else.
func TestSeatsOfThoseWhoLeftAndSecondSeatsAreFound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *fleet.Records)
		kind   string // empty: nothing is found
	}{
		{"nothing wrong", func(*fleet.Records) {}, ""},
		{"has left", func(r *fleet.Records) { r.Employees[0].Standing = fleet.Inactive }, roster.SeparatedEmployee},
		{"on leave keeps the seat", func(r *fleet.Records) { r.Employees[0].Standing = fleet.OnLeave }, ""},
		{"rides in another van too", second(fleet.Active, 0), roster.DuplicateMembership},
		{"rode in another van once", second(fleet.Active, 20_000), ""},
		{"the other van does not run", second(fleet.Suspended, 0), ""},
		{"has left and has two seats: one finding", func(r *fleet.Records) {
			second(fleet.Active, 0)(r)
			r.Employees[0].Standing = fleet.Inactive
		}, roster.SeparatedEmployee},
	} {
		riders := []fleet.Employee{madeup.Worker(1, "SHIFT_DAY"), madeup.Worker(2, "SHIFT_DAY")}
		r := madeup.Records(madeup.Van(riders...), riders)
		tt.change(&r)
		book, err := fleet.NewBook(r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := book.Group("VP-101", madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		v := check.Run(roster.New(book.Memberships()), g, check.Exceptions{})
		switch {
		case tt.kind == "" && (v.Label != check.Pass || len(v.Findings) > 0):
			t.Errorf("%s: got %s %+v, want pass", tt.name, v.Label, v.Findings)
		case tt.kind != "" && (v.Label != check.Fail || v.Confidence != 5 || len(v.Findings) != 1 ||
			v.Findings[0].Kind != tt.kind || v.Findings[0].Route != check.ToDesk || v.Findings[0].Employee != "EMP-0001"):
			t.Errorf("%s: got %s %d %+v, want %s", tt.name, v.Label, v.Confidence, v.Findings, tt.kind)
		}
	}
}

func second(standing fleet.Standing, removed fleet.Date) func(*fleet.Records) {
	return func(r *fleet.Records) {
		r.Vanpools = append(r.Vanpools, fleet.Vanpool{ID: "VP-102", Site: "PLANT-1", Standing: standing,
			Riders: []fleet.Rider{{Employee: "EMP-0001", Removed: removed}}})
	}
}
