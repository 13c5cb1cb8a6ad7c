package form

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gavelhq/gavel/platform/fault"
)

// New is the form of a value. Without a schema, or with one that cannot be read,
// the fields have the types that the value has.
func New(schema, value json.RawMessage) (*Form, error) { return build(schema, value, nil) }

// Read is the form of a value as a browser sent it back. The value is the one
// that New was given: what was not touched is taken from it. Whether the fields
// hold a value is for JSON to say.
func Read(schema, value json.RawMessage, sent url.Values) (*Form, error) {
	if sent == nil {
		sent = url.Values{}
	}
	return build(schema, value, sent)
}

func build(schema, value json.RawMessage, sent url.Values) (*Form, error) {
	base, v, err := decode(value)
	if err != nil {
		return nil, err
	}
	f := &Form{base: base}
	whole := node{schema: parseSchema(schema), value: v, based: true, needed: true}
	b := builder{left: maxFields}
	f.Root = b.field(whole)
	plain := b.left < 0 // too much for a page: one field for all
	if plain || sent != nil {
		b = builder{sent: sent, left: maxFields, plain: plain}
		f.Root = b.field(whole)
	}
	if b.left < 0 {
		return nil, fault.New(fault.TooLarge, "a form has at most %d fields", maxFields).WithNext("leave out some rows").
			Because("form_fields_many", "n", strconv.Itoa(maxFields))
	}
	return f, nil
}

// Canonical is a JSON text in canonical form (RFC 8785), if a form could hold it.
func Canonical(text json.RawMessage) (json.RawMessage, error) {
	canonical, _, err := decode(text)
	return canonical, err
}

// decode is a value, its canonical form, and what is wrong with it.
func decode(text json.RawMessage) (json.RawMessage, any, error) {
	if len(text) > maxJSON {
		return nil, nil, fault.New(fault.TooLarge, "a form holds at most %d bytes of JSON, not %d", maxJSON, len(text))
	}
	canonical, v, problem := parse(string(text))
	if problem != nil {
		return nil, nil, fault.New(fault.Invalid, "this is no JSON that a form can show: %s", problem.Code)
	}
	return canonical, v, nil
}

// A builder makes fields, and gives up when there are too many.
type builder struct {
	sent  url.Values // what came back; nil for a form that is drawn anew
	left  int
	plain bool // one field for everything
}

// A node is a place in the value that becomes a field.
type node struct {
	schema  *jsonschema.Schema
	value   any
	based   bool // the value is there
	fresh   bool // what holds it is new, so there is no value to keep
	needed  bool // may not be left out
	pointer string
	name    string
	key     string
	depth   int
}

func (b *builder) field(n node) Field {
	b.left--
	f := Field{Kind: b.kind(n), Pointer: n.pointer, Name: n.name, schema: n.schema, base: n.value, based: n.based, key: n.key,
		Optional: !n.needed || !n.based && !n.fresh, Nullable: takesNull(n.schema) || n.based && n.value == nil}
	if n.schema != nil {
		f.Title, f.Hint, f.Fixed = n.schema.Title, n.schema.Description, n.schema.ReadOnly
		f.Hidden = f.Fixed && n.schema.Extra[HiddenWord] == true
		f.Limits = limits(n.schema, f.Kind)
	}
	switch {
	case n.based && n.value == nil && f.Kind != JSON:
		f.Is = Null
	case n.based || n.fresh && n.needed:
		f.Is = In
	default:
		f.Is = Out
	}
	f.Nullable = f.Nullable && f.Kind != JSON // there null is written out
	f.Text = drawn(f.Kind, n.value, n.based)
	if f.Kind.Picks() {
		f.Options = options(f.Kind, n)
	}
	if f.Fixed { // whatever was sent in its name
		sent := b.sent
		b.sent = nil
		defer func() { b.sent = sent }()
	}
	if b.sent != nil {
		b.take(&f)
	}
	if f.Kind.Holds() && f.Is == In && b.left >= 0 {
		f.Fields = b.inside(&f, n)
	}
	return f
}

// kind is how a place is drawn.
// bare reports whether a schema says nothing about the type of a value.
// untyped reports whether a schema names no type, directly or by others.
// longLine is how many characters a line may have before it becomes a box.
// textKind is how a text is drawn: what a line or a date cannot hold is not put
// into one, since a browser would change it.
// fits reports whether a value is of a type.
// drawn is the text a control shows for a value.
func drawn(k Kind, v any, based bool) string {
	switch {
	case !based || k.Holds() || k.Picks():
		return ""
	case k == JSON:
		return pretty(v)
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func options(k Kind, n node) []Option {
	if k == Bool {
		return []Option{{Value: "true", Chosen: n.value == true}, {Value: "false", Chosen: n.value == false}}
	}
	all := make([]Option, len(n.schema.Enum))
	is := -1
	if n.based {
		is = chosen(n.schema.Enum, n.value)
	}
	for i, e := range n.schema.Enum {
		label, ok := e.(string)
		if !ok {
			label = pretty(e)
		}
		all[i] = Option{Value: "v" + strconv.Itoa(i), Label: label, Chosen: i == is}
	}
	return all
}

// chosen is the place of a value among those of an enum; -1 if it is not there.
func chosen(enum []any, v any) int {
	return slices.IndexFunc(enum, func(e any) bool { return compact(e) == compact(v) })
}

// inside makes the members of a group or the rows of a list.
func (b *builder) inside(f *Field, n node) []Field {
	fresh := !n.based || n.value == nil // there was nothing inside before
	if f.Kind == List {
		return b.rows(f, n)
	}
	held, _ := n.value.(map[string]any)
	var all []Field
	add := func(name string, s *jsonschema.Schema, needed bool) {
		v, based := held[name]
		if b.left >= 0 {
			all = append(all, b.field(node{schema: s, value: v, based: based, fresh: fresh, needed: needed, name: name,
				pointer: n.pointer + "/" + escape(name), depth: n.depth + 1}))
		}
	}
	known := map[string]*jsonschema.Schema{}
	if n.schema != nil {
		known = n.schema.Properties
		for _, name := range n.schema.PropertyOrder {
			add(name, known[name], slices.Contains(n.schema.Required, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if known[name] == nil { // the schema does not know it; it keeps its type
			add(name, nil, true)
		}
	}
	return all
}

func (b *builder) rows(f *Field, n node) []Field {
	held, _ := n.value.([]any)
	keys := make([]string, len(held))
	for i := range held {
		keys[i] = strconv.Itoa(i)
	}
	if b.sent != nil {
		keys = b.takeRows(f, len(held))
	}
	all := make([]Field, 0, len(keys))
	for _, key := range keys {
		if b.left < 0 {
			break
		}
		all = append(all, b.row(f, held, key, n.depth))
	}
	return all
}

// row is one row of a list: one that was there, by its place, or a new one.
func (b *builder) row(f *Field, held []any, key string, depth int) Field {
	n := node{schema: f.schema.Items, needed: true, fresh: true, key: key, pointer: f.Pointer + "/" + key, depth: depth + 1}
	if i, err := strconv.Atoi(key); err == nil {
		n.value, n.based = held[i], true
	}
	return b.field(n)
}

// escape writes a name as part of a JSON Pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
