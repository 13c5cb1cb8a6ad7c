// Package badge is for seats nobody sits in: riders whose badge is seldom read
// at the site the van drives to, on days they should be at work.
package badge

import (
	"fmt"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/intake"
)

// Name is the check's name.
const Name check.Name = "badge"

// Version changes whenever a verdict could.
const Version = "badge/1"

// SeldomSeen is the kind of finding.
const SeldomSeen = "seldom_on_site"

// A Policy is the thresholds of the check.
type Policy struct {
	Version string `json:"version"`
	Days    int    `json:"days_back"`         // how many days back are looked at
	Share   int    `json:"min_share_percent"` // of working days on which a badge should be read
	Least   int    `json:"min_working_days"`  // with fewer nobody is judged
}

// Standard asks for three days of a five-day week, over four weeks.
func Standard() Policy {
	return Policy{Version: "badge-2026-1", Days: 28, Share: 60, Least: 8}
}

// A Feed is badge readings by person, site and day.
type Feed struct {
	seen  map[reading]bool
	sites map[fleet.SiteID]fleet.Span // the days on which anybody was read there
}

type reading struct {
	who  fleet.EmployeeID
	site fleet.SiteID
	on   fleet.Date
}

// ParseCSV reads a feed with the columns employee_id, site_id and date. A line
// that cannot be read refuses the file: half a feed makes people look absent.
func ParseCSV(file []byte) (Feed, error) {
	rows, err := intake.Lines(file, "employee_id", "site_id", "date")
	if err != nil {
		return Feed{}, err
	}
	f := Feed{seen: make(map[reading]bool, len(rows)), sites: map[fleet.SiteID]fleet.Span{}}
	for _, row := range rows {
		who, err := fleet.ParseEmployee(row.Cells[0])
		if err != nil {
			return Feed{}, row.At(err)
		}
		site, err := fleet.ParseSite(row.Cells[1])
		if err != nil {
			return Feed{}, row.At(err)
		}
		on, err := fleet.ParseDate(row.Cells[2])
		if err != nil {
			return Feed{}, row.At(err)
		}
		f.seen[reading{who, site, on}] = true
		span, ok := f.sites[site]
		if !ok {
			span = fleet.Span{From: on, Until: on}
		}
		f.sites[site] = fleet.Span{From: min(span.From, on), Until: max(span.Until, on)}
	}
	return f, nil
}

// New is the specialist.
func New(p Policy, f Feed) check.Specialist {
	return check.Specialist{Name: Name, Version: Version, Judge: func(g fleet.Group) check.Verdict {
		v := p.judge(g, f)
		v.Policy = p.Version
		return v
	}}
}

func (p Policy) judge(g fleet.Group, f Feed) check.Verdict {
	var t check.Tally
	covered, ok := f.sites[g.Van.Site]
	from, until := g.Today-fleet.Date(p.Days), g.Today-1
	if !ok || covered.Until < from {
		t.Missing(Name, "", "badge feed", "no reading at the van's site in the days looked at")
		return t.Conclude(check.Least)
	}
	from, until = max(from, covered.From), min(until, covered.Until)
	sure := check.Confidence(4)
	for _, m := range g.Riders {
		if m.Standing != fleet.Active {
			continue
		}
		sure = min(sure, p.weigh(g, &t, m, f, fleet.Span{From: from, Until: until}))
	}
	return t.Conclude(sure)
}

// weigh counts the days one rider should have been on site and was. Badges are
// forgotten and readers fail, so it is never certain, and it goes to a person.
func (p Policy) weigh(g fleet.Group, t *check.Tally, m fleet.Member, f Feed, look fleet.Span) check.Confidence {
	expected, present := 0, 0
	for d := max(look.From, m.Rider.Since); d <= look.Until; d++ {
		if f.seen[reading{m.ID, g.Van.Site, d}] {
			present++
		}
		if works(g, m, d) {
			expected++
		}
	}
	e := check.NewEvidence("badge_presence", "employee_id", m.ID, "vanpool_id", g.Van.ID, "present_days", present,
		"expected_days", expected, "from", look.From.String(), "until", look.Until.String())
	switch need := (p.Share*expected + 99) / 100; {
	case expected < p.Least:
		t.Unknown(e)
		return check.Unsure
	case present >= need:
		t.Clean(e)
		return 4
	default:
		sure := check.Confidence(3)
		if present == 0 {
			sure = 4
		}
		t.Found(check.Finding{Employee: m.ID, Check: Name, Kind: SeldomSeen, Confidence: sure,
			WouldChange: fmt.Sprintf("badge readings on %d of %d working days, instead of %d", need, expected, present)}, e)
		return sure
	}
}

// works reports whether somebody should have been at work on a day.
func works(g fleet.Group, m fleet.Member, d fleet.Date) bool {
	id, ok := m.ShiftOn(d)
	if !ok || m.AwayOn(d) {
		return false
	}
	shift, ok := g.Shift(id)
	if !ok || shift.Unreadable != nil {
		return false
	}
	for _, b := range shift.Week.Blocks {
		if b.Day == d.Weekday() {
			return true
		}
	}
	return false
}
