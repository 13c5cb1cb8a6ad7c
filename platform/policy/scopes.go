package policy

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Scopes lists every scope that a token can have to any purpose, in order: those
// that a policy names, and for each application with tools the two that lead to
// them. A token with another would be let in and could do nothing.
func (r *Rules) Scopes() []string {
	var all []string
	for _, name := range r.Sets() {
		set := r.Set(name)
		if set == nil {
			continue
		}
		for _, p := range set.policies {
			for _, c := range p.form.Conditions {
				all = append(all, scopesIn(c.Body)...)
			}
		}
		if name != Own && r.App(name) != nil && len(set.policies) > 0 {
			all = append(all, "read:"+name, "propose:"+name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// scopesIn finds what is written like a scope anywhere in an expression.
func scopesIn(v any) (all []string) {
	switch v := v.(type) {
	case string:
		if scopeForm.MatchString(v) && strings.Contains(v, ":") { // its verb alone is no scope
			all = append(all, v)
		}
	case []any:
		for _, part := range v {
			all = append(all, scopesIn(part)...)
		}
	case map[string]any:
		for _, part := range v { // in any order: whoever asks sorts
			all = append(all, scopesIn(part)...)
		}
	}
	return all
}

// scopesFor are the scopes with one of which a token may do an act.
func (r *Rules) scopesFor(org identity.Org, act ruled) []string {
	return slices.DeleteFunc(r.Scopes(), func(scope string) bool {
		return !r.ask(identity.Actor{Kind: identity.Machine, ID: "any", Org: org, Scopes: []string{scope}}, act).Call
	})
}

// CheckScope refuses a scope that there is not, and names the one it looks most
// like.
func (r *Rules) CheckScope(scope string) error {
	all := r.Scopes()
	if slices.Contains(all, scope) {
		return nil
	}
	there := "there are: " + strings.Join(all, ", ")
	if near := fault.Nearest(scope, 3, all); near != "" { // more slips are another word
		there = "did you mean " + near + "? " + there
	}
	return fault.New(fault.Invalid, "no scope is called %.60q", scope).WithNext("%s", there)
}
