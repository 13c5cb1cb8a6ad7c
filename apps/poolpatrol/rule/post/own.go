package post

import (
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// Own is all that a letter may say: what we hold about its recipient, and about
// the van. There is no place in it for anybody else's data.
type Own struct {
	Case      fleet.CaseID
	Vanpool   fleet.VanpoolID
	Employee  fleet.EmployeeID
	FirstName string
	Language  Language     // in which they are written to
	Unit      fleet.Unit   // in which they are told distances
	Checks    []check.Name // that do not pass

	ShiftName, ShiftHours string // the recipient's own
	VanHours              string // the hours the van runs for, where they may be told
	ZIP                   string
	Miles, Limit          string // from home to pickup, and the most it may be

	Last     fleet.Date   // the last day of a membership that ends
	Answered []fleet.Date // the days on which they answered, each once, in order
	Offer    string       // another van they would fit, in words; may be empty
	Page     string       // the address of their own page; empty where they have none
}

// fewest is how many people must share hours before the hours are told to
// somebody else: with fewer, the van's hours would be a colleague's.
const fewest = 3

// About gathers what may be told to one person from the verdicts on their van.
// The evidence of other riders is not looked at.
func About(who fleet.EmployeeID, id fleet.CaseID, verdicts []check.Verdict) (Own, error) {
	o := Own{Case: id, Employee: who}
	for _, v := range verdicts {
		o.Vanpool = v.Vanpool
		for _, f := range v.Findings {
			if f.Employee == who && f.Mailable() && !slices.Contains(o.Checks, f.Check) {
				o.Checks = append(o.Checks, f.Check)
			}
		}
		for _, e := range v.Evidence() {
			o.take(e)
		}
	}
	slices.Sort(o.Checks)
	if len(o.Checks) == 0 {
		return Own{}, fault.New(fault.Invalid, "there is nothing to write to %s about", who)
	}
	return o, nil
}

// take notes a piece of evidence if it is about the recipient, or about the van
// and fit to be told.
func (o *Own) take(e check.Evidence) {
	mine := e.Data.Text("employee_id") == string(o.Employee)
	switch {
	case e.Type == "vanpool_schedule":
		o.VanHours = e.Data.Text("hours")
	case e.Type == "vanpool_majority_shift":
		if n, err := strconv.Atoi(e.Data.Text("holders")); err == nil && n >= fewest {
			o.VanHours = e.Data.Text("hours")
		}
	case mine && e.Type == "shift_mismatch":
		o.ShiftName, o.ShiftHours = e.Data.Text("employee_shift"), e.Data.Text("employee_hours")
	case mine && e.Type == "employee_profile":
		o.ZIP = e.Data.Text("home_zip")
	case mine && e.Type == "distance_check":
		o.Miles, o.Limit = e.Data.Text("distance_miles"), e.Data.Text("threshold_miles")
	}
}

// A Template is the letter that fits what does not pass.
type Template string

// The templates.
const (
	ShiftMismatch    Template = "shift_mismatch"
	LocationMismatch Template = "location_mismatch"
	BothMismatch     Template = "both_mismatch"
)

// TemplateFor picks the template by what does not pass. Checks other than these
// two are a person's to write about.
func TemplateFor(checks []check.Name) (Template, error) {
	shift, location := slices.Contains(checks, "shift"), slices.Contains(checks, "location")
	switch {
	case shift && location:
		return BothMismatch, nil
	case shift:
		return ShiftMismatch, nil
	case location:
		return LocationMismatch, nil
	}
	return "", fault.New(fault.Invalid, "there is no template for %v", checks)
}
