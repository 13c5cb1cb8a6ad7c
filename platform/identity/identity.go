// Package identity holds the words for who is acting: organisations, roles and
// actors. It is types only; signing in is package signin, permission is package
// policy.
package identity

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Org is the short, permanent name of an organisation ("north-commission").
// It is the first part of every row's address and of every workflow's id.
type Org string

var orgForm = regexp.MustCompile(`^[a-z][a-z0-9-]{1,39}$`)

// ParseOrg checks the form of an organisation's name.
func ParseOrg(s string) (Org, error) {
	if !orgForm.MatchString(s) {
		return "", fault.New(fault.Invalid, "organisation %.60q: use 2 to 40 of a-z, 0-9 and -, a letter first", s)
	}
	return Org(s), nil
}

// A Role is what a person is trusted with in one organisation.
type Role string

// The roles, as sign-in claims carry them.
const (
	OrgAdmin         Role = "org_admin"
	Operator         Role = "operator"
	Auditor          Role = "auditor"
	Analyst          Role = "analyst"
	Officer          Role = "officer"
	ProgrammeManager Role = "programme_manager"
	HR               Role = "hr"
	PassAdmin        Role = "pass_admin"
	Gate             Role = "gate"
	GateSupervisor   Role = "gate_supervisor"
)

// Roles lists every role in the order people read them.
func Roles() []Role {
	return []Role{OrgAdmin, Operator, Auditor, Analyst, Officer, ProgrammeManager, HR, PassAdmin, Gate, GateSupervisor}
}

// ParseRole checks that a role is one we know.
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fault.New(fault.Invalid, "no role is called %.60q", s)
}

// A Kind of actor. The zero value is nobody.
type Kind string

// The kinds of actor. Only a Person may ever decide.
const (
	Person  Kind = "person"
	Agent   Kind = "agent"
	Machine Kind = "machine"
	System  Kind = "system" // Gavel itself: timers and housekeeping
)

// A Way is how a person came in. It says what the sign-in behind an act is worth:
// a page that only they see, or a program that acts in their name.
type Way string

// The ways. Where none is said, the actor was not let in by a sign-in: a
// development token, a test, or the engine acting for somebody.
const (
	ByBrowser  Way = "browser"
	ByTerminal Way = "terminal" // confirmed in a browser; the command line
	ByShift    Way = "shift"    // a guard, on a shared device
	ByAgent    Way = "agent"    // an agent that acts for them, for one request (signin.Errand)
	ByTools    Way = "tools"    // a program that uses tools in their name: it reads and proposes, and nothing else
)

// An Actor is who does something, in one organisation, under the roles held
// there. The zero Actor is nobody and may do nothing.
type Actor struct {
	Kind  Kind
	ID    string // stable and unique within the installation
	Name  string // as people know them; for pages, never for permission
	Org   Org
	Roles []Role // people only; a machine has scopes and never a role

	// Scopes are what a machine's token is good for: "read:cases",
	// "ingest:poolpatrol", "propose:poolpatrol". A person has one where an agent does what
	// they confirmed: LeaveScope and the proposal.
	Scopes []string

	// Session names the sign-in this was done under, for records. It is no secret:
	// nobody gets in with it.
	Session string

	// Way is how a person came in, where that is known.
	Way Way

	// Viewing is the role an administrator looks through. While it is set Roles
	// holds only that role, and everything but reading is refused.
	Viewing Role
}

// Known reports whether this is anybody at all.
func (a Actor) Known() bool { return a.Kind != "" && a.ID != "" && a.Org != "" }

// Has reports whether the actor holds a role.
func (a Actor) Has(r Role) bool { return slices.Contains(a.Roles, r) }

// LeaveScope begins the scope that names a proposal which a person confirmed.
const LeaveScope = "leave:"

// Leave is the proposal that a person confirmed, where an agent does for them what it
// says; empty for everybody else.
func (a Actor) Leave() string {
	for _, s := range a.Scopes {
		if id, ok := strings.CutPrefix(s, LeaveScope); ok && a.Way == ByAgent {
			return id
		}
	}
	return ""
}

// Gavel is the system acting by itself in an organisation.
func Gavel(org Org) Actor {
	return Actor{Kind: System, ID: "gavel", Name: "Gavel", Org: org}
}
