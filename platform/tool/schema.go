package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A form is what JSON may look like: the schema, ready to judge, and as text.
type form struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	text     json.RawMessage // properties in the order of the struct's fields
}

// A describer is a type that says its own form: an enum, a pattern, bounds.
type describer interface{ JSONSchema() *jsonschema.Schema }

// injected is a field that the runtime fills in and the model never sees.
type injected struct {
	from  string // the name in the tag
	json  string // the name it would have had in the arguments
	index []int
}

var injectForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// findInjected lists the fields with an `inject` tag. They stand in the input
// struct itself, where a reader of the tool sees them.
func findInjected(in reflect.Type) ([]injected, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the input is a %s; it has to be a struct", in)
	}
	var all []injected
	for _, f := range reflect.VisibleFields(in) {
		from, ok := f.Tag.Lookup("inject")
		if !ok {
			continue
		}
		if !injectForm.MatchString(from) || !f.IsExported() || f.Type.Kind() != reflect.String || len(f.Index) > 1 {
			return nil, fmt.Errorf("%s.%s: an injected field is an exported text of the input struct itself, with a name in its tag", in,
				f.Name)
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		all = append(all, injected{from, name, f.Index})
	}
	return all, nil
}

// inputForm is the form of what a model may write.
func inputForm(in reflect.Type, hide []injected) (form, error) {
	s, err := infer(in)
	if err != nil {
		return form{}, fmt.Errorf("input: %w", err)
	}
	for _, h := range hide {
		gone := func(name string) bool { return name == h.json }
		delete(s.Properties, h.json)
		s.Required = slices.DeleteFunc(s.Required, gone)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, gone)
	}
	each(s, "args", func(s *jsonschema.Schema, _ string) {
		// A list that is not wanted is left out or empty; null says nothing more,
		// and some vendors refuse the pair of types.
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Type, s.Types = "array", nil
		}
	})
	f, err := settle(s, "args")
	if err != nil {
		return form{}, fmt.Errorf("input: %w", err)
	}
	return f, nil
}

// outputForm is the form of what a tool may answer.
func outputForm(out reflect.Type) (form, error) {
	s, err := infer(out)
	if err != nil {
		return form{}, fmt.Errorf("output: %w", err)
	}
	f, err := settle(s, "result")
	if err != nil {
		return form{}, fmt.Errorf("output: %w", err)
	}
	return f, nil
}

// settle makes a schema ready, if it is closed: where anything goes, nothing is
// checked.
func settle(s *jsonschema.Schema, name string) (form, error) {
	var open []string
	each(s, name, func(s *jsonschema.Schema, path string) {
		if isOpen(s) {
			open = append(open, path)
		}
	})
	if len(open) > 0 {
		return form{}, fmt.Errorf("%s takes anything; give it a type, or a type with a JSONSchema method", strings.Join(open, ", "))
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return form{}, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return form{}, err
	}
	return form{s, resolved, text}, nil
}

// isOpen reports whether a schema lets pass what it does not describe.
func isOpen(s *jsonschema.Schema) bool {
	if slices.Contains(append(s.Types, s.Type), "object") {
		return s.AdditionalProperties == nil
	}
	typed := s.Type != "" || len(s.Types) > 0 || s.Enum != nil || s.Const != nil
	return !typed && len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) == 0
}

// each visits a schema and those of its properties, items and values. The
// schema that refuses everything is not visited: it describes nothing.
func each(s *jsonschema.Schema, path string, visit func(*jsonschema.Schema, string)) {
	visit(s, path)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		each(s.Properties[name], path+"."+name, visit)
	}
	if s.Items != nil {
		each(s.Items, path+"[]", visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		each(s.AdditionalProperties, path+".*", visit)
	}
	for _, some := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf, s.AllOf} {
		for _, o := range some {
			each(o, path, visit)
		}
	}
}

// infer is the schema of a Go type. Library and JSON encoder do not agree on
// every type; where they do not, we say the form or refuse.
func infer(t reflect.Type) (*jsonschema.Schema, error) {
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[json.RawMessage](): {},
	}
	if err := describe(t, t, known, map[reflect.Type]bool{}); err != nil {
		return nil, err
	}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
}

// describe collects the forms that types below the root say of themselves.
func describe(root, t reflect.Type, known map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) error {
	if seen[t] || known[t] != nil {
		return nil
	}
	seen[t] = true
	if t.Kind() != reflect.Pointer {
		if s, err := ownForm(t); err != nil || s != nil {
			known[t] = s
			return err
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return describe(root, t.Elem(), known, seen)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			if _, ok := f.Tag.Lookup("inject"); ok && t != root {
				return fmt.Errorf("%s.%s: only the input struct itself has injected fields", t, f.Name)
			}
			if err := describe(root, f.Type, known, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownForm is the form a type has by its own methods; nil if it has none.
func ownForm(t reflect.Type) (*jsonschema.Schema, error) {
	value := reflect.New(t)
	if d, ok := value.Interface().(describer); ok {
		s := d.JSONSchema()
		if s == nil {
			return nil, fmt.Errorf("%s says no form of its own", t)
		}
		return s, nil
	}
	switch value.Interface().(type) {
	case *big.Int, *big.Float:
		return nil, fmt.Errorf("%s is written in more than one way; use a text with a JSONSchema method", t)
	case json.Marshaler:
		return nil, fmt.Errorf("%s writes itself as JSON and does not say how; give it a JSONSchema method", t)
	case encoding.TextMarshaler:
		return &jsonschema.Schema{Type: "string"}, nil
	}
	return nil, nil
}
