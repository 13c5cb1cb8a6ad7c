package casefile

import (
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Act is something one may or may not do with cases.
type Act string

// The acts. Their words stand in refusals.
const (
	Read      Act = "read"
	OpenCase  Act = "open"
	Annotate  Act = "annotate"
	CloseCase Act = "close"
)

// who lists the roles that may do an act; a role that is not named may not. An
// administrator decides nothing by that role, an operator sees no personal data,
// and an analyst brings cases but does not end them.
var who = map[Act][]identity.Role{
	Read: {identity.OrgAdmin, identity.Auditor, identity.Analyst, identity.Officer, identity.ProgrammeManager,
		identity.HR, identity.PassAdmin, identity.GateSupervisor},
	OpenCase:  {identity.Analyst, identity.Officer, identity.ProgrammeManager, identity.HR, identity.PassAdmin},
	Annotate:  {identity.Analyst, identity.Officer, identity.ProgrammeManager, identity.HR, identity.PassAdmin, identity.GateSupervisor},
	CloseCase: {identity.Officer, identity.ProgrammeManager, identity.HR, identity.PassAdmin},
}

// May refuses an actor whose roles do not allow an act. Pages ask it to leave
// out what would be refused; every act asks it again. Machines may be given
// roles too, but only a person closes.
func May(a identity.Actor, act Act) error {
	if !a.Known() {
		return fault.New(fault.SignIn, "sign in to %s a case", act)
	}
	if act == CloseCase && a.Kind != identity.Person {
		return fault.New(fault.Refused, "only a person may close a case")
	}
	if slices.ContainsFunc(who[act], a.Has) {
		return nil
	}
	return fault.New(fault.Refused, "your role may not %s cases", act).
		WithNext("ask someone in your organisation whose role may")
}
