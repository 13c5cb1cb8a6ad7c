// Package parking is for riders who are paid a seat in a van and a place for
// their car at the same time.
package parking

import (
	"cmp"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// Name is the check's name.
const Name check.Name = "parking"

// Version changes whenever a verdict could.
const Version = "parking/1"

// Concurrent is the kind of finding.
const Concurrent = "concurrent_parking_permit"

// A Policy is the thresholds of the check.
type Policy struct {
	Version string   `json:"version"`
	Kinds   []string `json:"kinds"`      // permits that do not go with a seat
	Grace   int      `json:"grace_days"` // days after joining in which an old permit may run out
}

// Standard names monthly and yearly permits. Day tickets are for the days the
// van is missed, and a permit for a disability is nobody's misuse.
func Standard() Policy {
	return Policy{Version: "parking-2026-1", Kinds: []string{"monthly", "annual"}, Grace: 31}
}

// A Permit is one parking permit of one person.
type Permit struct {
	ID   string
	Who  fleet.EmployeeID
	Kind string
	fleet.Span
}

// A Feed is permits by person.
type Feed map[fleet.EmployeeID][]Permit

var kinds = []string{"daily", "monthly", "annual", "accessible"}

// ParseCSV reads a feed with the columns permit_id, employee_id, kind, from and
// until; until may be empty.
func ParseCSV(file []byte) (Feed, error) {
	rows, err := intake.Lines(file, "permit_id", "employee_id", "kind", "from", "until")
	if err != nil {
		return nil, err
	}
	f := Feed{}
	for _, row := range rows {
		p, err := parsePermit(row.Cells)
		if err != nil {
			return nil, row.At(err)
		}
		f[p.Who] = append(f[p.Who], p)
	}
	return f, nil
}

func parsePermit(cells []string) (Permit, error) {
	who, err := fleet.ParseEmployee(cells[1])
	if err != nil {
		return Permit{}, err
	}
	p := Permit{ID: cells[0], Who: who, Kind: cells[2]}
	if p.ID == "" {
		return Permit{}, fault.New(fault.Invalid, "a permit has an id")
	}
	if !slices.Contains(kinds, p.Kind) {
		return Permit{}, fault.New(fault.Invalid, "kind %.40q: use daily, monthly, annual or accessible", p.Kind)
	}
	if p.From, err = fleet.ParseDate(cells[3]); err != nil {
		return Permit{}, err
	}
	if cells[4] == "" {
		return p, nil
	}
	if p.Until, err = fleet.ParseDate(cells[4]); err != nil {
		return Permit{}, err
	}
	if p.Until < p.From {
		return Permit{}, fault.New(fault.Invalid, "permit %.60s ends before it begins", p.ID)
	}
	return p, nil
}

// New is the specialist.
func New(p Policy, f Feed) check.Specialist {
	return check.Specialist{Name: Name, Version: Version, Judge: func(g fleet.Group) check.Verdict {
		v := p.judge(g, f)
		v.Policy = p.Version
		return v
	}}
}

// judge looks for a permit that is in force today. It goes to a person: a permit
// may be paid for privately, and the feed does not say.
func (p Policy) judge(g fleet.Group, f Feed) check.Verdict {
	var t check.Tally
	for _, m := range g.Riders {
		if m.Standing == fleet.Inactive {
			continue
		}
		permit, ok := p.concurrent(f[m.ID], m, g.Today)
		if !ok {
			t.Clean(check.NewEvidence("parking", "employee_id", m.ID, "vanpool_id", g.Van.ID, "permits", 0))
			continue
		}
		t.Found(check.Finding{Employee: m.ID, Check: Name, Kind: Concurrent, Confidence: 4, Mark: permit.ID,
			WouldChange: "an end of the parking permit " + permit.ID},
			check.NewEvidence(Concurrent, "employee_id", m.ID, "vanpool_id", g.Van.ID, "permit_id", permit.ID,
				"kind", permit.Kind, "from", permit.From.String(), "until", permit.Until.String()))
	}
	return t.Conclude(4)
}

// concurrent is the permit that has run beside the seat the longest.
func (p Policy) concurrent(all []Permit, m fleet.Member, today fleet.Date) (Permit, bool) {
	var hits []Permit
	for _, q := range all {
		if q.Covers(today) && slices.Contains(p.Kinds, q.Kind) && today > m.Rider.Since+fleet.Date(p.Grace) {
			hits = append(hits, q)
		}
	}
	if len(hits) == 0 {
		return Permit{}, false
	}
	return slices.MinFunc(hits, func(a, b Permit) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.ID, b.ID)) }), true
}
