package policy

import (
	"encoding/json"
	"slices"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/identity"
)

// A guess is what can be said of an expression when not all of a question is
// known: its value, or that it depends, and on what. It errs on one side only: a
// value that is called known is the one that Cedar would compute, unless the
// evaluation fails, and whether it may fail is part of the guess.
//
// Cedar-go has partial evaluation too, in the part of the library that may change
// at any time; this one walks the JSON form, which is specified, and a property
// test holds it to Cedar's own answers.
type guess struct {
	value any // bool, string, int64, entity, []guess of a set; nil if it depends
	fails bool
	never bool     // it fails for certain
	reads []string // what it depends on
}

func sure(v any) guess { return guess{value: v} }

func depends(on ...string) guess { return guess{reads: on} }

// isTrue and isFalse report what a truth value is for certain; a guess that may
// also fail is neither.
func (g guess) isTrue() bool  { return g.value == any(true) && !g.fails && !g.never }
func (g guess) isFalse() bool { return g.value == any(false) && !g.fails && !g.never }

// couldBeTrue reports whether a truth value may turn out true.
func (g guess) couldBeTrue() bool { return !g.never && (g.value == nil || g.value == any(true)) }

// and joins what two guesses depend on and whether they may fail, for a value
// that needs both.
func (g guess) and(h guess) guess {
	g.fails = g.fails || h.fails
	g.never = g.never || h.never
	g.reads = union(g.reads, h.reads)
	return g
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// A view is the part of a question that is known.
type view struct {
	action  cedar.EntityUID
	kind    identity.Kind           // of the principal; empty if it may be anybody
	roles   []identity.Role         // that they are in
	anyRole bool                    // the roles are not known, nor the scopes
	scopes  []string                // of a machine's token
	known   map[string]string       // attributes of the context: act, tool, app, effect, org
	args    map[string]cedar.Value  // the arguments themselves; nil if they are not known
	fields  map[string]bool         // the arguments that there can be, true for those that must be there; nil if not known
	taint   *bool                   // whether text from outside was read; nil if not known
	has     map[string]bool         // what a `has` before made sure of, on the way down
	values  map[string]cedar.Value  // attributes of the resource; nil if they are not known
	who     map[string]cedar.String // principal.id and on_behalf_of, where they are known
}

// fieldsOf are the members that a JSON Schema of an object lets through; nil if
// it lets everything through.
func fieldsOf(schema json.RawMessage) map[string]bool {
	var s struct {
		Properties map[string]json.RawMessage
		Required   []string
		Additional any `json:"additionalProperties"`
	}
	if json.Unmarshal(schema, &s) != nil || s.Additional != any(false) {
		return nil
	}
	fields := map[string]bool{}
	for name := range s.Properties {
		fields[name] = slices.Contains(s.Required, name)
	}
	return fields
}

// policy guesses whether a policy applies: true, false, or that it depends.
func (v *view) policy(f form) guess {
	g := v.brackets(f)
	for _, c := range f.Conditions {
		if g.isFalse() || g.never {
			return g
		}
		next := v.eval(nodeOf(c.Body))
		if c.Kind == "unless" {
			next = not(next)
		}
		g = both(g, next)
	}
	return g
}

// brackets guesses what stands between the brackets: principal, action and
// resource.
func (v *view) brackets(f form) guess {
	g := v.principal(f.Principal)
	g = both(g, v.actionIs(f.Action))
	if f.Resource.Op == "==" {
		g = both(g, depends("which case"))
	}
	return g
}

func (v *view) principal(s scope) guess {
	switch s.Op {
	case "All":
		return sure(true)
	case "==":
		if v.kind != "" && string(actorTypes[v.kind]) != s.Entity.Type {
			return sure(false)
		}
		if id, ok := v.who["principal.id"]; ok && v.kind != "" {
			return sure(string(id) == s.Entity.ID)
		}
		return depends("who it is")
	case "in":
		return v.in(*s.Entity)
	}
	g := v.is(s.EntityType)
	if s.In != nil {
		g = both(g, v.in(s.In.Entity))
	}
	return g
}

func (v *view) is(typ string) guess {
	if v.kind == "" {
		return depends("who it is")
	}
	return sure(string(actorTypes[v.kind]) == typ)
}

func (v *view) in(role entity) guess {
	if v.anyRole {
		return depends("the role")
	}
	return sure(role.Type == "Role" && slices.Contains(v.roles, identity.Role(role.ID)))
}

func (v *view) actionIs(s scope) guess {
	all := s.Entities
	if s.Entity != nil {
		all = append(slices.Clone(all), *s.Entity)
	}
	if s.Op == "All" {
		return sure(true)
	}
	return sure(slices.ContainsFunc(all, func(e entity) bool { return e.Type == "Action" && e.ID == string(v.action.ID) }))
}

func not(g guess) guess {
	if b, ok := g.value.(bool); ok {
		g.value = !b
	}
	return g
}

// both is &&: the right side is not looked at where the left one is false.
func both(l, r guess) guess {
	switch {
	case l.never:
		return l
	case l.value == any(false):
		return l
	case l.value == any(true):
		r.fails, r.reads = r.fails || l.fails, union(l.reads, r.reads)
		return r
	case r.never || r.value == any(false): // false, or a failure
		return guess{value: false, fails: l.fails || r.fails || r.never, reads: union(l.reads, r.reads)}
	}
	return guess{fails: l.fails || r.fails, reads: union(l.reads, r.reads)}
}

// either is ||.
func either(l, r guess) guess { return not(both(not(l), not(r))) }

// eval guesses an expression.
func (v *view) eval(n node) guess {
	switch n.op {
	case "Value":
		return literal(n)
	case "Var":
		return depends()
	case "Set":
		return v.set(n)
	case "!":
		return not(v.eval(n.part("arg")))
	case "&&":
		left := v.eval(n.part("left"))
		return both(left, v.given(n.part("left")).eval(n.part("right")))
	case "||":
		return either(v.eval(n.part("left")), v.eval(n.part("right")))
	case "==", "!=":
		return v.equal(n)
	case "in":
		return v.within(n)
	case "is":
		return v.isType(n)
	case ".", "has":
		return v.attribute(n)
	case "like":
		return v.like(n)
	case "contains", "containsAll", "containsAny", "isEmpty":
		return v.ofSet(n)
	case "if-then-else":
		return v.choice(n)
	}
	return v.other(n)
}

// given is the view once an expression was true: what it asked with `has` is
// there.
func (v *view) given(n node) *view {
	names := assured(n)
	if len(names) == 0 {
		return v
	}
	next := *v
	next.has = map[string]bool{}
	for name := range v.has {
		next.has[name] = true
	}
	for _, name := range names {
		next.has[name] = true
	}
	return &next
}

// assured lists the paths that an expression, once true, makes sure of.
func assured(n node) []string {
	switch n.op {
	case "&&":
		return append(assured(n.part("left")), assured(n.part("right"))...)
	case "has":
		if p := pathOf(n.part("left")); p != "" {
			return []string{p + "." + n.word("attr")}
		}
	}
	return nil
}

// pathOf is an expression as a path of attributes, "context.args.van"; empty if
// it is none.
func pathOf(n node) string {
	switch n.op {
	case "Var":
		s, _ := n.body.(string)
		return s
	case ".":
		if p := pathOf(n.part("left")); p != "" {
			return p + "." + n.word("attr")
		}
	}
	return ""
}

// exact is the least whole number beyond which JSON's numbers have gaps.
const exact = 1 << 53

func literal(n node) guess {
	switch b := n.body.(type) {
	case bool, string:
		return sure(b)
	case float64:
		if b > -exact && b < exact {
			return sure(int64(b))
		}
		return guess{} // a number that JSON does not carry exactly
	}
	if e, ok := n.entity(); ok {
		return sure(e)
	}
	return guess{fails: true}
}

func (v *view) set(n node) guess {
	var members []guess
	out := guess{}
	for _, m := range n.nodes() {
		g := v.eval(m)
		out = out.and(g)
		members = append(members, g)
	}
	if !out.fails && !out.never && !slices.ContainsFunc(members, func(g guess) bool { return g.value == nil }) {
		out.value = members
		if members == nil {
			out.value = []guess{}
		}
	}
	return out
}

// other is every operator whose value is not computed here: it depends on what
// stands in it, and may fail.
func (v *view) other(n node) guess {
	parts := n.nodes()
	for _, name := range []string{"left", "right", "arg"} {
		if p := n.part(name); p.op != "" {
			parts = append(parts, p)
		}
	}
	out := guess{fails: true}
	var numbers []int64
	for _, p := range parts {
		g := v.eval(p) // once: nested sums would take for ever
		out = out.and(g)
		if n, ok := g.value.(int64); ok && !g.fails && !g.never {
			numbers = append(numbers, n)
		}
	}
	if len(parts) == 2 && len(numbers) == 2 {
		return compare(n.op, numbers[0], numbers[1], out)
	}
	return out
}

// compare is < and its like, of two numbers that are known.
func compare(op string, a, b int64, otherwise guess) guess {
	switch op {
	case "<":
		return sure(a < b)
	case "<=":
		return sure(a <= b)
	case ">":
		return sure(a > b)
	case ">=":
		return sure(a >= b)
	}
	return otherwise
}

func (v *view) choice(n node) guess {
	cond := v.eval(n.part("if"))
	then, other := v.given(n.part("if")).eval(n.part("then")), v.eval(n.part("else"))
	switch cond.value {
	case any(true):
		return then.and(guess{fails: cond.fails, never: cond.never, reads: cond.reads})
	case any(false):
		return other.and(guess{fails: cond.fails, never: cond.never, reads: cond.reads})
	}
	out := guess{fails: cond.fails || then.fails || other.fails || then.never || other.never, never: cond.never,
		reads: union(cond.reads, union(then.reads, other.reads))}
	if a, ok := then.value.(bool); ok && then.value == other.value {
		out.value = a
	}
	return out
}
