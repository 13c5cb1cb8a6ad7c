// Package occupancy is for vans that run half empty: too small to count as a
// commuter vehicle, or with too few riders for their seats.
package occupancy

import (
	"fmt"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Name is the check's name.
const Name check.Name = "occupancy"

// Version changes whenever a verdict could.
const Version = "occupancy/1"

// The kinds of finding.
const (
	TooSmall = "vehicle_too_small"
	TooEmpty = "low_occupancy"
)

// A Policy is the thresholds of the check.
type Policy struct {
	Version string `json:"version"`
	Seats   int    `json:"min_capacity"`     // with the driver's
	Share   int    `json:"min_fill_percent"` // of the seats besides the driver's
}

// Standard follows the tax rule for commuter vehicles: six seats besides the
// driver's, half of them taken.
func Standard() Policy { return Policy{Version: "occupancy-2026-1", Seats: 7, Share: 50} }

// New is the specialist.
func New(p Policy) check.Specialist {
	return check.Specialist{Name: Name, Version: Version, Judge: func(g fleet.Group) check.Verdict {
		v := p.judge(g)
		v.Policy = p.Version
		return v
	}}
}

// judge counts everybody on the roster who still works here; a seat kept for
// somebody on leave is taken. The van is the subject, and a person looks at it:
// an empty seat is nobody's fault in particular.
func (p Policy) judge(g fleet.Group) check.Verdict {
	var t check.Tally
	riders := 0
	for _, m := range g.Riders {
		if m.Standing != fleet.Inactive {
			riders++
		}
	}
	seats := g.Van.Capacity - 1
	if g.Van.Capacity <= 0 {
		t.Missing(Name, "", "capacity", "the van's number of seats is not known")
		return t.Conclude(check.Least)
	}
	seen := check.NewEvidence("occupancy", "vanpool_id", g.Van.ID, "riders", riders, "seats", seats,
		"fill_percent", percent(riders, seats), "min_fill_percent", p.Share)
	switch {
	case g.Van.Capacity < p.Seats:
		t.Found(check.Finding{Check: Name, Kind: TooSmall, Confidence: check.Certain, Mark: fmt.Sprint(g.Van.Capacity),
			WouldChange: fmt.Sprintf("a vehicle with at least %d seats", p.Seats)},
			check.NewEvidence(TooSmall, "vanpool_id", g.Van.ID, "capacity", g.Van.Capacity, "min_capacity", p.Seats), seen)
	case riders*100 < p.Share*seats:
		need := (p.Share*seats + 99) / 100
		t.Found(check.Finding{Check: Name, Kind: TooEmpty, Confidence: check.Certain, Mark: fmt.Sprintf("%d of %d", riders, seats),
			WouldChange: fmt.Sprintf("%d riders instead of %d", need, riders)}, seen)
	default:
		t.Clean(seen)
	}
	return t.Conclude(check.Certain)
}

// percent is whole percent, rounded down, so that what is printed never meets a
// threshold that the count does not.
func percent(n, of int) int {
	if of <= 0 {
		return 0
	}
	return n * 100 / of
}
