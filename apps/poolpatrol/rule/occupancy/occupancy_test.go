package occupancy_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/occupancy"
)

// TestHalfTheSeatsOfALargeEnoughVan promises the rule at its edges: seven seats
// with the driver's, and half of the others taken.
func TestHalfTheSeatsOfALargeEnoughVan(t *testing.T) {
	for _, tt := range []struct {
		capacity, riders, left int
		kind                   string
	}{
		{7, 3, 0, ""},
		{7, 2, 0, occupancy.TooEmpty},
		{8, 4, 0, ""},
		{8, 3, 0, occupancy.TooEmpty}, // 3 of 7 is less than half
		{6, 5, 0, occupancy.TooSmall},
		{15, 7, 0, ""},
		{15, 6, 0, occupancy.TooEmpty},
		{7, 3, 1, occupancy.TooEmpty}, // who has left takes no seat
		{1, 1, 0, occupancy.TooSmall},
		{0, 3, 0, check.DataMissing},
	} {
		var riders []fleet.Employee
		for i := range tt.riders {
			riders = append(riders, madeup.Worker(i+1, "SHIFT_DAY"))
			if i < tt.left {
				riders[i].Standing = fleet.Inactive
			}
		}
		r := madeup.Records(madeup.Van(riders...), riders)
		r.Vanpools[0].Capacity = tt.capacity
		book, err := fleet.NewBook(r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := book.Group("VP-101", madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		v := check.Run(occupancy.New(occupancy.Standard()), g, check.Exceptions{})
		kind := ""
		if len(v.Findings) > 0 {
			kind = v.Findings[0].Kind
			if v.Findings[0].Employee != "" {
				t.Errorf("%d of %d: a rider is accused of empty seats", tt.riders, tt.capacity)
			}
		}
		if kind != tt.kind || (v.Label == check.Fail) != (tt.kind != "") {
			t.Errorf("%d riders (%d left) in a van of %d: got %s %q, want %q", tt.riders, tt.left, tt.capacity, v.Label, kind, tt.kind)
		}
	}
}
