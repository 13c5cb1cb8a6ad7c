package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
)

// Sent is a body that knows which of its fields were there: one that was left out is told
// from one that is empty.
type Sent[T any] struct {
	Value  T
	Fields []string // in order of name
}

// UnmarshalJSON reads the value and the names of its fields.
func (s *Sent[T]) UnmarshalJSON(b []byte) error {
	var names map[string]json.RawMessage
	if err := json.Unmarshal(b, &names); err != nil {
		return err
	}
	s.Fields = nil
	for name := range names {
		s.Fields = append(s.Fields, name)
	}
	slices.Sort(s.Fields)
	var value T
	err := json.Unmarshal(b, &value)
	s.Value = value
	return err
}

// Schema is that of the value.
func (Sent[T]) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// A Patch is some fields of a thing and what they shall be, in the form of a JSON merge
// patch (RFC 7396): null empties a field, and what is not named stays.
type Patch json.RawMessage

// UnmarshalJSON keeps the patch as it came.
func (p *Patch) UnmarshalJSON(b []byte) error {
	*p = slices.Clone(b)
	return nil
}

// Schema is an object with any fields: which there are is told of the whole.
func (Patch) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The fields that change, as a JSON merge patch: null empties one, and what is not named stays."}
}

// Onto is a value with the patch laid over it. A field that the value cannot have is
// refused, and so is a patch without fields.
func (p Patch) Onto(was, to any) error {
	var change map[string]any
	if err := json.Unmarshal(p, &change); err != nil || len(change) == 0 {
		return fault.New(fault.Invalid, "a change names one field at least").WithNext("send an object with the fields that change")
	}
	text, err := json.Marshal(was)
	if err != nil {
		return err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return err
	}
	merge(whole, change)
	if text, err = json.Marshal(whole); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fault.From(fault.Invalid, err, "the change cannot be laid over what is on record: %.120s", err)
	}
	return nil
}

func merge(whole, change map[string]any) {
	for name, to := range change {
		if to == nil {
			delete(whole, name)
			continue
		}
		inner, is := to.(map[string]any)
		old, had := whole[name].(map[string]any)
		if is && had {
			merge(old, inner)
			continue
		}
		whole[name] = to
	}
}
