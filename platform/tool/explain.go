package tool

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// explain puts into words where a value does not fit a schema. It decides
// nothing, the validator has; it says where to look and what is wanted, which
// is what a model needs to do better. It repeats no value.
func explain(s *jsonschema.Schema, v any, path string) []string {
	if !hasType(s, v) || !within(s, v) {
		return []string{path + ": want " + wanted(s)}
	}
	switch v := v.(type) {
	case map[string]any:
		return explainObject(s, v, path)
	case []any:
		return explainList(s, v, path)
	}
	return nil
}

func explainObject(s *jsonschema.Schema, v map[string]any, path string) []string {
	var all []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			want := ""
			if p := s.Properties[name]; p != nil {
				want = "; want " + wanted(p)
			}
			all = append(all, fmt.Sprintf("%s.%s: is missing%s", path, name, want))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := path + "." + short(name)
		switch p := s.Properties[name]; {
		case p != nil:
			all = append(all, explain(p, v[name], inner)...)
		case s.AdditionalProperties == nil:
		case s.AdditionalProperties.Not != nil:
			all = append(all, fmt.Sprintf("%s: there is no such argument%s", inner, names(s)))
		default:
			all = append(all, explain(s.AdditionalProperties, v[name], inner)...)
		}
	}
	return all
}

func explainList(s *jsonschema.Schema, v []any, path string) []string {
	var all []string
	switch {
	case s.MinItems != nil && len(v) < *s.MinItems:
		all = append(all, fmt.Sprintf("%s: want at least %d", path, *s.MinItems))
	case s.MaxItems != nil && len(v) > *s.MaxItems:
		all = append(all, fmt.Sprintf("%s: want at most %d", path, *s.MaxItems))
	}
	for i, item := range v {
		if s.Items != nil && len(all) <= mostWords {
			all = append(all, explain(s.Items, item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return all
}

// names lists the properties there are.
func names(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 {
		return "; there are none"
	}
	return "; there are " + strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

// hasType reports whether a value is of a schema's type.
func hasType(s *jsonschema.Schema, v any) bool {
	if s.Type == "" && len(s.Types) == 0 {
		return true
	}
	switch v := v.(type) {
	case nil:
		return takes(s, "null")
	case bool:
		return takes(s, "boolean")
	case string:
		return takes(s, "string")
	case float64:
		return takes(s, "number") || takes(s, "integer") && v == math.Trunc(v)
	case []any:
		return takes(s, "array")
	case map[string]any:
		return takes(s, "object")
	}
	return false
}

// within reports whether a text or a number keeps to a schema's bounds.
func within(s *jsonschema.Schema, v any) bool {
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(v) }) {
		return false
	}
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		if s.MinLength != nil && n < *s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
			return false
		}
		if s.Pattern != "" {
			re, err := regexp.Compile(s.Pattern)
			return err == nil && re.MatchString(v)
		}
	case float64:
		return (s.Minimum == nil || v >= *s.Minimum) && (s.Maximum == nil || v <= *s.Maximum) &&
			(s.ExclusiveMinimum == nil || v > *s.ExclusiveMinimum) && (s.ExclusiveMaximum == nil || v < *s.ExclusiveMaximum)
	}
	return true
}

// wanted is a schema in words: "a string like 12.00", "one of read, write".
func wanted(s *jsonschema.Schema) string {
	if s.Enum != nil {
		all := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			all[i] = fmt.Sprint(e)
		}
		return "one of " + strings.Join(all, ", ")
	}
	var kinds []string
	for _, t := range append(slices.Clone(s.Types), s.Type) {
		if w := kindWords[t]; w != "" {
			kinds = append(kinds, w)
		}
	}
	words := strings.Join(kinds, " or ")
	if words == "" {
		words = "another value"
	}
	if len(s.Examples) > 0 {
		return words + " like " + fmt.Sprint(s.Examples[0])
	}
	return words + bounds(s)
}

var kindWords = map[string]string{
	"string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "an object", "null": "null",
}

// bounds are a schema's limits in words.
func bounds(s *jsonschema.Schema) string {
	var all []string
	add := func(format string, v any) { all = append(all, fmt.Sprintf(format, v)) }
	if s.MinLength != nil {
		add("at least %d characters", *s.MinLength)
	}
	if s.MaxLength != nil {
		add("at most %d characters", *s.MaxLength)
	}
	if s.Pattern != "" {
		add("matching %s", s.Pattern)
	}
	if s.Format != "" {
		add("in the form %s", s.Format)
	}
	for _, b := range []struct {
		words string
		limit *float64
	}{{"at least", s.Minimum}, {"at most", s.Maximum}, {"more than", s.ExclusiveMinimum}, {"less than", s.ExclusiveMaximum}} {
		if b.limit != nil {
			add(b.words+" %v", *b.limit)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", " + strings.Join(all, ", ")
}
