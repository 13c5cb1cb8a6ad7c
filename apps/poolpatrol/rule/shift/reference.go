package shift

import (
	"cmp"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A reference is the hours a van runs for.
type reference struct {
	week        *fleet.Week
	name, hours string
	held        string // the majority's shift, or "schedule"
	holders, of int
	sure        check.Confidence // of a mismatch with it
}

// reference is the van's own schedule, else the shift that more than half of the
// riders hold who are not on leave. A tie, or a largest group that is not more
// than half, is no reference. A majority whose shift cannot be read has no week.
func (p Policy) reference(g fleet.Group, present []riding) (reference, bool) {
	if g.Week != nil {
		return reference{week: g.Week, name: "the van's schedule", hours: g.Week.Hours(), held: "schedule", sure: check.Certain}, true
	}
	type group struct {
		id fleet.ShiftID
		n  int
	}
	var groups []group
	for _, r := range present {
		if r.shift == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(o group) bool { return o.id == r.shift.ID })
		if i < 0 {
			groups, i = append(groups, group{id: r.shift.ID}), len(groups)
		}
		groups[i].n++
	}
	if len(groups) == 0 {
		return reference{of: len(present)}, false
	}
	top := slices.MaxFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(b.id, a.id))
	})
	ref := reference{held: string(top.id), holders: top.n, of: len(present), sure: 4}
	if 2*top.n <= len(present) {
		return ref, false
	}
	if 100*top.n >= p.Strong*len(present) {
		ref.sure = check.Certain
	}
	shift, _ := g.Shift(top.id)
	ref.name, ref.hours = shift.Name, shift.Hours
	if shift.Unreadable == nil {
		ref.week = &shift.Week
	}
	return ref, true
}

func (r reference) evidence(g fleet.Group) check.Evidence {
	if r.held == "schedule" {
		return check.NewEvidence("vanpool_schedule", "vanpool_id", g.Van.ID, "hours", r.hours, "tz", g.Site.Zone)
	}
	return check.NewEvidence("vanpool_majority_shift", "vanpool_id", g.Van.ID, "shift_id", r.held, "majority_shift", r.name,
		"hours", r.hours, "tz", g.Site.Zone, "holders", r.holders, "riders", r.of)
}
