package badge

import "github.com/gavelhq/gavel/apps/poolpatrol/fleet"

// Add notes that somebody's badge was read at a site on a day. The zero Feed has
// no readings.
func (f *Feed) Add(who fleet.EmployeeID, site fleet.SiteID, on fleet.Date) {
	if f.seen == nil {
		f.seen, f.sites = map[reading]bool{}, map[fleet.SiteID]fleet.Span{}
	}
	f.seen[reading{who, site, on}] = true
	span, ok := f.sites[site]
	if !ok {
		span = fleet.Span{From: on, Until: on}
	}
	f.sites[site] = fleet.Span{From: min(span.From, on), Until: max(span.Until, on)}
}
