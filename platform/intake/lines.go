package intake

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of one file.
const (
	MaxBytes = 64 << 20
	MaxLines = 2_000_000
	maxCell  = 500
)

// A Line is one of a file, its cells in the order the caller asked for columns.
type Line struct {
	Line  int // in the file, the header being 1
	Cells []string
}

// Lines reads the named columns of a file whose first line names its columns, in
// any order and any case. Other columns are left alone. Cells are trimmed.
func Lines(file []byte, columns ...string) ([]Line, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "the file has more than %d MB", MaxBytes>>20).
			Because("file_too_large", "n", strconv.Itoa(MaxBytes>>20))
	}
	if !utf8.Valid(file) {
		return nil, fault.New(fault.Invalid, "the file is not UTF-8").WithNext("save it as CSV UTF-8").Because("file_not_utf8")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the file has no line that names its columns").Because("file_no_header")
	}
	at, err := places(header, columns)
	if err != nil {
		return nil, err
	}
	var out []Line
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			at := 0
			if bad, ok := errors.AsType[*csv.ParseError](err); ok {
				at = bad.StartLine
			}
			return nil, fault.From(fault.Invalid, err, "line %d cannot be read: quotes or number of cells", at).
				Because("file_line_unreadable", "line", strconv.Itoa(at))
		}
		line, _ := r.FieldPos(0)
		if len(out) == MaxLines {
			return nil, fault.New(fault.TooLarge, "the file has more than %d lines", MaxLines).
				Because("file_lines_many", "n", strconv.Itoa(MaxLines))
		}
		row := Line{Line: line, Cells: make([]string, len(at))}
		for i, c := range at {
			if row.Cells[i] = strings.TrimSpace(rec[c]); len(row.Cells[i]) > maxCell {
				return nil, fault.New(fault.TooLarge, "line %d: %s has more than %d bytes", line, columns[i], maxCell).
					Because("file_cell_long", "line", strconv.Itoa(line), "column", columns[i], "n", strconv.Itoa(maxCell))
			}
		}
		out = append(out, row)
	}
}

func places(header, columns []string) ([]int, error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.ToLower(strings.TrimSpace(h))
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(names, c); at[i] < 0 {
			return nil, fault.New(fault.Invalid, "there is no column %s", c).
				WithNext("name the columns %s in the first line", strings.Join(columns, ", ")).
				Because("file_no_column", "column", c, "columns", strings.Join(columns, ", "))
		}
		if slices.Contains(names[at[i]+1:], c) {
			return nil, fault.New(fault.Invalid, "there are two columns %s", c).Because("file_two_columns", "column", c)
		}
	}
	return at, nil
}

// At puts the line in front of what is wrong with it.
func (r Line) At(err error) error {
	text, _ := fault.Words(err)
	return fault.New(fault.KindOf(err), "line %d: %s", r.Line, text)
}
