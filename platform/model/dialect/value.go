package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxDepth is how deep JSON may be nested; deeper is hostile.
const maxDepth = 64

// A kind of JSON value.
type kind uint8

const (
	scalar kind = iota
	object
	array
)

// A value is JSON that keeps the order of its members and the digits of its
// numbers. The zero value is null.
type value struct {
	kind  kind
	keys  []string // an object's names, in order; items holds their values
	items []*value // of an object or an array
	raw   any      // a scalar: string, json.Number, bool or nil
}

func text(s string) *value { return &value{raw: s} }

// parse reads one JSON value. A name that is there twice is refused: readers
// disagree about which one counts.
func parse(data []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := read(d, 0)
	if err != nil {
		return nil, err
	}
	if d.More() || len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return nil, fault.New(fault.Invalid, "there is more than one JSON value")
	}
	return v, nil
}

func read(d *json.Decoder, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fault.New(fault.Invalid, "JSON nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, fault.New(fault.Invalid, "not JSON: %w", err)
	}
	switch t {
	case json.Delim('{'):
		return members(d, depth, &value{kind: object})
	case json.Delim('['):
		return members(d, depth, &value{kind: array})
	}
	return &value{raw: t}, nil
}

func members(d *json.Decoder, depth int, v *value) (*value, error) {
	seen := map[string]bool{}
	for d.More() {
		if v.kind == object {
			t, err := d.Token()
			if err != nil {
				return nil, fault.New(fault.Invalid, "not JSON: %w", err)
			}
			name, ok := t.(string)
			if !ok || seen[name] {
				return nil, fault.New(fault.Invalid, "a member's name is no text or is there twice")
			}
			seen[name] = true
			v.keys = append(v.keys, name)
		}
		item, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	if _, err := d.Token(); err != nil {
		return nil, fault.New(fault.Invalid, "not JSON: %w", err)
	}
	return v, nil
}

// bytes is the value as JSON.
func (v *value) bytes() []byte {
	var b bytes.Buffer
	v.write(&b)
	return b.Bytes()
}

func (v *value) write(b *bytes.Buffer) {
	switch v.kind {
	case scalar:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if e.Encode(v.raw) == nil { // string, number, bool, nil: always
			b.Truncate(b.Len() - 1) // its newline
		}
	case array:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			text(v.keys[i]).write(b)
			b.WriteByte(':')
			item.write(b)
		}
		b.WriteByte('}')
	}
}

// get is a member of an object, or nil.
func (v *value) get(name string) *value {
	if v.kind != object {
		return nil
	}
	if i := slices.Index(v.keys, name); i >= 0 {
		return v.items[i]
	}
	return nil
}

// set puts a member in place, at the end if it is new.
func (v *value) set(name string, to *value) {
	if i := slices.Index(v.keys, name); i >= 0 {
		v.items[i] = to
		return
	}
	v.keys, v.items = append(v.keys, name), append(v.items, to)
}

func (v *value) rename(name, to string) {
	if i := slices.Index(v.keys, name); i >= 0 {
		v.keys[i] = to
	}
}

// remove takes members away.
func (v *value) remove(names ...string) {
	for _, name := range names {
		if i := slices.Index(v.keys, name); i >= 0 {
			v.keys, v.items = slices.Delete(v.keys, i, i+1), slices.Delete(v.items, i, i+1)
		}
	}
}

// only takes all members away but one.
func (v *value) only(name string) {
	v.keys, v.items = []string{name}, []*value{v.get(name)}
}

// word is a member that is text, or "".
func (v *value) word(name string) string {
	if m := v.get(name); m != nil && m.kind == scalar {
		s, _ := m.raw.(string)
		return s
	}
	return ""
}

// strings is a member that is a list of texts.
func (v *value) strings(name string) []string {
	m := v.get(name)
	if m == nil || m.kind != array {
		return nil
	}
	var all []string
	for _, item := range m.items {
		if s, ok := item.raw.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// hasType reports whether a schema's type is or holds one.
func (v *value) hasType(name string) bool {
	return v.word("type") == name || slices.Contains(v.strings("type"), name)
}

// plain is a value for people: text without its quotes.
func (v *value) plain() string {
	if s, ok := v.raw.(string); ok {
		return s
	}
	return strings.TrimSpace(string(v.bytes()))
}
