package check

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// Evidence is one thing a verdict rests on. It is written as {type, data} and
// also read in the older flat form {type, …}.
type Evidence struct {
	Type string `json:"type"`
	Data Data   `json:"data"`
}

// Data is named values in the order they are shown.
type Data []Field

// A Field is one named value: a string, a number, a bool, or a map of those.
type Field struct {
	Name  string
	Value any
}

// Bounds on evidence from outside.
const (
	maxFields   = 64
	maxEvidence = 1000
)

// NewEvidence is evidence of a type with pairs of name and value. Empty ids and
// texts are left out.
func NewEvidence(kind string, pairs ...any) Evidence {
	e := Evidence{Type: kind, Data: make(Data, 0, len(pairs)/2)}
	for i := 0; i+1 < len(pairs); i += 2 {
		if !blank(pairs[i+1]) {
			e.Data = append(e.Data, Field{pairs[i].(string), pairs[i+1]})
		}
	}
	return e
}

func blank(v any) bool {
	switch s := v.(type) {
	case string:
		return s == ""
	case fleet.EmployeeID:
		return s == ""
	case fleet.ShiftID:
		return s == ""
	case nil:
		return true
	}
	return false
}

// With is the evidence with one more value.
func (e Evidence) With(name string, value any) Evidence {
	e.Data = append(e.Data[:len(e.Data):len(e.Data)], Field{name, value})
	return e
}

// Get is the value under a name, nil where there is none.
func (d Data) Get(name string) any {
	for _, f := range d {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Text is the value under a name as it would be printed, "" where there is none.
func (d Data) Text(name string) string {
	if v := d.Get(name); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// MarshalJSON writes an object with the fields in order.
func (d Data) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range d {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its fields.
func (d *Data) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return fault.New(fault.Invalid, "the data of evidence is not an object")
	}
	*d = nil
	for dec.More() {
		if len(*d) == maxFields {
			return fault.New(fault.TooLarge, "one piece of evidence has more than %d values", maxFields)
		}
		name, err := dec.Token()
		if err != nil {
			return fault.From(fault.Invalid, err, "the data of evidence cannot be read")
		}
		f := Field{Name: name.(string)}
		if err := dec.Decode(&f.Value); err != nil {
			return fault.From(fault.Invalid, err, "the data of evidence cannot be read")
		}
		*d = append(*d, f)
	}
	return nil
}

// UnmarshalJSON reads both forms. Without a member "data" that is an object,
// every member but the type is the data.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	var all Data
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	*e = Evidence{}
	for _, f := range all {
		if f.Name == "type" {
			s, ok := f.Value.(string)
			if !ok || s == "" || len(s) > 100 {
				return fault.New(fault.Invalid, "evidence has a type, a short text")
			}
			e.Type = s
		}
	}
	if e.Type == "" {
		return fault.New(fault.Invalid, "evidence has a type")
	}
	var nested struct{ Data json.RawMessage }
	if err := json.Unmarshal(b, &nested); err == nil && bytes.HasPrefix(bytes.TrimSpace(nested.Data), []byte("{")) {
		return json.Unmarshal(nested.Data, &e.Data)
	}
	for _, f := range all {
		if f.Name != "type" {
			e.Data = append(e.Data, f)
		}
	}
	return nil
}
