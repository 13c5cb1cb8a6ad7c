// Package roster is for the plainest misuse and the costliest: seats held by
// people who no longer work here, and people who hold two seats.
package roster

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Name is the check's name.
const Name check.Name = "roster"

// Version changes whenever a verdict could.
const Version = "roster/1"

// The kinds of finding.
const (
	SeparatedEmployee   = "separated_employee"
	DuplicateMembership = "duplicate_membership"
)

// New is the specialist. memberships says in which running vans each employee
// rides; fleet.Book has it.
func New(memberships map[fleet.EmployeeID][]fleet.VanpoolID) check.Specialist {
	return check.Specialist{Name: Name, Version: Version, Judge: func(g fleet.Group) check.Verdict {
		return judge(g, memberships)
	}}
}

func judge(g fleet.Group, memberships map[fleet.EmployeeID][]fleet.VanpoolID) check.Verdict {
	var t check.Tally
	fit := 0
	for _, m := range g.Riders {
		others := elsewhere(memberships[m.ID], g.Van.ID)
		switch {
		case m.Standing == fleet.Inactive:
			f, e := Separated(g, m)
			t.Found(f, e)
		case len(others) > 0:
			f, e := duplicate(g, m, others)
			t.Found(f, e)
		default:
			fit++
		}
	}
	if g.Brief {
		return t.Conclude(check.Certain)
	}
	t.Clean(check.NewEvidence("membership", "vanpool_id", g.Van.ID, "riders", len(g.Riders), "employed_and_in_one_van", fit))
	return t.Conclude(check.Certain)
}

// elsewhere are the vans besides this one.
func elsewhere(in []fleet.VanpoolID, here fleet.VanpoolID) []fleet.VanpoolID {
	if len(in) == 0 || len(in) == 1 && in[0] == here {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(in), func(v fleet.VanpoolID) bool { return v == here })
}

// Separated is the finding that somebody on the roster no longer works here.
// Other specialists that come across one report it in the same words. It goes to
// a person: there is nobody left to write to.
func Separated(g fleet.Group, m fleet.Member) (check.Finding, check.Evidence) {
	return check.Finding{
			Employee: m.ID, Check: Name, Kind: SeparatedEmployee, Confidence: check.Certain, Gone: true,
			WouldChange: "an active employment record for " + string(m.ID),
		}, check.NewEvidence(SeparatedEmployee, "employee_id", m.ID, "vanpool_id", g.Van.ID,
			"status", string(m.Standing))
}

// duplicate goes to a person: which of the two seats is the right one is not for
// code to say.
func duplicate(g fleet.Group, m fleet.Member, others []fleet.VanpoolID) (check.Finding, check.Evidence) {
	names := make([]string, len(others))
	for i, v := range others {
		names[i] = string(v)
	}
	also := strings.Join(names, ", ")
	return check.Finding{
			Employee: m.ID, Check: Name, Kind: DuplicateMembership, Confidence: check.Certain, Mark: also,
			WouldChange: "one membership fewer for " + string(m.ID),
		}, check.NewEvidence(DuplicateMembership, "employee_id", m.ID, "vanpool_id", g.Van.ID,
			"also_in", also, "memberships", len(others)+1)
}
