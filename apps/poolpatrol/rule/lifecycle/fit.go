package lifecycle

import (
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Fit counts the riders who were judged and about whom verdicts found nothing, and
// the case is not.
func Fit(verdicts []check.Verdict, asked []Subject) int {
	seen := map[fleet.EmployeeID]bool{}
	for _, x := range asked {
		seen[x.Employee] = false
	}
	for _, v := range verdicts {
		for _, f := range v.Findings {
			seen[f.Employee] = false
		}
		for _, e := range v.Unknown { // whoever could not be judged was not found to fit
			seen[fleet.EmployeeID(e.Data.Text("employee_id"))] = false
		}
	}
	for _, v := range verdicts {
		for _, e := range slices.Concat(v.For, v.Against) {
			who := fleet.EmployeeID(e.Data.Text("employee_id"))
			if _, known := seen[who]; !known && who != "" {
				seen[who] = true
			}
		}
	}
	n := 0
	for _, fits := range seen {
		if fits {
			n++
		}
	}
	return n
}
