// Package form turns a JSON value and its JSON Schema into the fields of a form,
// and a filled-in form back into JSON of the right types.
//
// New makes a Form from a schema and a value: a tree of Fields that a page
// draws. Read makes one from what a browser sent back. Form.JSON is the value
// that its fields hold, in canonical form, or says that some fields have a
// Problem. What nobody touched comes back as it was, byte for byte: a number
// stays a number, a left-out member stays left out, an empty text stays empty
// and a null stays null.
//
// A schema that says too little, too much or nothing never means a blank
// screen: such a part becomes a field that holds JSON, or a field of the type
// its value has. Diff says what changed between two values.
//
// The package only computes. docs/design/forms.md has the reasons.
package form

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// The bounds of a form. What has more becomes one field that holds JSON.
const (
	maxDepth  = 5         // groups and lists inside one another
	maxRows   = 100       // of one list
	maxFields = 600       // in all
	maxJSON   = 256 << 10 // bytes of the value, and of one field's text
	maxNested = 32        // levels of JSON inside a field
	maxSchema = 256 << 10 // bytes
)

// A Kind is how a field is drawn and what it takes.
type Kind string

// The kinds.
const (
	Text   Kind = "text"   // one line
	Long   Kind = "long"   // several lines
	Whole  Kind = "whole"  // a whole number
	Number Kind = "number" // any number
	Bool   Kind = "bool"   // yes or no
	Choice Kind = "choice" // one of several values
	Date   Kind = "date"   // YYYY-MM-DD
	Group  Kind = "group"  // an object: its members are in Fields
	List   Kind = "list"   // an array: its rows are in Fields
	JSON   Kind = "json"   // anything else
)

// Holds reports whether a field of this kind has fields inside it.
func (k Kind) Holds() bool { return k == Group || k == List }

// Picks reports whether a field of this kind is answered by picking an option.
func (k Kind) Picks() bool { return k == Bool || k == Choice }

// A Presence says whether a member is there at all.
type Presence string

// The presences.
const (
	In   Presence = "in"
	Out  Presence = "out"  // the member is left out
	Null Presence = "null" // the member is there, and null
)

// An Option is a value that can be picked.
type Option struct {
	Value  string // what the control sends
	Label  string // the value as text; empty for yes and no, which a page words
	Chosen bool
}

// HiddenWord in a schema, with true, says of something read-only that it is a key of
// the program's own: a page leaves it out.
const HiddenWord = "x-hidden"

// A Field is one place to fill in.
type Field struct {
	Kind     Kind
	Pointer  string // a JSON Pointer; a row of a list has a key in place of its number
	Name     string // the member's name; empty for a row and for the whole
	Title    string // as the schema calls it; empty if it does not
	Hint     string // as the schema describes it
	Optional bool   // may be left out
	Nullable bool   // may be null
	Fixed    bool   // the schema says it is read-only: it is shown, and comes back as it was
	Hidden   bool   // fixed, and a key of the program's own that says nothing to a person (HiddenWord)
	Is       Presence
	Text     string   // what the control shows; empty for groups and lists
	Options  []Option // of Bool and Choice
	Fields   []Field  // members of a Group, rows of a List
	Limits   Limits
	Problem  *Problem // what is wrong with it; nil if nothing is

	schema *jsonschema.Schema
	base   any // the value it began with
	based  bool
	key    string // of a row
	fill   bool   // typed into while it was left out
}

// Limits are the bounds a schema sets, for the page to say. Nil is none.
type Limits struct {
	MinLength, MaxLength *int // characters, or rows of a list
	Min, Max             *float64
	Pattern              string
}

// A Problem is what is wrong with a field. Code is fixed, for a page to put into
// words; Limit is the bound that was missed, where there is one.
type Problem struct {
	Code  string
	Limit string
}

// The codes of problems.
const (
	BadNumber  = "number"   // not a number as JSON writes it
	BadWhole   = "whole"    // a number, and not a whole one
	BadExact   = "exact"    // more digits than can be kept
	BadLow     = "low"      // under a bound
	BadHigh    = "high"     // over a bound
	BadShort   = "short"    // too few characters or rows
	BadLong    = "long"     // too many characters or rows
	BadPattern = "pattern"  // not of the form that is asked
	BadDate    = "date"     // not a date
	BadChoice  = "choice"   // none of the options
	BadJSON    = "json"     // not JSON
	BadType    = "type"     // JSON of another type than it was
	BadText    = "text"     // a character that cannot be kept
	Incomplete = "complete" // the control did not come back
)

// A Form is a value as fields. Make it with New or Read.
type Form struct {
	Root Field // the whole value: a Group as a rule

	base json.RawMessage // canonical
}

// Fields are the members of the whole, or the whole itself where it is not an
// object.
func (f *Form) Fields() []Field {
	if f.Root.Kind == Group {
		return f.Root.Fields
	}
	return []Field{f.Root}
}

// Blame says of a member of the whole what is wrong with it, where that is known by
// somebody who knows more than the schema says. It reports whether there is one of
// that name that can be filled in.
func (f *Form) Blame(name string, p Problem) bool {
	for i := range f.Root.Fields {
		if one := &f.Root.Fields[i]; one.Name == name && !one.Fixed {
			one.Problem = &p
			return true
		}
	}
	return false
}

// Problems counts the fields that have one, as JSON or Read left them.
func (f *Form) Problems() int { return f.Root.problems() }

func (f *Field) problems() int {
	n := 0
	if f.Problem != nil {
		n++
	}
	for i := range f.Fields {
		n += f.Fields[i].problems()
	}
	return n
}
