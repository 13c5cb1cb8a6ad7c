package selector

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// CSV finds cells in a CSV document (RFC 4180, with a header). Fields are parted
// by whichever of comma, semicolon, tab and bar the header has most of. A record
// that is an empty line does not count, as in most readers. around is how many
// records to show before and after each cell, 0 for no excerpt. The error is one
// of the document; what is wrong with a single cell stands in its Found.
func CSV(r io.Reader, around int, cells ...fact.CSVCell) ([]Found, error) {
	doc, err := openCSV(r)
	if err != nil {
		return nil, err
	}
	header, err := doc.header()
	if errors.Is(err, io.EOF) {
		return all(len(cells), fault.New(fault.Invalid, "the document is empty")), nil
	}
	if err != nil {
		return nil, err
	}
	hunt := newHunt(header, min(around, MaxAround), cells)
	for row := 1; row <= hunt.last; row++ {
		record, line, err := doc.next()
		if errors.Is(err, io.EOF) {
			hunt.end(row - 1)
			return hunt.found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", row, err)
		}
		hunt.see(row, line, record)
	}
	return hunt.found, nil
}

// Records shows records of a CSV document, from the first to the last asked for
// or as many as an excerpt holds. The last must be there.
func Records(r io.Reader, from, to int) (*Excerpt, error) {
	doc, err := openCSV(r)
	if err != nil {
		return nil, err
	}
	header, err := doc.header()
	if err != nil {
		return nil, fault.New(fault.Invalid, "the document has no header: %w", err)
	}
	e := newExcerpt(header, 0)
	e.Column = -1
	for row := 1; row <= to; row++ {
		record, _, err := doc.next()
		if errors.Is(err, io.EOF) {
			return nil, fault.New(fault.NotFound, "there is no record %d; the last is %d", to, row-1)
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", row, err)
		}
		if row >= from && len(e.Rows) < 2*MaxAround {
			e.Rows = append(e.Rows, Row{Number: row, Cells: e.window(record)})
		}
	}
	return e, nil
}

// A csvDocument is the standard reader with a bound on each record.
type csvDocument struct {
	csv     *csv.Reader
	bound   *allowance
	columns []string // as a preamble names them; nil where the header does
	before  int      // lines of the preamble
}

// header is the names of the columns.
func (d *csvDocument) header() ([]string, error) {
	if d.columns != nil {
		return d.columns, nil
	}
	record, _, err := d.next()
	return slices.Clone(record), err
}

func openCSV(r io.Reader) (*csvDocument, error) {
	b, err := text(r)
	if err != nil {
		return nil, err
	}
	columns, before := preamble(b)
	head, err := b.Peek(b.Size())
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, reading(err)
	}
	bound := &allowance{r: b}
	c := csv.NewReader(bound)
	c.Comma = delimiter(head)
	c.FieldsPerRecord = -1 // a ragged row is that row's trouble, not the document's
	c.ReuseRecord = true
	return &csvDocument{c, bound, columns, before}, nil
}

// delimiter is the most frequent of the usual ones in the first record, outside
// quotes; the comma where there is none.
func delimiter(head []byte) rune {
	const candidates = ",;\t|"
	var n [len(candidates)]int
	quoted, seen := false, false
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted && seen {
			break
		}
		seen = seen || c != '\n' && c != '\r' // empty lines before the header do not count
		if i := strings.IndexByte(candidates, c); i >= 0 && !quoted {
			n[i]++
		}
	}
	best := 0
	for i := range n {
		if n[i] > n[best] {
			best = i
		}
	}
	return rune(candidates[best])
}

// next is the next record and the line it begins on.
func (d *csvDocument) next() ([]string, int, error) {
	d.bound.left = MaxRecord
	record, err := d.csv.Read()
	var form *csv.ParseError
	switch {
	case err == nil:
		line, _ := d.csv.FieldPos(0)
		return record, d.before + line, nil
	case errors.Is(err, io.EOF):
		return nil, 0, err
	case errors.As(err, &form):
		return nil, 0, fault.New(fault.Invalid, "line %d of the document is not CSV: %s", d.before+form.Line, form.Err)
	}
	return nil, 0, reading(err)
}

