package policy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// attribute guesses `.` and `has`.
func (v *view) attribute(n node) guess {
	path := pathOf(n.part("left"))
	attr := n.word("attr")
	switch {
	case path == "context":
		if n.op == "has" {
			return sure(true) // the checker lets only those through that there are
		}
		return v.context(attr)
	case path == "principal":
		if n.op == "has" {
			return sure(true)
		}
		return v.whoIs("principal.id", "who it is")
	case path == "context.args":
		return v.member(n.op, v.args, v.fields, path+"."+attr, "args."+attr, attr)
	case path == "resource":
		return v.member(n.op, v.values, nil, path+"."+attr, "resource."+attr, attr)
	}
	left := v.eval(n.part("left"))
	name := strings.TrimPrefix(path+"."+attr, "context.")
	if path == "" {
		name = attr
	}
	out := guess{fails: true, never: left.never, reads: union(left.reads, []string{name})}
	if n.op == "has" {
		out.fails = left.fails
	}
	return out
}

func (v *view) context(attr string) guess {
	if s, ok := v.known[attr]; ok {
		return sure(s)
	}
	switch attr {
	case "roles":
		if v.anyRole {
			return depends("the role")
		}
		return wordSet(v.roles)
	case "scopes":
		if v.anyRole {
			return depends("the token's scopes")
		}
		return wordSet(v.scopes)
	case "taint":
		if v.taint != nil {
			return sure(*v.taint)
		}
		return depends("whether text from outside was read")
	case "on_behalf_of":
		return v.whoIs("on_behalf_of", "for whom")
	}
	return depends(attr)
}

func (v *view) whoIs(name, otherwise string) guess {
	if id, ok := v.who[name]; ok {
		return sure(string(id))
	}
	return depends(otherwise)
}

// wordSet is a set of words as a guess.
func wordSet[T ~string](all []T) guess {
	members := make([]guess, len(all))
	for i, w := range all {
		members[i] = sure(string(w))
	}
	return sure(members)
}

// member guesses a member of the arguments or of the resource: read, or asked
// about.
func (v *view) member(op string, values map[string]cedar.Value, fields map[string]bool, path, name, attr string) guess {
	must, listed := fields[attr]
	switch {
	case values != nil:
		value, there := values[attr]
		if op == "has" {
			return sure(there)
		}
		if !there {
			return guess{never: true, reads: []string{name}}
		}
		return valued(value, name)
	case fields != nil && !listed:
		if op == "has" {
			return sure(false)
		}
		return guess{never: true, reads: []string{name}}
	case op == "has" && must:
		return sure(true)
	case op == "has" && v.has[path]:
		return sure(true)
	case op == "has":
		return depends(name)
	}
	return guess{fails: !must && !v.has[path], reads: []string{name}}
}

// valued is a value of Cedar's as a guess; what is neither a truth, a word nor a
// number counts as not known.
func valued(value cedar.Value, name string) guess {
	switch t := value.(type) {
	case cedar.Boolean:
		return sure(bool(t))
	case cedar.String:
		return sure(string(t))
	case cedar.Long:
		return sure(int64(t))
	}
	return guess{fails: true, reads: []string{name}}
}

// equal guesses == and !=, which never fail by themselves.
func (v *view) equal(n node) guess {
	a, b := n.part("left"), n.part("right")
	g, ok := v.sameEntity(a, b)
	if !ok {
		if g, ok = v.sameEntity(b, a); !ok {
			l, r := v.eval(a), v.eval(b)
			g = l.and(r)
			g.value = nil
			if same, known := sameValue(l.value, r.value); known {
				g.value = same
			}
		}
	}
	if n.op == "!=" {
		return not(g)
	}
	return g
}

// sameValue compares two known values of the kinds that compare by Go's ==.
func sameValue(a, b any) (same, known bool) {
	plain := func(x any) bool {
		switch x.(type) {
		case bool, string, int64, entity:
			return true
		}
		return false
	}
	if !plain(a) || !plain(b) {
		return false, false
	}
	return a == b, true
}

