// Package dialect says a JSON Schema in the words that a vendor's models keep
// to, and takes an answer back to the schema it was asked for.
//
// A tool's schema is written once, in full JSON Schema. OpenAI's strict mode
// wants every property required and none besides; a property that may be left
// out is one that may be null (Strict, and Back for the answer). Anthropic's
// answer format wants no properties besides and knows few bounds (Closed).
// What a dialect cannot say is put into the description, so that the model
// still reads it. None of this is a check: whoever asked validates the answer
// against the schema itself.
package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a schema: OpenAI's own, which are the narrowest.
const (
	maxSchema     = 256 << 10 // bytes
	maxLevels     = 10        // of objects in objects
	maxProperties = 5_000
)

// A vendor is what its strict mode understands.
type vendor struct {
	keep     []string // keywords it takes as they are
	formats  []string // of strings
	nullable bool     // a property that may be left out is required and may be null
	maps     bool     // objects with names that are not known beforehand
}

// annotations say nothing about which values are valid; a model does without.
var annotations = []string{"$schema", "$id", "$comment", "title", "default", "examples", "deprecated", "readOnly", "writeOnly"}

// structural keywords are handled one by one.
var structural = []string{"$ref", "$defs", "definitions", "type", "properties", "required", "additionalProperties",
	"items", "anyOf", "oneOf", "description", "enum", "const"}

// narrowing keywords only make fewer values valid, so that leaving one out asks
// for less than we check.
var narrowing = []string{"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
	"exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"contains", "minContains", "maxContains", "contentEncoding", "contentMediaType"}

func openai() vendor {
	return vendor{
		keep: []string{"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
			"minItems", "maxItems"},
		formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
		nullable: true,
	}
}

func anthropic() vendor {
	return vendor{
		keep:    []string{"pattern", "format"},
		formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
		maps:    true,
	}
}

// Strict is the schema for OpenAI's strict mode. It reports false for a schema
// that the mode cannot express; that one is sent as it is, without the mode.
func Strict(schema json.RawMessage) (json.RawMessage, bool, error) { return openai().say(schema) }

// Closed is the schema for Anthropic's answer format. It reports false for a
// schema that the format cannot express.
func Closed(schema json.RawMessage) (json.RawMessage, bool, error) { return anthropic().say(schema) }

// Plain is the schema as it is, made sure to be one of an object: what models
// are shown where nothing is enforced.
func Plain(schema json.RawMessage) (json.RawMessage, error) {
	root, err := parseSchema(schema)
	if err != nil {
		return nil, err
	}
	root.remove("$schema", "$id")
	if root.get("type") == nil {
		root.set("type", text("object"))
	}
	return root.bytes(), nil
}

// Members is a schema as the vendors' libraries want it, with what is inside
// left as it is: models write an answer's properties in the order of the
// schema, and the libraries would write numbers as text.
func Members(schema json.RawMessage) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(schema, &raw); err != nil {
		return nil, fault.New(fault.Invalid, "a schema is not a JSON object: %w", err)
	}
	members := make(map[string]any, len(raw))
	for name, member := range raw {
		members[name] = member
	}
	return members, nil
}

func (v vendor) say(schema json.RawMessage) (json.RawMessage, bool, error) {
	root, err := parseSchema(schema)
	if err != nil {
		return nil, false, err
	}
	if root.get("properties") == nil && root.get("additionalProperties") == nil {
		root.set("properties", &value{kind: object}) // a tool without arguments
	}
	w := writer{vendor: v}
	if root.word("type") != "object" || !w.schema(root, 0) || w.properties > maxProperties {
		return nil, false, nil
	}
	return root.bytes(), true, nil
}

// parseSchema reads the schema of an object.
func parseSchema(schema json.RawMessage) (*value, error) {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	if len(schema) > maxSchema {
		return nil, fault.New(fault.TooLarge, "a schema has %d bytes; the most is %d", len(schema), maxSchema)
	}
	root, err := parse(schema)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a schema is not JSON: %v", err)
	}
	if root.kind != object {
		return nil, fault.New(fault.Invalid, "a schema is a JSON object")
	}
	if root.get("type") == nil && root.get("properties") != nil {
		root.set("type", text("object"))
	}
	return root, nil
}

// A writer says one schema in a dialect.
type writer struct {
	vendor
	properties int
}

