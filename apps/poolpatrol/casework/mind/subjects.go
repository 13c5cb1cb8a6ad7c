package mind

import (
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/seal"
)

// ToldOf are whom an agent is told something about that is told of verdicts: who is on
// the case, and everybody in the evidence.
func ToldOf(life lifecycle.Case, verdicts ...check.Verdict) []seal.Subject {
	all := SubjectsOf(life)
	for _, v := range verdicts {
		all = append(all, RidersIn(v)...)
	}
	return compactSubjects(all)
}

func compactSubjects(all []seal.Subject) (out []seal.Subject) {
	seen := map[seal.Subject]bool{}
	for _, s := range all {
		if !seen[s] && s.ID != "" {
			seen[s], out = true, append(out, s)
		}
	}
	return out
}

// RidersIn are the people a verdict says something about.
func RidersIn(v check.Verdict) (all []seal.Subject) {
	for _, e := range v.Evidence() {
		if who := e.Data.Text("employee_id"); who != "" {
			all = append(all, store.Rider(fleet.EmployeeID(who)))
		}
	}
	return compactSubjects(all)
}

// mostNamed is how many people a case is said to be about when it is opened. No van
// has so many seats; the entries about the others name them.
const mostNamed = 32

// SubjectsOf are whom a case is about, as erasures know them.
func SubjectsOf(c lifecycle.Case) []seal.Subject {
	var all []seal.Subject
	for _, s := range c.Subjects[:min(len(c.Subjects), mostNamed)] {
		all = append(all, store.Rider(s.Employee))
	}
	return all
}
