package agent

import (
	"slices"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Right is something one may or may not do with runs.
type Right string

// The rights. Their words stand in refusals.
const (
	SeeRuns     Right = "see runs"                      // states, steps, costs, ids: no words of anybody
	SeeWords    Right = "read what was said in a run"   // transcripts, which may name people
	GiveOrders  Right = "stop, resume or give up a run" // and have a failed one tried again
	SpeakToRuns Right = "write to a run"                // what is said is read by the agent
	AskAgain    Right = "put a step to the model again" // which costs money and sends the words out once more
)

// RightsOf lists the roles that hold a right. Whoever reads cases sees runs and
// what was said in them. Those who run the machines see that a run stands and
// may stop it, but no personal data. An administrator decides nothing by that
// role.
func RightsOf(r Right) []identity.Role {
	readers := rolesThat(casefile.Read)
	switch r {
	case SeeRuns:
		return append(readers, identity.Operator)
	case SeeWords:
		return readers
	case GiveOrders:
		return append(rolesThat(casefile.CloseCase), identity.Operator)
	case SpeakToRuns:
		return rolesThat(casefile.Annotate)
	case AskAgain:
		return []identity.Role{identity.Operator, identity.Auditor}
	}
	return nil
}

func rolesThat(act casefile.Act) []identity.Role {
	return slices.DeleteFunc(identity.Roles(), func(role identity.Role) bool {
		return casefile.May(identity.Actor{Kind: identity.Person, ID: "any", Org: "any", Roles: []identity.Role{role}}, act) != nil
	})
}

// May refuses an actor whose roles do not hold a right. Pages ask it to leave
// out what would be refused; every act asks it again. Only people give orders.
func May(a identity.Actor, r Right) error {
	if !a.Known() {
		return fault.New(fault.SignIn, "sign in to %s", r)
	}
	if (r == GiveOrders || r == SpeakToRuns) && a.Kind != identity.Person {
		return fault.New(fault.Refused, "only a person may %s", r)
	}
	if slices.ContainsFunc(RightsOf(r), a.Has) {
		return nil
	}
	return fault.New(fault.Refused, "your role may not %s", r).WithNext("ask someone in your organisation whose role may")
}