// schema rewrites s in place and reports whether the dialect can express it.
func (w *writer) schema(s *value, level int) bool {
	if s.kind != object || level > maxLevels {
		return false // true and false are schemas too
	}
	s.remove(annotations...)
	if ref := s.get("$ref"); ref != nil && level > 0 {
		s.only("$ref") // nothing may stand beside it
		return true
	}
	if len(s.keys) == 0 || !w.keywords(s) {
		return false
	}
	if one := s.get("oneOf"); one != nil && s.get("anyOf") == nil {
		s.rename("oneOf", "anyOf") // looser, and the answer is checked
	}
	for _, name := range []string{"$defs", "definitions"} {
		if defs := s.get(name); defs != nil && !w.all(defs.items, level) {
			return false
		}
	}
	if several := s.get("anyOf"); several != nil && (level == 0 || !w.all(several.items, level)) {
		return false
	}
	if items := s.get("items"); items != nil && !w.schema(items, level) {
		return false
	}
	if s.hasType("object") {
		return w.object(s, level)
	}
	return s.get("properties") == nil
}

func (w *writer) all(schemas []*value, level int) bool {
	for _, s := range schemas {
		if !w.schema(s, max(level, 1)) {
			return false
		}
	}
	return true
}

// keywords moves the bounds that the dialect does not know into the
// description. It reports false for one that cannot be left out.
func (w *writer) keywords(s *value) bool {
	var moved []string
	for _, name := range slices.Clone(s.keys) {
		known := slices.Contains(w.keep, name)
		if name == "format" {
			known = known && slices.Contains(w.formats, s.word("format"))
		}
		switch {
		case slices.Contains(structural, name) || known:
		case slices.Contains(narrowing, name):
			moved = append(moved, name+": "+s.get(name).plain())
			s.remove(name)
		default:
			return false
		}
	}
	if len(moved) > 0 {
		said := strings.TrimSpace(s.word("description") + " (" + strings.Join(moved, ", ") + ")")
		s.set("description", text(said))
	}
	return true
}

// object closes an object and, where the dialect says so, requires all of it.
func (w *writer) object(s *value, level int) bool {
	properties, besides := s.get("properties"), s.get("additionalProperties")
	if properties == nil || properties.kind != object {
		return w.mapping(s, properties, besides, level)
	}
	if besides != nil && besides.kind != scalar { // a schema: names that nobody knows
		return false
	}
	if besides != nil && besides.raw == true {
		return false
	}
	required := s.strings("required")
	all := &value{kind: array}
	for i, name := range properties.keys {
		w.properties++
		if !w.schema(properties.items[i], level+1) {
			return false
		}
		if w.nullable && !slices.Contains(required, name) {
			properties.items[i] = nullable(properties.items[i])
		}
		all.items = append(all.items, text(name))
	}
	s.set("additionalProperties", &value{raw: false})
	if w.nullable {
		s.set("required", all)
	}
	return true
}

// mapping is an object without properties of its own: empty, or a map.
func (w *writer) mapping(s, properties, besides *value, level int) bool {
	if properties != nil || besides == nil {
		return false // free form: closing it would forbid everything
	}
	if besides.kind == scalar {
		closed := besides.raw == false
		if closed {
			s.set("properties", &value{kind: object})
			if w.nullable {
				s.set("required", &value{kind: array})
			}
		}
		return closed
	}
	return w.maps && w.schema(besides, level+1)
}

// nullable is a schema that takes null too.
func nullable(s *value) *value {
	null := &value{kind: object, keys: []string{"type"}, items: []*value{text("null")}}
	if several := s.get("anyOf"); several != nil {
		several.items = append(several.items, null)
		return s
	}
	kind := s.get("type")
	if kind == nil || s.get("const") != nil || s.get("$ref") != nil {
		return &value{kind: object, keys: []string{"anyOf"}, items: []*value{{kind: array, items: []*value{s, null}}}}
	}
	if s.hasType("null") {
		return s
	}
	if kind.kind == array {
		kind.items = append(kind.items, text("null"))
	} else {
		s.set("type", &value{kind: array, items: []*value{kind, text("null")}})
	}
	if enum := s.get("enum"); enum != nil && enum.kind == array {
		enum.items = append(enum.items, &value{})
	}
	return s
}
