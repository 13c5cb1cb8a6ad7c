package output

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxFields bounds how many fields somebody may choose.
const maxFields = 100

// ParseFields reads what --fields was given: names with commas between. A name
// is that of a field in the API; a dot reaches into an object.
func ParseFields(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	names := strings.Split(text, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if names[i] == "" {
			return nil, fault.New(fault.Invalid, "--fields %.60q has a name that is empty", text)
		}
	}
	if len(names) > maxFields {
		return nil, fault.New(fault.Invalid, "--fields takes at most %d names, not %d", maxFields, len(names))
	}
	return names, nil
}

// pick leaves of each item, given as JSON, the fields that were chosen. What the
// JSON does not have is taken from the table's columns. A field that no item has
// at all is refused: a misspelt one would otherwise look empty.
func pick[T any](fields []string, items []T, texts []json.RawMessage, columns []Column[T]) ([]json.RawMessage, error) {
	if len(fields) == 0 {
		return texts, nil
	}
	picked := make([]json.RawMessage, len(items))
	known := map[string]bool{}
	for i, text := range texts {
		var b bytes.Buffer
		for n, name := range fields {
			value, there := lookUp(text, name)
			if !there {
				value, there = fromColumn(items[i], name, columns)
			}
			known[name] = known[name] || there
			key, err := marshal(name)
			if err != nil {
				return nil, err
			}
			b.WriteByte("{,"[min(n, 1)])
			b.Write(key)
			b.WriteByte(':')
			b.Write(value)
		}
		b.WriteByte('}')
		picked[i] = b.Bytes()
	}
	return picked, refuseUnknown(fields, known, texts, fieldsOf(columns))
}

var null = json.RawMessage("null")

// lookUp finds a field, with dots into objects; null where it is not there.
func lookUp(text json.RawMessage, name string) (json.RawMessage, bool) {
	for _, part := range strings.Split(name, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			return null, false
		}
		value, there := object[part]
		if !there {
			return null, false
		}
		text = value
	}
	return text, true
}

func fromColumn[T any](item T, name string, columns []Column[T]) (json.RawMessage, bool) {
	for _, c := range columns {
		if c.Field == name {
			text, err := marshal(c.Value(item))
			return text, err == nil
		}
	}
	return null, false
}

// chosen are the columns of a table or a file: all of them, or those of the
// fields that were asked for. A field without a column of its own gets one.
func chosen[T any](p *Printer, items []T, columns []Column[T]) ([]Column[T], error) {
	if len(p.Fields) == 0 {
		return columns, nil
	}
	texts := make([]json.RawMessage, len(items))
	known := map[string]bool{}
	for i, item := range items {
		text, err := marshal(item)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	some := make([]Column[T], len(p.Fields))
	for i, name := range p.Fields {
		at := slices.IndexFunc(columns, func(c Column[T]) bool { return c.Field == name })
		if at >= 0 {
			some[i], known[name] = columns[at], true
			if some[i].Head == "" {
				some[i].Head = strings.ToUpper(name)
			}
			continue
		}
		for _, text := range texts {
			_, there := lookUp(text, name)
			known[name] = known[name] || there
		}
		some[i] = Column[T]{Head: strings.ToUpper(name), Field: name, Value: func(item T) any { return textOf(item, name) }}
	}
	return some, refuseUnknown(p.Fields, known, texts, fieldsOf(columns))
}

func textOf(item any, name string) string {
	text, err := marshal(item)
	if err != nil {
		return ""
	}
	return Text(text, name)
}

func fieldsOf[T any](columns []Column[T]) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Field
	}
	return all
}

// refuseUnknown names the first field that nothing has, and those there are. Of
// an empty list nothing can be said.
func refuseUnknown(fields []string, known map[string]bool, texts []json.RawMessage, columns []string) error {
	if len(texts) == 0 {
		return nil
	}
	for _, name := range fields {
		if known[name] {
			continue
		}
		object := map[string]json.RawMessage{}
		_ = json.Unmarshal(texts[0], &object) // what is no object has no fields
		for _, c := range columns {
			object[c] = nil
		}
		return fault.New(fault.Invalid, "no field is called %.60q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(object)),
			", "))
	}
	return nil
}

// FieldNames are the fields of a JSON object, in their order; none of anything
// else.
func FieldNames(object json.RawMessage) []string {
	in := json.NewDecoder(bytes.NewReader(object))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var names []string
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return names
		}
		names = append(names, name.(string)) // a key is nothing else
		var skipped json.RawMessage
		if in.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}

// Text is a field of a JSON object as text: of a string its characters, of
// anything else its JSON, and nothing of null.
func Text(object json.RawMessage, name string) string {
	value, _ := lookUp(object, name)
	var s *string
	if json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	if s == nil {
		return ""
	}
	return *s
}
