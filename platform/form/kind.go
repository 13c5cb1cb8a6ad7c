package form

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

func (b *builder) kind(n node) Kind {
	want, sole := soleType(n.schema)
	held := n.based && n.value != nil
	switch {
	case b.plain:
		return JSON
	case n.schema != nil && n.schema.Enum != nil && (sole || untyped(n.schema)) && len(n.schema.Enum) <= maxRows:
		if held && chosen(n.schema.Enum, n.value) < 0 {
			return JSON
		}
		return Choice
	case sole && held && !fits(want, n.value), !sole && !held, !sole && n.schema != nil && !bare(n.schema):
		return JSON
	case !sole: // the schema says nothing; the value says its type
		want = typeOf(n.value)
		if (want == "object" || want == "array") && n.depth > 0 {
			return JSON
		}
	}
	return b.kindOf(want, n)
}

func bare(s *jsonschema.Schema) bool { return untyped(s) && s.Enum == nil }

func untyped(s *jsonschema.Schema) bool {
	return s.Type == "" && len(s.Types) == 0 && s.Const == nil && s.Ref == "" && s.DynamicRef == "" && s.Not == nil && s.If == nil &&
		len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) == 0
}

func (b *builder) kindOf(want string, n node) Kind {
	switch want {
	case "boolean":
		return Bool
	case "integer":
		return Whole
	case "number":
		return Number
	case "string":
		return textKind(n)
	case "object":
		open := n.schema != nil && len(n.schema.Properties) == 0 && n.schema.AdditionalProperties != nil &&
			n.schema.AdditionalProperties.Not == nil
		if n.depth < maxDepth && !open {
			return Group
		}
	case "array":
		rows, _ := n.value.([]any)
		if n.depth < maxDepth && n.schema != nil && n.schema.Items != nil && len(rows) <= maxRows {
			return List
		}
	}
	return JSON
}

const longLine = 80

func textKind(n node) Kind {
	text, _ := n.value.(string)
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
	_, err := time.Parse(time.DateOnly, text)
	most := 0
	if n.schema != nil && n.schema.MaxLength != nil {
		most = *n.schema.MaxLength
	}
	switch {
	case strings.ContainsFunc(text, control):
		return JSON
	case n.schema != nil && n.schema.Format == "date" && (text == "" || err == nil):
		return Date
	case strings.ContainsAny(text, "\r\n") || len([]rune(text)) > longLine || most > 2*longLine:
		return Long
	}
	return Text
}

func fits(want string, v any) bool {
	if number, ok := v.(json.Number); ok && want == "integer" {
		return isWhole(number)
	}
	return typeOf(v) == want
}

func limits(s *jsonschema.Schema, k Kind) Limits {
	switch k {
	case Text, Long:
		return Limits{MinLength: s.MinLength, MaxLength: s.MaxLength, Pattern: s.Pattern}
	case List:
		return Limits{MinLength: s.MinItems, MaxLength: s.MaxItems}
	case Whole, Number:
		return Limits{Min: s.Minimum, Max: s.Maximum}
	}
	return Limits{}
}
