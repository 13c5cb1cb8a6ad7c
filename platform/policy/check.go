package policy

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cedar-policy/cedar-go"
)

// A checker looks at one policy in Cedar's JSON form, which is specified and
// stable, where the Go syntax tree is declared experimental.
//
// It knows the types of everything but the arguments of a tool and the
// attributes of a resource; those are of type unknown and go with anything. The
// rest must fit, since Cedar calls two values of different types unequal without
// a word: `context.taint == "true"` in a forbid would forbid nothing, for ever.
type checker struct {
	dialect
	found []mention
}

// scope is the principal, action or resource between the brackets of a policy.
type scope struct {
	Op         string   `json:"op"`
	Entity     *entity  `json:"entity"`
	Entities   []entity `json:"entities"`
	EntityType string   `json:"entity_type"`
	In         *struct {
		Entity entity `json:"entity"`
	} `json:"in"`
}

type entity struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func (e entity) String() string { return fmt.Sprintf("%s::%q", e.Type, e.ID) }

// A form is a policy in that form.
type form struct {
	Effect                      string
	Principal, Action, Resource scope
	Conditions                  []struct {
		Kind string // when or unless
		Body any
	}
}

func (f form) permits() bool { return f.Effect == "permit" }

func formOf(p *cedar.Policy) (f form, err error) {
	text, err := p.MarshalJSON()
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// check finds the first thing in a policy that cannot be meant in a dialect, and
// every mention of a tool.
func (d dialect) check(f form) ([]mention, error) {
	if err := f.Principal.principal(); err != nil {
		return nil, err
	}
	if err := d.action(f.Action, f.permits()); err != nil {
		return nil, err
	}
	if err := f.Resource.resource(); err != nil {
		return nil, err
	}
	c := checker{dialect: d}
	for _, cond := range f.Conditions {
		if err := c.want(nodeOf(cond.Body), boolean); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

// A dialect is what one family of policies may speak about.
type dialect struct {
	actions []string
	permits string // how a permit names its actions, for a message
	context map[string]kind
	acts    []Act  // that a policy may name
	whose   string // whose they are, for a message: " of yard", or nothing for the platform's
}

// ofTools is the dialect of policies on tools. Those on acts have another, and
// neither can be spoken in the other's files.
var ofTools = dialect{actions: []string{string(call.ID), string(unattended.ID)},
	permits: `action == Action::"call", or action in [Action::"call", Action::"call_unattended"]`, context: toolKinds}

// ofActs is the dialect of policies on some acts, the platform's or those of one
// application. They name no others, so that no application lets anybody do what is
// not its own.
func ofActs(whose string, acts []Act) dialect {
	return dialect{actions: []string{string(do.ID)}, permits: `action == Action::"do"`, context: actKinds, acts: acts, whose: whose}
}

func (s scope) principal() error {
	switch s.Op {
	case "All":
		return nil
	case "==":
		return actor(*s.Entity)
	case "in":
		return role(*s.Entity)
	}
	if err := actorType(s.EntityType); err != nil || s.In == nil {
		return err
	}
	return role(s.In.Entity)
}

// action takes no silence from a permit: what is left out would be unattended.
func (d dialect) action(s scope, permit bool) error {
	all := s.Entities
	if s.Entity != nil {
		all = append(all, *s.Entity)
	}
	if s.Op == "All" && !permit {
		return nil
	}
	if len(all) == 0 {
		return fmt.Errorf("a permit says what it permits: %s", d.permits)
	}
	for _, e := range all {
		if err := d.known(e); err != nil {
			return err
		}
		if e.Type != "Action" {
			return fmt.Errorf("%s is not an action", e)
		}
	}
	return nil
}

func (s scope) resource() error {
	switch {
	case s.Op == "All":
		return nil
	case s.Op == "is" && s.In == nil && s.EntityType == "Case":
		return nil
	case s.Op == "==" && s.Entity.Type == "Case":
		return nil
	}
	return fmt.Errorf(`a resource is a case: resource, resource is Case, or resource == Case::"case_…"`)
}

// actor accepts an entity that can be a principal.
func actor(e entity) error {
	if e.Type == "Role" {
		return fmt.Errorf("nobody is a role: write principal in %s", e)
	}
	return actorType(e.Type)
}

func actorType(name string) error {
	for _, t := range actorTypes {
		if string(t) == name {
			return nil
		}
	}
	return fmt.Errorf("no actor is a %.60q; there are Person, Agent, Machine and System", name)
}

// role accepts a role there is.
func role(e entity) error {
	if e.Type != "Role" {
		return fmt.Errorf("an actor is in a role and in nothing else, not in %s", e)
	}
	return roleName(e.ID)
}

// known accepts an entity whose type, and for roles and actions whose name, is
// one there is.
func (d dialect) known(e entity) error {
	switch e.Type {
	case "Role":
		return roleName(e.ID)
	case "Action":
		if !slices.Contains(d.actions, e.ID) {
			return fmt.Errorf("no action is called %.60q; there is %q", e.ID, d.actions)
		}
		return nil
	case "Case":
		return nil
	}
	return actorType(e.Type)
}
