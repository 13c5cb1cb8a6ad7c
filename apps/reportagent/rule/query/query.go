// Package query is for questions about the raw tables of a model run: what is asked, what is answered, and the facts that an answer
// becomes. Who asks is outside/duck.
//
// Read Question and Answer first, then Facts.
package query

import (
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Question is one SELECT over views.
type Question struct {
	Views []View
	SQL   string
	Rows  int // at most so many rows are answered; 200 where it is 0
}

// A View is a raw table of a run.
type View struct {
	Name    string   `json:"name"` // what a question calls it
	File    string   `json:"file"` // where it is on this machine
	SHA256  string   `json:"-"`    // of the file
	Columns []Column `json:"columns"`
}

// A Column is one of a view, in the order of the file.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// A Type is what a column is read as. None is a float: sums of floats are another one from run to run.
type Type string

// The types.
const (
	Text    Type = "text"
	Integer Type = "integer"
	Decimal Type = "decimal" // 38 digits, 12 of them decimals: what is finer is rounded, what is larger fails
)

// Columns are those of a raw table by its header: the year is whole, the value exact, everything else text.
func Columns(header []string) ([]Column, error) {
	seen := map[string]bool{Record: true}
	var out []Column
	for _, name := range header {
		folded := strings.ToLower(name)
		if name == "" || seen[folded] {
			return nil, fault.New(fault.Invalid, "the column %.60q is there twice, or has no name, or is called as the number of a row is", name)
		}
		seen[folded] = true
		c := Column{name, Text}
		switch folded {
		case "year", "period":
			c.Type = Integer
		case "val", "value", "pv":
			c.Type = Decimal
		}
		out = append(out, c)
	}
	return out, nil
}

// Record is the column of every view that has the number of a row in its file, from 1.
const Record = "record"

// An Answer is what came back.
type Answer struct {
	SQL     string      `json:"sql"` // what was run: the question as it was understood
	Columns []Answered  `json:"columns"`
	Rows    [][]*string `json:"rows"` // nil is no value
	More    bool        `json:"more"` // there are more rows than were asked for
}

// An Answered column is one of an answer.
type Answered struct {
	Name   string `json:"name"`
	Number bool   `json:"number"`
	Cell   string `json:"cell,omitempty"` // the column of the file, where values are as they stand in it
}
