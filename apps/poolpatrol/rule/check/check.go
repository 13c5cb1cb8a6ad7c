// Package check is the contract between the programme and those who judge its
// vans: what a specialist is given, and what it must answer.
//
// # Adding a specialist
//
// A specialist is one folder beside this one. It has
//
//	const Name check.Name = "fuel"              // its check, in failed_checks and exceptions
//	const Version = "fuel/1"                    // changes whenever a verdict could
//	type Policy struct{ … }                     // its thresholds; Standard() gives the usual ones
//	func New(p Policy, feed Feed) check.Specialist
//
// New closes over whatever the check needs beyond the group itself (a feed of
// badge readings, an index of memberships, road distances), so nothing here has
// to change. Judge computes and nothing else: for each rider or for the van it
// adds a Finding where something is wrong, and evidence either way, and ends
// with Conclude. Exceptions are none of its business: Run applies them, the same
// way for all. Then the folder is added to the list in package audit.
//
// A verdict is code's. A model may put it into words and may doubt it: see
// Report and Heed.
package check

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Name is what is checked: "shift", "location".
type Name string

// Strings are names as plain texts.
func Strings(names []Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

// A Label is what a check says.
type Label string

// The labels. The zero Label is no verdict.
const (
	Pass Label = "pass"
	Fail Label = "fail"
)

// A Confidence is how sure the code is, from 1 to 5.
type Confidence int

// The ends of the scale, and the least with which anybody is written to.
const (
	Least     Confidence = 1
	Unsure    Confidence = 2 // and below: a person looks before anybody is written to
	Mailable  Confidence = 3
	Certain   Confidence = 5
	ScaleName            = "1-5"
)

func (c Confidence) within() Confidence { return min(max(c, Least), Certain) }

// A Route says whose move a finding is.
type Route string

// The routes. The zero Route asks a person.
const (
	ToDesk  Route = ""      // a person of the programme looks at it
	ToRider Route = "rider" // the rider is written to, if the finding is sure enough
	ToData  Route = "data"  // the records are incomplete: nobody is accused of that
)

// A Finding is one thing that is wrong with one rider or with the van.
type Finding struct {
	Employee    fleet.EmployeeID `json:"employee_id,omitempty"` // empty: the van itself
	Check       Name             `json:"check"`
	Kind        string           `json:"kind"` // type of the evidence it rests on
	Confidence  Confidence       `json:"confidence"`
	Route       Route            `json:"route,omitempty"`
	Mark        string           `json:"mark,omitempty"` // the values it turns on: another mark is another finding
	WouldChange string           `json:"would_change,omitempty"`
	Gone        bool             `json:"gone,omitempty"` // they have left the employer: there is nobody to hear
	Excused     *Exception       `json:"excused,omitempty"`
}

// Key tells findings apart: the same key is the same finding again.
func (f Finding) Key() string {
	return strings.Join([]string{string(f.Check), string(f.Employee), f.Kind, f.Mark}, "|")
}

// Mailable reports whether the rider may be written to about it.
func (f Finding) Mailable() bool {
	return f.Route == ToRider && f.Employee != "" && f.Confidence >= Mailable && f.Excused == nil
}

// A Verdict is what one specialist found about one van. Evidence For speaks for
// the label, Against speaks against it, Unknown is what could not be known.
type Verdict struct {
	Check       Name            `json:"check"`
	Rule        string          `json:"rule_version"`
	Policy      string          `json:"policy_version,omitempty"`
	Vanpool     fleet.VanpoolID `json:"vanpool_id"`
	Label       Label           `json:"label"`
	Confidence  Confidence      `json:"confidence"`
	Findings    []Finding       `json:"findings,omitempty"`
	For         []Evidence      `json:"for"`
	Against     []Evidence      `json:"against,omitempty"`
	Unknown     []Evidence      `json:"unknown,omitempty"`
	WouldChange string          `json:"would_change,omitempty"`
	Recheck     fleet.Date      `json:"recheck,omitzero"` // look again then, because somebody is away until it
}

// Live are the findings nobody has excused.
func (v Verdict) Live() []Finding {
	return slices.DeleteFunc(slices.Clone(v.Findings), func(f Finding) bool { return f.Excused != nil })
}

// Evidence is all evidence, what speaks for the label first.
func (v Verdict) Evidence() []Evidence { return slices.Concat(v.For, v.Against, v.Unknown) }

// A Specialist answers one question about one van.
type Specialist struct {
	Name    Name
	Version string

	// Judge answers for one group. It is handed a group with at least one rider.
	Judge func(fleet.Group) Verdict
}

// Run asks a specialist about a group and honours exceptions. An empty roster is
// answered here, alike for all specialists.
func Run(s Specialist, g fleet.Group, granted Exceptions) Verdict {
	var v Verdict
	if len(g.Riders) == 0 {
		v = emptyRoster(s.Name, g)
	} else {
		v = s.Judge(g)
	}
	v.Check, v.Rule, v.Vanpool = s.Name, s.Version, g.Van.ID
	return granted.excuse(v, g.Today)
}

// EmptyRoster is the kind of the finding on a van without riders.
const EmptyRoster = "empty_roster"

func emptyRoster(name Name, g fleet.Group) Verdict {
	var t Tally
	t.Found(Finding{Check: name, Kind: EmptyRoster, Confidence: Least, Route: ToData},
		NewEvidence(EmptyRoster, "vanpool_id", g.Van.ID))
	return t.Conclude(Least)
}
