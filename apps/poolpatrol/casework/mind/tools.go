package mind

import (
	"context"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// The tools of the specialists. They look at the audit that is to be explained,
// and nowhere else: what they show is what the verdict rests on.
const (
	toolShifts   = "get_employee_shifts"
	toolProfile  = "get_employee_profile"
	toolDistance = "check_commute_distance"
)

// mostAsked bounds how many people are asked about at once: more than a van holds.
const mostAsked = 60

type shiftsIn struct {
	Employees []fleet.EmployeeID `json:"employee_ids" minItems:"1" maxItems:"60" doc:"Riders of the van."`
}

type employeeIn struct {
	Employee fleet.EmployeeID `json:"employee_id" doc:"A rider of the van."`
}

// looked is what the audit noted.
type looked struct {
	Evidence []notedEvidence `json:"evidence"`
}

// notedEvidence is a piece of evidence, its values as text.
type notedEvidence struct {
	Type string            `json:"type"`
	Data map[string]string `json:"data"`
}

func noteOf(e check.Evidence) notedEvidence {
	n := notedEvidence{Type: e.Type, Data: map[string]string{}}
	for _, f := range e.Data {
		n.Data[f.Name] = e.Data.Text(f.Name)
	}
	return n
}

// LookUps are the tools of the specialists.
func (a *Mind) LookUps() []tool.Tool {
	manager := []identity.Role{identity.ProgrammeManager}
	look := func(name, line string) tool.Tool {
		return tool.Tool{App: programme.Name, Name: name, Line: line, Effect: tool.Read, Gate: tool.Off, Roles: manager, Deciders: manager}
	}
	return []tool.Tool{
		tool.Reads(look(toolShifts, "Show the working hours that the audit read for some riders, and how far they overlap the van's."),
			func(ctx context.Context, e tool.Env, in shiftsIn) (looked, error) {
				return a.noted(ctx, e, in.Employees, "employee_shift", "shift_mismatch", "vanpool_schedule", "vanpool_majority_shift",
					"rotation", "flex", "split", "pto", "data_missing")
			}),
		tool.Reads(look(toolProfile, "Show what the audit read of one rider's home: the ZIP code, and how exactly it is known."),
			func(ctx context.Context, e tool.Env, in employeeIn) (looked, error) {
				return a.noted(ctx, e, []fleet.EmployeeID{in.Employee}, "employee_profile", "data_missing")
			}),
		tool.Reads(look(toolDistance, "Show how far one rider's home is from the van's pickup, and how that was found."),
			func(ctx context.Context, e tool.Env, in employeeIn) (looked, error) {
				return a.noted(ctx, e, []fleet.EmployeeID{in.Employee}, "distance_check", "vanpool_pickup")
			}),
	}
}

// noted are the pieces of evidence of some kinds about some people, and those about
// the van. Whoever is not in the audit is not there.
func (a *Mind) noted(ctx context.Context, e tool.Env, who []fleet.EmployeeID, kinds ...string) (looked, error) {
	if len(who) > mostAsked {
		return looked{}, fault.New(fault.Invalid, "ask about at most %d people at once", mostAsked)
	}
	g, err := a.groundOf(ctx, e)
	if err != nil {
		return looked{}, err
	}
	found := looked{Evidence: []notedEvidence{}}
	known := map[string]bool{}
	for _, v := range g.verdicts {
		for _, one := range v.Evidence() {
			about := one.Data.Text("employee_id")
			known[about] = true
			if slices.Contains(kinds, one.Type) && (about == "" || slices.Contains(who, fleet.EmployeeID(about))) {
				found.Evidence = append(found.Evidence, noteOf(one))
			}
		}
	}
	for _, id := range who {
		if !known[string(id)] {
			return looked{}, fault.New(fault.NotFound, "%.40q is not in audit %s", id, g.run)
		}
	}
	return found, nil
}
