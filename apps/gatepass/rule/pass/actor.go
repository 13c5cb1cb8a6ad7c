package pass

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Role is what somebody may do with passes. Its names are the first design's.
type Role string

// The roles. Nobody is none of them and may do nothing.
const (
	Nobody Role = ""
	HR     Role = "HR_User"
	Admin  Role = "Admin_User"
	Gate   Role = "Gate_User"
)

// Roles lists them.
func Roles() []Role { return []Role{HR, Admin, Gate} }

// ParseRole reads a role's name.
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles(), r) {
		return r, nil
	}
	return Nobody, fault.New(fault.Invalid, "Invalid role %.40q: use HR_User, Admin_User or Gate_User", s)
}

// RoleOf is what a role of the institution means here; Nobody for every other.
func RoleOf(r identity.Role) Role {
	switch r {
	case identity.HR:
		return HR
	case identity.PassAdmin:
		return Admin
	case identity.Gate, identity.GateSupervisor:
		return Gate
	}
	return Nobody
}

// An Actor is who brings an event about, in the one role they act in. Who has two acts in one at a time.
type Actor struct {
	ID         string
	Name       string // as people know them
	Role       Role
	Supervisor bool     // of a gate: may let somebody out without a photo, and says why
	Sites      []string // where they may act; none means at every site
	StandsIn   *Delegation
}

// A Delegation is what somebody hands to somebody else for a while. Who stands in cannot hand it on.
type Delegation struct {
	For, ForName string // whom they stand in for
	To           string // who stands in
	From, Until  time.Time
	Types        []Type   // which passes; none means all
	Sites        []string // at which sites; none means all
}

// covers reports whether a delegation lets somebody act on a pass at a moment.
func (d Delegation) covers(who string, p Pass, now time.Time) bool {
	inTime := !now.Before(d.From) && now.Before(d.Until)
	inScope := (len(d.Types) == 0 || slices.Contains(d.Types, p.Type)) && (len(d.Sites) == 0 || slices.Contains(d.Sites, p.SiteID))
	return d.To == who && d.For != "" && d.For != who && inTime && inScope
}

// mayAt reports whether an actor may act at a site. A pass of no site is everybody's.
func (a Actor) mayAt(site string) bool {
	return site == "" || len(a.Sites) == 0 || slices.Contains(a.Sites, site)
}

// is reports whether a name is the actor's, whatever its case. Who gives none claims nothing.
func (a Actor) is(name string) bool {
	fold := func(s string) string {
		return cases.Fold().String(norm.NFC.String(strings.Join(strings.Fields(s), " ")))
	}
	return fold(name) == "" || fold(name) == fold(a.Name)
}

func (a Actor) standsInFor() string {
	if a.StandsIn == nil {
		return ""
	}
	return a.StandsIn.ForName
}