// sameEntity guesses the comparison of a variable with an entity that is spelt
// out.
func (v *view) sameEntity(a, b node) (guess, bool) {
	e, spelt := b.entity()
	if !spelt {
		return guess{}, false
	}
	switch {
	case a.variable("principal"):
		return v.principal(scope{Op: "==", Entity: &e}), true
	case a.variable("action"):
		return sure(e.Type == "Action" && e.ID == string(v.action.ID)), true
	case a.variable("resource"):
		return depends("which case"), true
	}
	return guess{}, false
}

// within guesses `in`.
func (v *view) within(n node) guess {
	left, right := n.part("left"), n.part("right")
	in := func(e entity) guess {
		switch {
		case left.variable("principal") && e.Type == "Role":
			return v.in(e)
		case left.variable("action") && e.Type == "Action":
			return sure(e.ID == string(v.action.ID))
		}
		return depends("who or what it is")
	}
	if e, ok := right.entity(); ok {
		return in(e)
	}
	if right.op != "Set" {
		return v.other(n)
	}
	out := sure(false)
	for _, m := range right.nodes() {
		e, ok := m.entity()
		if !ok {
			return v.other(n)
		}
		out = either(out, in(e))
	}
	return out
}

func (v *view) isType(n node) guess {
	left, typ := n.part("left"), n.word("entity_type")
	g := guess{fails: true}
	switch {
	case left.variable("principal"):
		g = v.is(typ)
	case left.variable("resource"):
		g = sure(typ == "Case")
	default:
		g = g.and(v.eval(left))
	}
	if in := n.part("in"); in.op != "" {
		e, ok := in.entity()
		if !ok || !left.variable("principal") {
			return both(g, guess{fails: true, reads: []string{"who or what it is"}})
		}
		g = both(g, v.in(e))
	}
	return g
}

func (v *view) like(n node) guess {
	left := v.eval(n.part("left"))
	s, ok := left.value.(string)
	if !ok {
		left.value, left.fails = nil, true
		return left
	}
	body, _ := n.body.(map[string]any)
	plain, err := json.Marshal(body["pattern"])
	var pattern cedar.Pattern
	if err != nil || pattern.UnmarshalJSON(plain) != nil {
		return guess{fails: true}
	}
	left.value = pattern.Match(cedar.String(s))
	return left
}

// ofSet guesses the questions to a set.
func (v *view) ofSet(n node) guess {
	if n.op == "isEmpty" {
		g := v.eval(n.part("arg"))
		members, ok := g.value.([]guess)
		if !ok {
			g.value, g.fails = nil, true
			return g
		}
		g.value = len(members) == 0
		return g
	}
	left, right := v.eval(n.part("left")), v.eval(n.part("right"))
	out := left.and(right)
	out.value = nil
	members, ok := left.value.([]guess)
	if !ok {
		out.fails = true
		return out
	}
	if n.op == "contains" {
		return holds(out, members, []guess{right}, true)
	}
	sought, ok := right.value.([]guess)
	if !ok {
		out.fails = true
		return out
	}
	return holds(out, members, sought, n.op == "containsAll")
}

// holds reports whether a set holds all of some values, or any of them, where
// every value is known.
func holds(out guess, members, sought []guess, all bool) guess {
	found := 0
	for _, s := range sought {
		there := slices.ContainsFunc(members, func(m guess) bool { same, _ := sameValue(m.value, s.value); return same })
		_, plain := sameValue(s.value, s.value)
		if !plain || slices.ContainsFunc(members, func(m guess) bool { _, ok := sameValue(m.value, m.value); return !ok }) {
			return out
		}
		if there {
			found++
		}
	}
	out.value = found > 0
	if all {
		out.value = found == len(sought)
	}
	return out
}
