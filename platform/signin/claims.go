package signin

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// groupPrefix begins every group that says something about Gavel. The others of
// an office are none of our business, and are not kept.
const groupPrefix = "gavel/"

// Bounds of what an office may say about somebody.
const (
	mostGroups  = 5000 // large offices list all of them
	mostMembers = 20   // organisations one person works for here
	mostIgnored = 20   // groups told back on the page that refuses
	mostName    = 200  // characters
	mostEmail   = 320
)

// A membership is the roles somebody has in one organisation.
type membership struct {
	Org   identity.Org
	Roles []identity.Role
}

// A proof is what the office vouched for.
type proof struct {
	issuer, subject string
	name, email     string
	members         []membership // in order of the organisations' names
	ignored         []string     // groups that begin like ours and name no role or organisation here
}

// claims are the parts of an identity token we read beside the groups.
type claims struct {
	Name      string `json:"name"`
	Preferred string `json:"preferred_username"`
	Email     string `json:"email"`
}

// shown is what pages call the person.
func (c claims) shown() string {
	for _, name := range []string{c.Name, c.Preferred, c.Email} {
		if name = tidy(name, mostName); name != "" {
			return name
		}
	}
	return ""
}

// tidy bounds a text of the office's and takes out what cannot be shown.
func tidy(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	runes := []rune(strings.TrimSpace(s))
	return string(runes[:min(len(runes), most)])
}

// groupsIn reads a claim that holds groups: a list of texts, or one text.
func groupsIn(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil {
		return nil, fault.From(fault.Unavailable, err, "the office's groups are not a list of names").Because("office_groups")
	}
	if len(many) > mostGroups {
		return nil, fault.New(fault.TooLarge, "the office lists over %d groups", mostGroups).
			WithNext("have it send only those that begin with %s", groupPrefix).Because("office_groups")
	}
	return many, nil
}

// members sorts groups into roles by organisation. What begins like ours and
// names no role we know is given back; whether an organisation is here is not
// known yet.
func members(groups []string) (found []membership, ignored []string) {
	held := map[identity.Org][]identity.Role{}
	for _, g := range groups {
		rest, ours := strings.CutPrefix(g, groupPrefix)
		if !ours {
			continue
		}
		org, role, _ := strings.Cut(rest, "/")
		o, orgErr := identity.ParseOrg(org)
		r, roleErr := identity.ParseRole(role)
		switch {
		case orgErr != nil || roleErr != nil:
			ignored = append(ignored, tidy(g, mostName))
		case !slices.Contains(held[o], r):
			held[o] = append(held[o], r)
		}
	}
	for org, roles := range held {
		slices.SortFunc(roles, func(a, b identity.Role) int {
			return slices.Index(identity.Roles(), a) - slices.Index(identity.Roles(), b)
		})
		found = append(found, membership{Org: org, Roles: roles})
	}
	slices.SortFunc(found, func(a, b membership) int { return strings.Compare(string(a.Org), string(b.Org)) })
	return found, ignored
}

// group is the claim that carries a role.
func group(org identity.Org, role identity.Role) string {
	return groupPrefix + string(org) + "/" + string(role)
}
