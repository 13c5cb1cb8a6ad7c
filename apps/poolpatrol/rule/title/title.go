// Package title is for what a case and a piece of its evidence are called in a list: what is
// checked, and of which van. A title accuses nobody; what was found is the finding's to say.
package title

import (
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
)

// checkNames are what people call the checks, in a title.
var checkNames = map[check.Name]string{
	"location": "home address", "shift": "working hours", "roster": "roster", "occupancy": "seats", "badge": "badge", "parking": "parking",
}

// pieceNames are what people call a piece of evidence, by its type.
var pieceNames = map[string]string{
	"shift_mismatch":            "Hours that do not fit",
	"shift_no_majority":         "No shift most share",
	"employee_shift":            "Hours that fit",
	"single_rider":              "Only rider",
	"vanpool_schedule":          "The van's schedule",
	"vanpool_majority_shift":    "The shift most riders share",
	"rotation":                  "Changing shifts",
	"flex":                      "Flexible start",
	"split":                     "Split day",
	"pto":                       "Away",
	"data_missing":              "Missing from the records",
	"vanpool_pickup":            "The pickup",
	"employee_profile":          "Where the rider lives",
	"distance_check":            "Distance to the pickup",
	"separated_employee":        "No longer employed",
	"duplicate_membership":      "Several seats",
	"membership":                "Seats of the van",
	"occupancy":                 "How full the van is",
	"vehicle_too_small":         "Too few seats",
	"badge_presence":            "Badge readings",
	"parking":                   "Parking permits",
	"concurrent_parking_permit": "A parking permit at the same time",
	"exception":                 "An exception that holds",
	"empty_roster":              "No riders",
}

// Case names a case by its checks and its van: "Home address check, VP-206".
func Case(c lifecycle.Case) string {
	var names []string
	for _, failed := range c.FailedChecks() {
		names = append(names, checkName(failed))
	}
	if len(names) == 0 {
		return "Vanpool check, " + string(c.Vanpool)
	}
	list := names[0]
	if last := len(names) - 1; last > 0 {
		list = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return upperFirst(list) + " check, " + string(c.Vanpool)
}

// Again names a check that said what the audit before it had said.
func Again(v check.Verdict) string {
	return upperFirst(checkName(v.Check)) + " check repeated: same result, " + string(v.Vanpool)
}

// Evidence names a piece by what it shows, and whom it is about.
func Evidence(v check.Verdict, e check.Evidence) string {
	who := e.Data.Text("employee_id")
	if who == "" {
		who = string(v.Vanpool)
	}
	name, known := pieceNames[e.Type]
	if !known {
		name = upperFirst(strings.ReplaceAll(e.Type, "_", " "))
	}
	return name + ", " + who
}

func checkName(name check.Name) string {
	if said, known := checkNames[name]; known {
		return said
	}
	return string(name)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
