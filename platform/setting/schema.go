package setting

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gavelhq/gavel/platform/fault"
)

// SchemaOf is the schema of a type of values: closed, in the order of its fields, with the
// bounds that their tags say.
func SchemaOf[T any]() (*jsonschema.Schema, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, err
	}
	return s, bound(t, s)
}

// compile makes the schema of a kind's type ready.
func compile[T any](k *Kind) error {
	s, err := SchemaOf[T]()
	if err != nil {
		return err
	}
	k.members, k.needed = s.PropertyOrder, s.Required
	if k.resolved, err = s.Resolve(nil); err != nil {
		return err
	}
	k.schema, err = json.Marshal(s)
	return err
}

// bound puts what tags say into the schema of a type, and of what it holds.
func bound(t reflect.Type, s *jsonschema.Schema) error {
	switch t.Kind() {
	case reflect.Pointer:
		return bound(t.Elem(), s)
	case reflect.Slice, reflect.Array:
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Type, s.Types = "array", nil // a list that is not wanted is empty
		}
		return bound(t.Elem(), s.Items)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" || name == "-" || s.Properties[name] == nil {
				continue
			}
			if err := bound(f.Type, s.Properties[name]); err != nil {
				return err
			}
			if err := tagged(f.Tag, s.Properties[name]); err != nil {
				return fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
		}
	}
	return nil
}

// tagged puts the tags of one field into its schema.
func tagged(tag reflect.StructTag, s *jsonschema.Schema) error {
	s.Description, s.Pattern, s.Format = tag.Get("doc"), tag.Get("pattern"), tag.Get("format")
	if enum := tag.Get("enum"); enum != "" {
		for _, one := range strings.Split(enum, ",") {
			s.Enum = append(s.Enum, one)
		}
	}
	for name, to := range map[string]**int{"minLength": &s.MinLength, "maxLength": &s.MaxLength, "minItems": &s.MinItems,
		"maxItems": &s.MaxItems} {
		if text := tag.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*to = &n
		}
	}
	for name, to := range map[string]**float64{"minimum": &s.Minimum, "maximum": &s.Maximum} {
		if text := tag.Get(name); text != "" {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*to = &n
		}
	}
	return nil
}

// validate refuses a value that does not fit the schema.
func (k Kind) validate(text json.RawMessage) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return fault.From(fault.Invalid, err, "the %s is no JSON", k.Title)
	}
	if err := k.resolved.Validate(v); err != nil {
		said := strings.NewReplacer("validating root: ", "", "validating /properties/", "").Replace(err.Error())
		return fault.From(fault.Invalid, err, "the %s does not fit: %.300s", k.Title, said)
	}
	return nil
}
