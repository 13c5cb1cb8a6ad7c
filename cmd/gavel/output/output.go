// Package output prints what a command found, in the form that was asked for:
// a table for people, JSON, newline-delimited JSON or CSV for programs. Data
// goes to one stream and talk to another, so that a pipe carries data only.
package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Format is a form of output.
type Format string

// The formats.
const (
	Table  Format = "table"
	JSON   Format = "json"
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
)

// Formats lists them in the order people read them.
func Formats() []string { return []string{string(Table), string(JSON), string(NDJSON), string(CSV)} }

// ParseFormat checks the name of a format.
func ParseFormat(s string) (Format, error) {
	if slices.Contains(Formats(), s) {
		return Format(s), nil
	}
	return Table, fault.New(fault.Invalid, "no output is called %.40q; use %s", s, strings.Join(Formats(), ", "))
}

// ForPrograms reports whether errors, too, are to be JSON.
func (f Format) ForPrograms() bool { return f == JSON || f == NDJSON }

// A Printer prints in one format.
type Printer struct {
	Out    io.Writer // data
	Talk   io.Writer // everything said beside it
	Format Format
	Quiet  bool           // say nothing beside the data
	Zone   *time.Location // of times in tables; programs always get UTC
}

// A Column is one value of an item: how a table and a CSV file show it.
type Column[T any] struct {
	Head  string      // heading in a table
	Field string      // heading in CSV: the field's name in the API
	Value func(T) any // string, number, bool, time.Time or *time.Time
	Time  bool        // it holds times: a table's heading names the zone
}

// Say talks to a person. Errors are not said this way.
func (p *Printer) Say(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.Talk, format+"\n", args...)
	}
}

// List prints items. An empty list is [] in JSON, nothing in NDJSON, headings
// in CSV, and in a table nothing but the words none said to the person.
func List[T any](p *Printer, items []T, none string, columns []Column[T]) error {
	switch p.Format {
	case JSON:
		if items == nil {
			items = []T{}
		}
		return p.encode(items, "  ")
	case NDJSON:
		for _, item := range items {
			if err := p.encode(item, ""); err != nil {
				return err
			}
		}
		return nil
	case CSV:
		return writeCSV(p, items, columns)
	}
	if len(items) == 0 {
		p.Say("%s", none)
		return nil
	}
	return writeTable(p, items, columns)
}

// One prints one item: an object in JSON, a line in NDJSON, a heading and a row
// in CSV, and for people one value a line.
func One[T any](p *Printer, item T, columns []Column[T]) error {
	switch p.Format {
	case JSON:
		return p.encode(item, "  ")
	case NDJSON:
		return p.encode(item, "")
	case CSV:
		return writeCSV(p, []T{item}, columns)
	}
	t := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		if text := p.cell(c.Value(item)); text != "" {
			fmt.Fprintf(t, "%s\t%s\n", head(p, c), text)
		}
	}
	return t.Flush()
}

func (p *Printer) encode(v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	_, err := p.Out.Write(b.Bytes())
	return err
}

func writeTable[T any](p *Printer, items []T, columns []Column[T]) error {
	t := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	line := func(cell func(Column[T]) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	line(func(c Column[T]) string { return head(p, c) })
	for _, item := range items {
		line(func(c Column[T]) string { return p.cell(c.Value(item)) })
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

func head[T any](p *Printer, c Column[T]) string {
	if c.Time {
		return c.Head + " (" + zoneName(p.zone(), time.Now().Year()) + ")"
	}
	return c.Head
}

// zoneName is the letters people know a zone by, where they hold all the year,
// and else its whole name: one heading stands over times of summer and winter.
func zoneName(zone *time.Location, year int) string {
	letters, offset := time.Date(year, time.January, 1, 0, 0, 0, 0, zone).Zone()
	if _, other := time.Date(year, time.July, 1, 0, 0, 0, 0, zone).Zone(); other != offset {
		return zone.String()
	}
	return letters
}

func writeCSV[T any](p *Printer, items []T, columns []Column[T]) error {
	w := csv.NewWriter(p.Out)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.Field
	}
	_ = w.Write(row) // Error reports it below
	for _, item := range items {
		for i, c := range columns {
			row[i] = csvCell(c.Value(item))
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}

func (p *Printer) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// cell is a value in a table: times in the organisation's zone, text in one
// bounded line.
func (p *Printer) cell(v any) string {
	if t, ok := moment(v); ok {
		if t.IsZero() {
			return ""
		}
		return t.In(p.zone()).Format("2006-01-02 15:04")
	}
	return Clean(fmt.Sprint(v))
}

// csvCell is a value in CSV: times in UTC. Text that a spreadsheet would run as
// a formula is made text by a quote before it, since titles come from outside.
func csvCell(v any) string {
	if t, ok := moment(v); ok {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	s := fmt.Sprint(v)
	if _, isText := v.(string); isText && s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// moment reads the two ways a time comes; the zero time stands for none.
func moment(v any) (time.Time, bool) {
	switch t := v.(type) {
	case time.Time:
		return t, true
	case *time.Time:
		if t == nil {
			return time.Time{}, true
		}
		return *t, true
	}
	return time.Time{}, false
}

// maxCell is the most characters of one table cell; JSON has the rest.
const maxCell = 200

// Clean makes text safe for a terminal: one line, no control characters, and a
// bound on its length.
func Clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u2028' || r == '\u2029' || r == '\u202e' {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > maxCell {
		s = string([]rune(s)[:maxCell-1]) + "…"
	}
	return s
}
