package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// Back takes an answer made to Strict's schema back to the schema itself: a
// null that stands for "left out" is left out. Anything else, and anything that
// is not JSON, comes back as it was, byte for byte.
func Back(schema json.RawMessage, answer string) string {
	if !strings.Contains(answer, "null") {
		return answer
	}
	root, err := parseSchema(schema)
	if err != nil {
		return answer
	}
	v, err := parse([]byte(answer))
	if err != nil {
		return answer
	}
	r := returner{root: root}
	r.back(root, v, 0)
	if !r.changed {
		return answer
	}
	return string(v.bytes())
}

// A returner takes one answer back.
type returner struct {
	root    *value // of the schema, for references
	changed bool
	steps   int               // taken so far: references may go in circles
	known   map[string]*value // references looked up
}

// tired reports whether the schema has led us around for too long. The answer
// then stays as it is.
func (r *returner) tired() bool {
	const most = 100_000
	r.steps++
	return r.steps > most
}

func (r *returner) back(s, v *value, depth int) {
	if depth > maxDepth || r.tired() {
		return
	}
	s = r.resolve(s, v, 0)
	if s == nil {
		return
	}
	if items := s.get("items"); items != nil && v.kind == array {
		for _, item := range v.items {
			r.back(items, item, depth+1)
		}
	}
	properties := s.get("properties")
	if properties == nil || v.kind != object {
		return
	}
	required := s.strings("required")
	for _, name := range slices.Clone(v.keys) {
		property, member := properties.get(name), v.get(name)
		if property == nil {
			continue
		}
		if null(member) && !slices.Contains(required, name) && !r.takesNull(property, 0) {
			v.remove(name)
			r.changed = true
			continue
		}
		r.back(property, member, depth+1)
	}
}

// resolve follows a reference, and among alternatives takes the first that
// knows all the names an object has.
func (r *returner) resolve(s, v *value, depth int) *value {
	if depth > maxDepth || r.tired() {
		return nil
	}
	if ref := s.word("$ref"); ref != "" {
		to := r.lookUp(ref)
		if to == nil {
			return nil
		}
		return r.resolve(to, v, depth+1)
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		several := s.get(name)
		if several == nil {
			continue
		}
		for _, one := range several.items {
			if found := r.resolve(one, v, depth+1); found != nil && fits(found, v) {
				return found
			}
		}
		return nil
	}
	return s
}

// fits reports whether a schema is of the value's kind and knows its names.
func fits(s, v *value) bool {
	switch v.kind {
	case object:
		properties := s.get("properties")
		return properties != nil && !slices.ContainsFunc(v.keys, func(name string) bool { return properties.get(name) == nil })
	case array:
		return s.get("items") != nil
	default:
		return false // nothing to take out of it
	}
}

// takesNull reports whether a schema accepts null, so that null means null.
func (r *returner) takesNull(s *value, depth int) bool {
	if s.kind != object || depth > maxDepth || r.tired() {
		return s.raw == true
	}
	if ref := s.word("$ref"); ref != "" {
		to := r.lookUp(ref)
		return to != nil && r.takesNull(to, depth+1)
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if several := s.get(name); several != nil {
			return slices.ContainsFunc(several.items, func(one *value) bool { return r.takesNull(one, depth+1) })
		}
	}
	if s.get("const") != nil {
		return null(s.get("const"))
	}
	if enum := s.get("enum"); enum != nil {
		return slices.ContainsFunc(enum.items, null)
	}
	return s.get("type") == nil || s.hasType("null")
}

// unescape undoes what a JSON pointer does to a name.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// lookUp finds what a reference within the schema points to.
func (r *returner) lookUp(ref string) *value {
	at, found := strings.CutPrefix(ref, "#")
	if !found {
		return nil
	}
	if s, ok := r.known[ref]; ok {
		return s
	}
	s := r.root
	for name := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		if name != "" && s != nil {
			s = s.get(unescape.Replace(name))
		}
	}
	if r.known == nil {
		r.known = map[string]*value{}
	}
	r.known[ref] = s
	return s
}

func null(v *value) bool { return v.kind == scalar && v.raw == nil }
