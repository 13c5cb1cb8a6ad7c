package output

import (
	"encoding/csv"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"
)

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

// writeNames prints of each item what names it, a line each.
func writeNames[T any](p *Printer, items []T, columns []Column[T]) error {
	if len(columns) == 0 {
		return nil
	}
	named := columns[0]
	for _, c := range columns {
		if c.Names {
			named = c
		}
	}
	for _, item := range items {
		if _, err := fmt.Fprintln(p.Out, p.cell(named.Value(item))); err != nil {
			return err
		}
	}
	return nil
}

func (p *Printer) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// Moment is a time as a sentence has it: in the organisation's zone, which it
// names.
func (p *Printer) Moment(t time.Time) string {
	return t.In(p.zone()).Format("2006-01-02 15:04") + " " + zoneName(p.zone(), t.Year())
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
		if moves(r) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > maxCell {
		s = string([]rune(s)[:maxCell-1]) + "…"
	}
	return s
}

// moves reports whether a terminal does something else with a character than
// show it in its place.
func moves(r rune) bool {
	return r < ' ' || (r >= 0x7f && r < 0xa0) || (r >= '\u2028' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069')
}