// An allowance passes on so many bytes until it is renewed: the reader above
// would otherwise hold a record of any length in memory. It reads ahead, so the
// bound is met to within its buffer, 4 KiB.
type allowance struct {
	r    io.Reader
	left int
}

// Read refuses when the allowance is used up.
func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fault.New(fault.TooLarge, "a record of the document has more than %d bytes", MaxRecord)
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// A hunt is what CSV is looking for and has found.
type hunt struct {
	cells  []fact.CSVCell
	column []int         // of each cell, in the header; -1 where it has none
	byRow  map[int][]int // the cells of a row
	shows  map[int][]int // the cells whose excerpt has this row
	header []string
	around int
	last   int // the last row anyone asks for
	found  []Found
}

func newHunt(header []string, around int, cells []fact.CSVCell) *hunt {
	h := &hunt{cells: cells, column: make([]int, len(cells)), byRow: map[int][]int{}, shows: map[int][]int{},
		header: header, around: around, found: make([]Found, len(cells))}
	names := map[string][]int{}
	for i, name := range header {
		names[strings.TrimSpace(name)] = append(names[strings.TrimSpace(name)], i)
	}
	for i, c := range cells {
		h.column[i], h.found[i].Err = columnOf(names, c)
		if h.found[i].Err != nil {
			continue
		}
		h.found[i].Err = fault.New(fault.NotFound, "there is no record %d", c.Row) // until it is seen
		h.byRow[c.Row] = append(h.byRow[c.Row], i)
		h.last = max(h.last, c.Row+around)
		if around > 0 {
			h.found[i].Excerpt = newExcerpt(header, h.column[i])
			for row := max(1, c.Row-around); row <= c.Row+around; row++ {
				h.shows[row] = append(h.shows[row], i)
			}
		}
	}
	return h
}

func columnOf(names map[string][]int, c fact.CSVCell) (int, error) {
	at := names[strings.TrimSpace(c.Column)]
	switch {
	case c.Row < 1:
		return -1, fault.New(fault.Invalid, "records are counted from 1; there is none numbered %d", c.Row)
	case len(at) == 0:
		return -1, fault.New(fault.NotFound, "the header has no column %.60q", c.Column)
	case len(at) > 1:
		return -1, fault.New(fault.Invalid, "column %.60q stands %d times in the header", c.Column, len(at))
	}
	return at[0], nil
}

// see takes the row's cells, and the row itself where it is to be shown.
func (h *hunt) see(row, line int, record []string) {
	for _, i := range h.byRow[row] {
		f, column := &h.found[i], h.column[i]
		if column >= len(record) {
			f.Err = fault.New(fault.NotFound, "record %d has %d cells; column %.60q is number %d", row, len(record), h.cells[i].Column,
				column+1)
			continue
		}
		f.Raw, f.Line = strings.Clone(record[column]), line
		f.Err = bounded(f.Raw)
	}
	for _, i := range h.shows[row] {
		e := h.found[i].Excerpt
		e.Rows = append(e.Rows, Row{Number: row, Cells: e.window(record), Here: row == h.cells[i].Row})
	}
}

func bounded(raw string) error {
	if len(raw) > MaxText {
		return fault.New(fault.TooLarge, "the value has %d bytes; the most is %d", len(raw), MaxText)
	}
	return nil
}

// end says of every cell after the last row that it is not there.
func (h *hunt) end(rows int) {
	for row, cells := range h.byRow {
		for _, i := range cells {
			if row > rows {
				h.found[i].Err = fault.New(fault.NotFound, "there is no record %d; the last is %d", row, rows)
			}
		}
	}
}

// newExcerpt shows the columns around one.
func newExcerpt(header []string, column int) *Excerpt {
	left := max(0, min(column-maxCells/2, len(header)-maxCells))
	e := &Excerpt{Column: column - left, Left: left, Total: len(header)}
	e.Header = e.window(header)
	return e
}

func (e *Excerpt) window(record []string) []string {
	from := min(e.Left, len(record))
	to := min(from+maxCells, len(record))
	cells := make([]string, 0, to-from)
	for _, c := range record[from:to] {
		cells = append(cells, shown(c))
	}
	return cells
}
