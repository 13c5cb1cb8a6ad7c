package badge

import "github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"

// Add notes that somebody's badge was read at a site on a day. The zero Feed has
// no readings.
func (f *Feed) Add(who fleet.EmployeeID, site fleet.SiteID, on fleet.Date) {
	f.Cover(site, fleet.Span{From: on, Until: on})
	f.seen[reading{who, site, on}] = true
}

// Cover notes that badges were read at a site from one day to another, whoever's:
// for a feed that holds the readings of some people alone.
func (f *Feed) Cover(site fleet.SiteID, days fleet.Span) {
	if f.seen == nil {
		f.seen, f.sites = map[reading]bool{}, map[fleet.SiteID]fleet.Span{}
	}
	span, ok := f.sites[site]
	if !ok {
		span = days
	}
	f.sites[site] = fleet.Span{From: min(span.From, days.From), Until: max(span.Until, days.Until)}
}
