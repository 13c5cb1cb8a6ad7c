package form

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// parseSchema reads a schema, with the order in which it names its properties,
// which the library drops. A schema that cannot be read is none.
func parseSchema(text json.RawMessage) *jsonschema.Schema {
	if len(text) == 0 || len(text) > maxSchema {
		return nil
	}
	var s jsonschema.Schema
	if json.Unmarshal(text, &s) != nil {
		return nil
	}
	keepOrder(&s, text, 0)
	return &s
}

// keepOrder notes the order of properties in a schema and those below it that a
// form can show.
func keepOrder(s *jsonschema.Schema, text json.RawMessage, depth int) {
	if s == nil || depth > 2*maxDepth {
		return
	}
	var parts struct {
		Properties members         `json:"properties"`
		Items      json.RawMessage `json:"items"`
	}
	if json.Unmarshal(text, &parts) != nil {
		return // a schema that is true or false
	}
	s.PropertyOrder = nil
	for _, m := range parts.Properties {
		s.PropertyOrder = append(s.PropertyOrder, m.name)
		keepOrder(s.Properties[m.name], m.text, depth+1)
	}
	if s.Items != nil {
		keepOrder(s.Items, parts.Items, depth+1)
	}
}

// members are the members of an object in the order of the text.
type members []struct {
	name string
	text json.RawMessage
}

// UnmarshalJSON reads them; the last of two with one name counts, as in a map.
func (m *members) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		one := struct {
			name string
			text json.RawMessage
		}{name: name.(string)} // inside an object a name is a text
		if err := dec.Decode(&one.text); err != nil {
			return err
		}
		*m = append(slices.DeleteFunc(*m, func(old struct {
			name string
			text json.RawMessage
		}) bool {
			return old.name == one.name
		}), one)
	}
	return nil
}

// soleType is the one type besides null that a schema names, and whether there
// is just one and nothing else in the schema that a field cannot show.
func soleType(s *jsonschema.Schema) (string, bool) {
	if s == nil || s.Ref != "" || s.DynamicRef != "" || s.Const != nil || s.Not != nil || s.If != nil ||
		len(s.AnyOf)+len(s.OneOf)+len(s.AllOf)+len(s.PrefixItems)+len(s.PatternProperties) > 0 {
		return "", false
	}
	if s.Type != "" {
		return s.Type, s.Type != "null"
	}
	rest := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(rest) == 1 {
		return rest[0], true
	}
	return "", false
}

func takesNull(s *jsonschema.Schema) bool {
	return s != nil && (s.Type == "null" || slices.Contains(s.Types, "null"))
}

// typeOf is the JSON type of a decoded value.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
