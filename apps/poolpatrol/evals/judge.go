package evals

import (
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/fault"
)

// Inputs are what a specialist is asked, with the records it would read.
type Inputs struct {
	Employees []fleet.EmployeeID `json:"employee_ids"`
	Vanpool   fleet.VanpoolID    `json:"vanpool_id"`
	AsOf      time.Time          `json:"as_of"`
	Records   fleet.Records      `json:"records"`

	// Of the location set: what the router would answer. A rider who is not listed
	// has no road, as if the router were down.
	Roads []Road `json:"roads,omitempty"`
}

// A Road is what the router answers for one rider.
type Road struct {
	Employee fleet.EmployeeID `json:"employee_id"`
	Miles    float64          `json:"miles"`
	Minutes  float64          `json:"minutes,omitempty"`
}

// Expected is what a specialist should answer.
type Expected struct {
	Verdict        check.Label        `json:"verdict"`
	ConfidenceMin  check.Confidence   `json:"confidence_min"`
	DetectConflict bool               `json:"should_detect_conflict"`
	Conflicts      []fleet.EmployeeID `json:"conflicts"`                 // whom it should name
	Overlap        *int               `json:"overlap_minutes,omitempty"` // the least of anybody compared
	Method         location.Method    `json:"method,omitempty"`          // of the rider the case is about
	EvidenceType   string             `json:"evidence_type,omitempty"`   // that must be there
	Reasoning      string             `json:"reasoning_ref"`             // what a good reasoning says
}

// A Zones finds a time zone by its name.
type Zones func(name string) (*time.Location, error)

// Specialist runs one specialist on a case. It gives the verdict, and what it is
// worth against what is expected.
func Specialist(dataset string, c Case, zones Zones) (check.Verdict, Result, error) {
	var in Inputs
	var want Expected
	if err := c.read(&in, &want); err != nil {
		return check.Verdict{}, Result{}, err
	}
	for i, s := range in.Records.Sites {
		z, err := zones(s.Zone)
		if err != nil {
			return check.Verdict{}, Result{}, fault.From(fault.Invalid, err, "zone %.60s", s.Zone)
		}
		in.Records.Sites[i].Time = z
	}
	book, err := fleet.NewBook(in.Records)
	if err != nil {
		return check.Verdict{}, Result{}, err
	}
	g, err := book.Group(in.Vanpool, in.AsOf)
	if err != nil {
		return check.Verdict{}, Result{}, err
	}
	policy := audit.Standard()
	ask := shift.New(policy.Shift)
	if dataset == Location {
		ask = location.New(policy.Location, in.table(g))
	}
	v := check.Run(ask, g, check.Exceptions{})
	return v, Result{Differences: want.differs(v), Marks: want.marks(dataset, c.Metadata, v, g.Site.Zone)}, nil
}

// table is the roads as the router would have answered them.
func (in Inputs) table(g fleet.Group) location.Table {
	t := location.Table{}
	at, _ := g.Pickup()
	for _, m := range g.Riders {
		i := slices.IndexFunc(in.Roads, func(r Road) bool { return r.Employee == m.ID })
		if i >= 0 && at != nil && m.Home.At != nil {
			t[location.Pair{Home: *m.Home.At, Pickup: *at}] = location.Road{Miles: in.Roads[i].Miles, Minutes: in.Roads[i].Minutes,
				Method: location.OSRM}
		}
	}
	return t
}

func (want Expected) differs(v check.Verdict) []string {
	var out []string
	say := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			out = append(out, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	say("verdict", v.Label, want.Verdict)
	say("conflict", v.Label == check.Fail, want.DetectConflict)
	say("who is named", named(v), want.Conflicts)
	if v.Confidence < want.ConfidenceMin {
		say("confidence", v.Confidence, fmt.Sprintf("%d or more", want.ConfidenceMin))
	}
	if want.Overlap != nil {
		say("overlap", leastOverlap(v), *want.Overlap)
	}
	if t := want.EvidenceType; t != "" && !slices.ContainsFunc(v.Evidence(), func(e check.Evidence) bool { return e.Type == t }) {
		out = append(out, "evidence has no "+t)
	}
	if m := want.Method; m != "" && !slices.ContainsFunc(v.Evidence(),
		func(e check.Evidence) bool { return e.Data.Text("method") == string(m) }) {
		out = append(out, "no distance was found by "+string(m))
	}
	return append(out, incomplete(v)...)
}

// named is everybody accused of something, in order; gaps in the records accuse
// nobody.
func named(v check.Verdict) []fleet.EmployeeID {
	out := []fleet.EmployeeID{}
	for _, f := range v.Findings {
		if f.Employee != "" && f.Route != check.ToData {
			out = append(out, f.Employee)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func leastOverlap(v check.Verdict) any {
	var least any
	for _, e := range v.Evidence() {
		if n, ok := e.Data.Get("overlap_minutes").(int); ok && (least == nil || n < least.(int)) {
			least = n
		}
	}
	return least
}

// incomplete lists what is missing in the evidence of a shift that does not fit.
func incomplete(v check.Verdict) []string {
	var out []string
	for _, e := range v.Evidence() {
		for _, field := range required()[e.Type] {
			if e.Data.Get(field) == nil {
				out = append(out, "evidence of type "+e.Type+" has no "+field)
			}
		}
	}
	return out
}
