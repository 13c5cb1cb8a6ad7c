package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// actorTypes are Cedar's names for the kinds of actor.
var actorTypes = map[identity.Kind]cedar.EntityType{
	identity.Person: "Person", identity.Agent: "Agent", identity.Machine: "Machine", identity.System: "System",
}

// effects are what a tool may do, as package tool names them.
var effects = []string{"read", "write", "outside"}

// partForm is an app's name or a tool's; scopeForm is what a machine's token is
// good for.
var (
	partForm  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	scopeForm = regexp.MustCompile(`^(read|ingest|propose)(:[a-z][a-z0-9_]{0,63})?$`)
)

// A mention is a tool, or a pattern of tools, that a policy names.
type mention struct {
	policy, at string
	words      string
	matches    func(tool string) bool
}

// CheckTools refuses policies that name a tool there is not. Known are the tools
// of the installation as "app.name". It is asked once, at start, by whoever has
// the registry.
func (s *Set) CheckTools(known ...string) error {
	if s == nil {
		return nil
	}
	for _, m := range s.mentions {
		if !slices.ContainsFunc(known, m.matches) {
			return fault.New(fault.Invalid, "%s: %s: there is no tool %s", m.at, m.policy, m.words)
		}
	}
	return nil
}

// compared checks the words that an attribute of the context is compared with.
func (c *checker) compared(attribute string, with []string) error {
	for _, word := range with {
		if err := c.word(attribute, word); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) word(attribute, word string) error {
	switch attribute {
	case "tool":
		app, name, ok := strings.Cut(word, ".")
		if !ok || !partForm.MatchString(app) || !partForm.MatchString(name) {
			return fmt.Errorf("%.90q is not a tool; write app.name", word)
		}
		c.found = append(c.found, mention{words: word, matches: func(tool string) bool { return tool == word }})
	case "app":
		c.found = append(c.found, mention{words: word + ".*", matches: func(tool string) bool { return strings.HasPrefix(tool, word+".") }})
	case "act":
		if !slices.ContainsFunc(c.acts, func(a Act) bool { return a.Name == word }) {
			return fmt.Errorf("no act%s is called %.60q", c.whose, word)
		}
	case "effect":
		if !slices.Contains(effects, word) {
			return fmt.Errorf("no effect is called %.60q; there are %s", word, strings.Join(effects, ", "))
		}
	case "roles":
		return roleName(word)
	case "scopes":
		if !scopeForm.MatchString(word) {
			return fmt.Errorf("%.60q is not a scope; write read:…, ingest:… or propose:…, or the verb alone for any of them", word)
		}
	}
	return nil
}

// roleName accepts the name of a role there is.
func roleName(name string) error {
	_, err := identity.ParseRole(name)
	return err
}

// equality checks == and !=, which never fail and so must be looked at here.
func (c *checker) equality(n node) error {
	left, right, err := c.two(n)
	if err != nil {
		return err
	}
	if err := alike(left, right); err != nil {
		return err
	}
	a, b := n.part("left"), n.part("right")
	for _, side := range [][2]node{{a, b}, {b, a}} {
		if err := c.compared(side[0].attribute(), side[1].literals()); err != nil {
			return err
		}
		if e, ok := side[1].entity(); ok {
			if err := same(side[0], e); err != nil {
				return err
			}
		}
	}
	return nil
}

// same checks an entity that a variable is compared with.
func same(n node, e entity) error {
	switch {
	case n.variable("principal"):
		return actor(e)
	case n.variable("resource") && e.Type != "Case":
		return fmt.Errorf("a resource is a case, never %s", e)
	case n.variable("action") && e.Type != "Action":
		return fmt.Errorf("%s is not an action", e)
	}
	return nil
}

// membership checks `in`.
func (c *checker) membership(n node) error {
	left, right, err := c.two(n)
	if err != nil {
		return err
	}
	if err := fits(left, thing); err != nil {
		return err
	}
	return fits(right, thing, set)
}

// contains checks the three questions to a set. Words may stand on either side:
// context.roles.contains("hr") and ["a.x", "a.y"].contains(context.tool).
func (c *checker) contains(n node) error {
	left, right, err := c.two(n)
	if err != nil {
		return err
	}
	if err := fits(left, set); err != nil {
		return err
	}
	a, b := n.part("left"), n.part("right")
	switch {
	case n.op != "contains":
		err = fits(right, set)
	case a.attribute() == "roles", a.attribute() == "scopes":
		err = fits(right, text)
	}
	if err != nil {
		return err
	}
	if err := c.members(n.op, a, b, right); err != nil {
		return err
	}
	if err := c.compared(a.attribute(), b.literals()); err != nil {
		return err
	}
	return c.compared(b.attribute(), a.literals())
}

// members refuses what is spelt out and can never be found: a number in a set of
// texts is not there, and Cedar says no more about it.
func (c *checker) members(op string, a, b node, right kind) error {
	sought := right
	spelt := a.nodes()
	if op != "contains" {
		sought = unknown
		if a.attribute() == "roles" || a.attribute() == "scopes" {
			sought, spelt = text, b.nodes()
		}
	}
	for _, m := range spelt {
		if m.op != "Value" {
			continue
		}
		k, err := c.value(m)
		if err != nil {
			return err
		}
		if err := alike(k, sought); err != nil {
			return err
		}
	}
	return nil
}

// like checks a pattern; one on the tool must match some tool, one on the act
// some act.
func (c *checker) like(n node) error {
	left := n.part("left")
	on := left.attribute()
	if err := c.want(left, text); err != nil || on != "tool" && on != "act" {
		return err
	}
	body, _ := n.body.(map[string]any)
	plain, err := json.Marshal(body["pattern"])
	if err != nil {
		return err
	}
	var pattern cedar.Pattern
	if err := pattern.UnmarshalJSON(plain); err != nil {
		return err
	}
	if on == "act" {
		if !slices.ContainsFunc(c.acts, func(a Act) bool { return pattern.Match(cedar.String(a.Name)) }) {
			return fmt.Errorf("no act%s is like %s", c.whose, pattern.MarshalCedar())
		}
		return nil
	}
	c.found = append(c.found, mention{
		words:   "like " + string(pattern.MarshalCedar()),
		matches: func(tool string) bool { return pattern.Match(cedar.String(tool)) },
	})
	return nil
}

// is checks `is` and `is … in`.
func (c *checker) is(n node) error {
	left, typ := n.part("left"), n.word("entity_type")
	if err := c.want(left, thing); err != nil {
		return err
	}
	if left.variable("resource") && typ != "Case" {
		return fmt.Errorf("a resource is a case, never a %.60q", typ)
	}
	if !left.variable("resource") && typ != "Case" {
		if err := actorType(typ); err != nil {
			return err
		}
	}
	if in := n.part("in"); in.op != "" {
		return c.want(in, thing, set)
	}
	return nil
}
