package audit

import (
	"maps"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// Policies are by which thresholds each van is judged: those in force, but for a van with
// an open case, which keeps those that its case began with.
type Policies struct {
	Now  Policy
	Kept map[fleet.VanpoolID]Policy
}

// For is how one van is judged.
func (p Policies) For(van fleet.VanpoolID) Policy {
	if kept, is := p.Kept[van]; is {
		return kept
	}
	return p.Now
}

// Limits are the distances of all of them, each once: what ways are asked for by.
func (p Policies) Limits() []location.Policy {
	all := []location.Policy{p.Now.Location}
	for _, van := range slices.Sorted(maps.Keys(p.Kept)) {
		if kept := p.Kept[van].Location; !slices.Contains(all, kept) {
			all = append(all, kept)
		}
	}
	return all
}

// Specialists are who judges each van. Vans of one policy are judged by the same ones.
func (p Policies) Specialists(book *fleet.Book, in Inputs) func(fleet.VanpoolID) []check.Specialist {
	now := Specialists(p.Now, book, in)
	byVersion, kept := map[string][]check.Specialist{}, map[fleet.VanpoolID][]check.Specialist{}
	for van, policy := range p.Kept {
		ask, known := byVersion[policy.Shift.Version]
		if !known {
			ask = Specialists(policy, book, in)
			byVersion[policy.Shift.Version] = ask
		}
		kept[van] = ask
	}
	return func(van fleet.VanpoolID) []check.Specialist {
		if ask, is := kept[van]; is {
			return ask
		}
		return now
	}
}
