package audit

import (
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// Ways lists the ways that an audit of every running van would ask a router for, by
// any of some policies, each once. Vans that cannot be put together want none: what
// is wrong with them the audit says.
func Ways(book *fleet.Book, at time.Time, by ...location.Policy) []location.Pair {
	wanted := sideBySide(book.Vanpools(), func(id fleet.VanpoolID) (out []location.Pair) {
		if v, _ := book.Vanpool(id); v.Standing != fleet.Active {
			return nil
		}
		g, err := book.Group(id, at)
		if err != nil {
			return nil
		}
		for _, p := range by {
			out = append(out, p.Ways(g)...)
		}
		return out
	})
	var out []location.Pair
	seen := map[location.Pair]bool{}
	for _, pairs := range wanted {
		for _, p := range pairs {
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}
