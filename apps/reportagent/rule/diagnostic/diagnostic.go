// Package diagnostic is for what a reader of files has to tell a person: what is wrong, how badly, and where.
// Every reader of this application hands back a List, so that a command can print them all at once and decide by
// their severity alone.
package diagnostic

import (
	"cmp"
	"fmt"
	"slices"
)

// An Item is one thing to tell.
type Item struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1; 0 where a line says nothing
	Message  string   `json:"message"`
}

// A Severity says what follows from an item.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // what stands there was not used; a run must not go on as if it had been
	Warning Severity = "warning" // it was used, perhaps not as meant
	Info    Severity = "info"    // good to know
)

// String is the item as a compiler would print it.
func (i Item) String() string {
	where := ""
	if i.File != "" {
		where = i.File + ": "
	}
	if i.Line > 0 {
		where += fmt.Sprintf("line %d: ", i.Line)
	}
	return fmt.Sprintf("%s%s %s: %s", where, i.Severity, i.Code, i.Message)
}

// A List is what one reading found.
type List []Item

// Add appends an item; the message is formatted.
func (l *List) Add(code string, s Severity, line int, format string, args ...any) {
	*l = append(*l, Item{Code: code, Severity: s, Line: line, Message: fmt.Sprintf(format, args...)})
}

// Codes lists the codes in order, with repetition.
func (l List) Codes() []string {
	out := make([]string, len(l))
	for i, d := range l {
		out[i] = d.Code
	}
	return out
}

// Has reports whether there is an item of a severity.
func (l List) Has(s Severity) bool {
	return slices.ContainsFunc(l, func(d Item) bool { return d.Severity == s })
}

// In is the list with every item that names no file put into one.
func (l List) In(file string) List {
	out := slices.Clone(l)
	for i := range out {
		out[i].File = cmp.Or(out[i].File, file)
	}
	return out
}

// Strict is the list with every warning made an error.
func (l List) Strict() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// Sort orders by file and line and keeps the order of what stands on one line.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}
