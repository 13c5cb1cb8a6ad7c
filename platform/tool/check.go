package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
)

// The bounds of a JSON text beyond its length.
const (
	maxDepth  = 32
	mostWords = 5 // complaints told at once
	notObject = "args: want one JSON object"
)

// Check judges arguments that a model wrote or a person edited, and returns them
// in canonical form (RFC 8785), which is what is shown, digested and run. A null
// for an argument that may be left out counts as left out, because strict modes
// make models write it so. The error is fit to be read by the model.
func (t Tool) Check(args []byte) (json.RawMessage, error) {
	if t.in.resolved == nil {
		return nil, fault.New(fault.Internal, "%s was not made by a constructor", t.FullName())
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = []byte("{}") // how some models call a tool without arguments
	}
	if len(args) > MaxArgs {
		return nil, fault.New(fault.TooLarge, "args: %d bytes; at most %d are taken", len(args), MaxArgs)
	}
	canonical, value, err := canonicalise(args, "args")
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fault.New(fault.Invalid, notObject)
	}
	if dropNulls(t.in.schema, object) {
		if canonical, err = canonicalValue(object); err != nil {
			return nil, err
		}
	}
	if err := t.in.resolved.Validate(object); err != nil {
		return nil, fault.From(fault.Invalid, err, "%s", t.complain(object))
	}
	if err := t.trial(canonical); err != nil {
		return nil, fault.From(fault.Invalid, err, "%s", misfit(err))
	}
	return canonical, nil
}

// complain puts into words what is wrong with arguments that do not validate.
func (t Tool) complain(args map[string]any) string {
	var all []string
	for _, i := range t.inject {
		if _, ok := args[i.json]; ok {
			all = append(all, fmt.Sprintf("args.%s: is filled in for you; leave it out", i.json))
			args = maps.Clone(args)
			delete(args, i.json)
		}
	}
	all = append(all, explain(t.in.schema, args, "args")...)
	if len(all) == 0 {
		return "args: do not fit the schema of " + t.Name
	}
	if more := len(all) - mostWords; more > 0 {
		all = append(all[:mostWords], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// misfit says what the Go type would not take.
func misfit(err error) string {
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && typ.Field != "" {
		return fmt.Sprintf("args.%s: this %s is out of range or of the wrong form", typ.Field, typ.Value)
	}
	return "args: a value is not of the form its type asks for"
}

// canonicalise is a JSON text in canonical form, and its value. What canonical
// form would change without a word is refused: names that are there twice, and
// numbers that a double does not hold.
func canonicalise(text []byte, name string) ([]byte, any, error) {
	var exact any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&exact); err != nil {
		return nil, nil, fault.From(fault.Invalid, err, "%s: this is not JSON%s", name, where(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, fault.New(fault.Invalid, "%s: want one JSON value and nothing after it", name)
	}
	if err := sound(exact, name, 0); err != nil {
		return nil, nil, err
	}
	canonical, err := jcs.Transform(text)
	if err != nil {
		return nil, nil, fault.From(fault.Invalid, err, "%s: a name is there twice, or a text holds half a character", name)
	}
	var value any
	if err := json.Unmarshal(canonical, &value); err != nil {
		return nil, nil, fault.From(fault.Invalid, err, "%s: this is not JSON", name)
	}
	return canonical, value, nil
}

// canonicalValue is a value in canonical form.
func canonicalValue(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(text)
}

// where is the place of a syntax error, if it is known.
func where(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf(" (%s, byte %d)", syntax.Error(), syntax.Offset)
	}
	return ""
}

// sound refuses what cannot be kept: depth without end, numbers that would be
// rounded, and the NUL character, which the database does not store.
func sound(v any, path string, depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Invalid, "%s: more than %d levels deep", path, maxDepth)
	}
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return fault.New(fault.Invalid, "%s: holds a NUL character", path)
		}
	case json.Number:
		if !forms.Exactly(v) {
			return fault.New(fault.Invalid, "%s: this number would be rounded; have it as a text, or with fewer digits", path)
		}
	case []any:
		for i, item := range v {
			if err := sound(item, fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.ContainsRune(name, 0) {
				return fault.New(fault.Invalid, "%s: a name holds a NUL character", path)
			}
			if err := sound(v[name], path+"."+short(name), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// short is a name from outside, in a length that fits a message.
func short(name string) string {
	if len(name) <= 60 {
		return name
	}
	return strings.ToValidUTF8(name[:60], "") + "…"
}

// dropNulls leaves out members that are null where the schema knows the member,
// does not need it and has no null for it. It reports whether it did.
func dropNulls(s *jsonschema.Schema, v any) bool {
	changed := false
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			p := s.Properties[name]
			switch {
			case p == nil && s.AdditionalProperties != nil:
				changed = dropNulls(s.AdditionalProperties, member) || changed
			case p == nil:
			case member == nil && !takes(p, "null") && !slices.Contains(s.Required, name):
				delete(v, name)
				changed = true
			default:
				changed = dropNulls(p, member) || changed
			}
		}
	case []any:
		for _, item := range v {
			if s.Items != nil {
				changed = dropNulls(s.Items, item) || changed
			}
		}
	}
	return changed
}

// takes reports whether a schema names a type.
func takes(s *jsonschema.Schema, name string) bool {
	return s.Type == name || slices.Contains(s.Types, name)
}
