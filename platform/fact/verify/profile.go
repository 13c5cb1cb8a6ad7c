package verify

import (
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Profile is what an application asks of its texts: the subjects it speaks of,
// what a text must mention, what it must not say, and what may be typed.
type Profile struct {
	Name       string
	Dimensions []prose.Dimension   // subjects and their names; a fact's ids must be named in the clause that cites it
	Units      map[string][]string // how texts write units
	Figures    []string            // figures and tables that exist: "Figure 1", "Table 2"
	Years      []int               // years that may be typed, besides those of the facts' subjects
	FinalYear  int                 // last year the data speak of; 0 where there is none
	Allow      []string            // phrases that may hold digits: "24-hour"
	Given      map[string]string   // ids the whole text is about, by dimension: they need not be named again
	Must       []Must              // what the text has to mention
	Forbid     []Forbidden         // kinds of sentence it must not contain
	Registry   []string            // phrases that make a recommendation permitted: citations the app may use
	Causes     []Cause             // causes the instructions or sources support

	Subjects, Completeness, Forbidding Action // V5, V6, V10
}

// An Action is what follows when one of the rules a profile may relax finds
// something. The zero value blocks.
type Action uint8

// The actions.
const (
	Blocks Action = iota
	Asks
	Ignores
)

// A Must lists members of a dimension that a text has to mention, unless waived
// by name.
type Must struct {
	Dimension string
	IDs       []string // empty: every member
	Waived    []string
}

// Forbidden is a kind of sentence a profile does not allow.
type Forbidden struct {
	Kind  ForbiddenKind
	Words []string // for Naming: the names; matched as whole words
}

// ForbiddenKind says what is forbidden.
type ForbiddenKind uint8

// The kinds of forbidden sentence.
const (
	Recommendation ForbiddenKind = iota // what someone should do
	Forecast                            // what happens after the final year
	Naming                              // persons (by a form of address) and the listed names
)

// A Cause is a relation that may be stated: the two subjects it joins.
type Cause struct {
	Dimension, ID     string
	OfDimension, OfID string
}

// Bounds on a profile.
const (
	maxDimensions = 16
	maxMembers    = 2_000
)

func (p Profile) check() error {
	if len(p.Dimensions) > maxDimensions {
		return fault.New(fault.TooLarge, "profile %s: at most %d dimensions", p.Name, maxDimensions)
	}
	seen := map[string]map[string]bool{}
	for _, d := range p.Dimensions {
		if d.Name == "" || seen[d.Name] != nil || len(d.Members) > maxMembers {
			return fault.New(fault.Invalid, "profile %s: dimension %q is unnamed, given twice or too long", p.Name, d.Name)
		}
		seen[d.Name] = map[string]bool{}
		for _, m := range d.Members {
			if m.ID == "" || len(m.Names.EN)+len(m.Names.HI) == 0 || seen[d.Name][m.ID] {
				return fault.New(fault.Invalid, "profile %s: member %q of %s has no name, no id, or is given twice", p.Name, m.ID, d.Name)
			}
			seen[d.Name][m.ID] = true
		}
	}
	for _, m := range p.Must {
		if seen[m.Dimension] == nil {
			return fault.New(fault.Invalid, "profile %s: must mention a member of %q, which is no dimension", p.Name, m.Dimension)
		}
		for _, id := range append(append([]string{}, m.IDs...), m.Waived...) {
			if !seen[m.Dimension][id] {
				return fault.New(fault.Invalid, "profile %s: %q is no member of %s", p.Name, id, m.Dimension)
			}
		}
	}
	for dim, id := range p.Given {
		if !seen[dim][id] {
			return fault.New(fault.Invalid, "profile %s: given %s=%s is not known", p.Name, dim, id)
		}
	}
	return nil
}
