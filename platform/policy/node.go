package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A node is an expression in Cedar's JSON form: an object with one member, whose
// name is the operator. The zero node is none.
type node struct {
	op   string
	body any // as encoding/json reads it
}

func nodeOf(v any) node {
	m, _ := v.(map[string]any)
	if len(m) != 1 {
		return node{}
	}
	var n node
	for n.op, n.body = range m {
	}
	return n
}

// part is the operand of a name.
func (n node) part(name string) node {
	m, _ := n.body.(map[string]any)
	return nodeOf(m[name])
}

// word is a text that belongs to the operator, such as an attribute's name.
func (n node) word(name string) string {
	m, _ := n.body.(map[string]any)
	s, _ := m[name].(string)
	return s
}

// nodes are the operands of a set or of a function.
func (n node) nodes() []node {
	list, _ := n.body.([]any)
	all := make([]node, len(list))
	for i, v := range list {
		all[i] = nodeOf(v)
	}
	return all
}

// variable reports whether an expression is just this variable.
func (n node) variable(name string) bool { return n.op == "Var" && n.body == any(name) }

// attribute is the name of the attribute of the context that an expression
// reads; "" for any other expression.
func (n node) attribute() string {
	if n.op == "." && n.part("left").variable("context") {
		return n.word("attr")
	}
	return ""
}

// literals are the texts an expression spells out: a string, or a set of them.
func (n node) literals() []string {
	if s, ok := n.body.(string); ok && n.op == "Value" {
		return []string{s}
	}
	var all []string
	if n.op == "Set" {
		for _, m := range n.nodes() {
			all = append(all, m.literals()...)
		}
	}
	return all
}

// entity is the entity an expression spells out.
func (n node) entity() (entity, bool) {
	m, _ := n.body.(map[string]any)
	ref, ok := m["__entity"].(map[string]any)
	if n.op != "Value" || !ok {
		return entity{}, false
	}
	typ, _ := ref["type"].(string)
	id, _ := ref["id"].(string)
	return entity{Type: typ, ID: id}, true
}

// want asks for an expression of one of some types. Every expression is looked
// at once, or deep policies would take for ever.
func (c *checker) want(n node, of ...kind) error {
	got, err := c.typeOf(n)
	if err != nil {
		return err
	}
	return fits(got, of...)
}

// fits accepts a type that is one of some, or not known.
func fits(got kind, of ...kind) error {
	if got == unknown || slices.Contains(of, got) {
		return nil
	}
	names := make([]string, len(of))
	for i, k := range of {
		names[i] = string(k)
	}
	return fmt.Errorf("%s stands where only %s makes sense", got, strings.Join(names, " or "))
}

// alike refuses two types that are known to differ.
func alike(a, b kind) error {
	if a != b && a != unknown && b != unknown {
		return fmt.Errorf("%s is never equal to %s", a, b)
	}
	return nil
}

// two are the types of both operands.
func (c *checker) two(n node) (left, right kind, err error) {
	if left, err = c.typeOf(n.part("left")); err != nil {
		return "", "", err
	}
	right, err = c.typeOf(n.part("right"))
	return left, right, err
}
