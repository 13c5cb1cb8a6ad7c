// Package output prints what a command found, in the form that was asked for:
// a table for people; JSON, newline-delimited JSON, YAML or CSV for programs;
// names alone for loops; or what a jq program or a template of the person's own
// makes of the JSON. Data goes to one stream and talk to another, so that a pipe
// carries data only.
//
// Read List and One first; fields.go is how some fields are chosen, own.go what
// people bring themselves.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Format is a form of output.
type Format string

// The formats.
const (
	Table  Format = "table"
	JSON   Format = "json"
	NDJSON Format = "ndjson" // an item a line
	YAML   Format = "yaml"
	CSV    Format = "csv"
	Name   Format = "name" // of each item what names it, and nothing else
)

// Formats lists them in the order people read them.
func Formats() []string {
	return []string{string(Table), string(JSON), string(NDJSON), string(YAML), string(CSV), string(Name)}
}

// ParseFormat checks the name of a format.
func ParseFormat(s string) (Format, error) {
	if slices.Contains(Formats(), s) {
		return Format(s), nil
	}
	return Table, fault.New(fault.Invalid, "no output is called %.40q; use %s", s, strings.Join(Formats(), ", "))
}

// ForPrograms reports whether errors, too, are to be JSON.
func (f Format) ForPrograms() bool { return f == JSON || f == NDJSON || f == YAML }

// Whole reports whether everything found is one document, so that what stands
// around a list can be in it.
func (f Format) Whole() bool { return f == JSON || f == YAML }

// A Printer prints in one format.
type Printer struct {
	Out    io.Writer // data
	Talk   io.Writer // everything said beside it
	Format Format
	Quiet  bool           // say nothing beside the data
	Zone   *time.Location // of times in tables; programs always get UTC
	Fields []string       // only these, in this order; empty for all
	Own    Own            // prints the JSON its own way; nil for none
}

// ForPeople reports whether a command may write in words of its own: a table is
// wanted, and nobody has chosen what stands in it.
func (p *Printer) ForPeople() bool { return p.Format == Table && len(p.Fields) == 0 }

// A Column is one value of an item: how a table and a CSV file show it.
type Column[T any] struct {
	Head  string      // heading in a table
	Field string      // heading in CSV: the field's name in the API
	Value func(T) any // string, number, bool, time.Time or *time.Time
	Time  bool        // it holds times: a table's heading names the zone
	Names bool        // it names the item; where no column does, the first does
}

// Say talks to a person. Errors are not said this way.
func (p *Printer) Say(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.Talk, format+"\n", args...)
	}
}

// List prints items. An empty list is [] in JSON and YAML, nothing in NDJSON and
// names, headings in CSV, and in a table nothing but the words none said to the
// person.
func List[T any](p *Printer, items []T, none string, columns []Column[T]) error {
	if p.Format.ForPrograms() {
		return listForPrograms(p, items, columns)
	}
	columns, err := chosen(p, items, columns)
	if err != nil {
		return err
	}
	switch p.Format {
	case CSV:
		return writeCSV(p, items, columns)
	case Name:
		return writeNames(p, items, columns)
	}
	if len(items) == 0 {
		p.Say("%s", none)
		return nil
	}
	return writeTable(p, items, columns)
}

// One prints one item: an object in JSON and YAML, a line in NDJSON, a heading
// and a row in CSV, and for people one value a line.
func One[T any](p *Printer, item T, columns []Column[T]) error {
	if p.Format.ForPrograms() {
		text, err := marshal(item)
		if err != nil {
			return err
		}
		some, err := pick(p.Fields, []T{item}, []json.RawMessage{text}, columns)
		if err != nil {
			return err
		}
		return p.document(some[0])
	}
	columns, err := chosen(p, []T{item}, columns)
	if err != nil {
		return err
	}
	switch p.Format {
	case CSV:
		return writeCSV(p, []T{item}, columns)
	case Name:
		return writeNames(p, []T{item}, columns)
	}
	t := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		if text := p.cell(c.Value(item)); text != "" {
			fmt.Fprintf(t, "%s\t%s\n", head(p, c), text)
		}
	}
	return t.Flush()
}
