package intake

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Read makes rows of a file. What is wrong with single lines is in the file's
// refusals; an error is of the file as a whole.
func Read[T any](t Table[T], file []byte) (File[T], error) {
	var f File[T]
	names := header(file)
	asked := t.ask(names, &f)
	lines, err := Lines(file, asked...)
	if err != nil {
		return File[T]{}, err
	}
	if f.Lines = len(lines); f.Lines > MaxRows {
		return File[T]{}, fault.New(fault.TooLarge, "the file has more than %d lines", MaxRows).
			Because("file_lines_many", "n", strconv.Itoa(MaxRows))
	}
	for _, n := range names {
		if n != "" && !slices.Contains(asked, n) {
			f.Ignored = append(f.Ignored, n)
		}
	}
	t.gather(&f, lines, asked)
	return f, nil
}

// header is the names of the columns, so that those that may be missing are
// asked for only where they are there. What cannot be read, Lines says.
func header(file []byte) []string {
	if len(file) > MaxBytes {
		return nil
	}
	names, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))).Read()
	if err != nil {
		return nil
	}
	for i, n := range names {
		names[i] = strings.ToLower(strings.TrimSpace(n))
	}
	return names
}

// ask is the columns to read, and notes which fields the file has.
func (t Table[T]) ask(names []string, f *File[T]) []string {
	f.has = make([]bool, len(t.Fields))
	var asked []string
	for i, d := range t.Fields {
		if f.has[i] = d.Must || slices.Contains(names, d.Columns[0]); !f.has[i] {
			continue
		}
		for j, c := range d.Columns {
			if j < len(d.Columns)-d.Spare || slices.Contains(names, c) {
				asked = append(asked, c)
			}
		}
	}
	return asked
}

// gather reads the lines and puts those of one thing together.
func (t Table[T]) gather(f *File[T], lines []Line, asked []string) {
	places := t.places(asked)
	at := make(map[string]int, len(lines))
	for _, l := range lines {
		row := Row[T]{Line: l.Line}
		if err := t.readLine(f, &row.Value, l.Cells, places); err != nil {
			f.add(l.Line, err)
			continue
		}
		key := t.Key(&row.Value)
		first, again := at[key]
		if !again {
			at[key] = len(f.Rows)
			f.Rows = append(f.Rows, row)
			continue
		}
		if err := t.joinLine(f, &f.Rows[first], &row); err != nil {
			f.add(l.Line, err)
		}
	}
	if t.Check == nil {
		return
	}
	for i := range f.Rows {
		if err := t.Check(&f.Rows[i].Value); err != nil {
			f.add(f.Rows[i].Line, err)
		}
	}
}

// places says, for each field, in which cell each of its columns stands, -1
// where the file does not have it.
func (t Table[T]) places(asked []string) [][]int {
	out := make([][]int, len(t.Fields))
	for i, d := range t.Fields {
		for _, c := range d.Columns {
			out[i] = append(out[i], slices.Index(asked, c))
		}
	}
	return out
}

func (t Table[T]) readLine(f *File[T], v *T, cells []string, places [][]int) error {
	if err := clean(cells); err != nil {
		return err
	}
	var mine [maxColumns]string
	for i, d := range t.Fields {
		if !f.has[i] {
			continue
		}
		for j, at := range places[i] {
			if mine[j] = ""; at >= 0 {
				mine[j] = cells[at]
			}
		}
		if err := d.Read(v, mine[:len(places[i])]); err != nil {
			return err
		}
	}
	return nil
}

// joinLine adds one more line about a thing.
func (t Table[T]) joinLine(f *File[T], to, from *Row[T]) error {
	joined := false
	for i, d := range t.Fields {
		if f.has[i] && d.Join == nil && d.text(&to.Value) != d.text(&from.Value) {
			return fault.New(fault.Invalid, "%s is another one than in line %d", d.Name, to.Line)
		}
		joined = joined || f.has[i] && d.Join != nil
	}
	if !joined {
		return fault.New(fault.Invalid, "this is listed already, in line %d", to.Line)
	}
	for i, d := range t.Fields {
		if f.has[i] && d.Join != nil {
			d.Join(&to.Value, &from.Value)
		}
	}
	return nil
}

// Write writes rows as the file that Read reads them from.
func Write[T any](t Table[T], rows ...T) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var head []string
	for _, d := range t.Fields {
		head = append(head, d.Columns...)
	}
	_ = w.Write(head) // a buffer takes everything
	for i := range rows {
		for _, line := range t.lines(&rows[i]) {
			_ = w.Write(line)
		}
	}
	w.Flush()
	return b.Bytes()
}

// lines is a thing in as many lines as its longest field has. What lines add up
// to is written once, everything else in each.
func (t Table[T]) lines(v *T) [][]string {
	parts, most := make([][][]string, len(t.Fields)), 1
	for i, d := range t.Fields {
		parts[i] = d.Write(v)
		most = max(most, len(parts[i]))
	}
	out := make([][]string, most)
	for n := range out {
		for i, d := range t.Fields {
			switch {
			case d.Join == nil:
				out[n] = append(out[n], parts[i][0]...)
			case n < len(parts[i]):
				out[n] = append(out[n], parts[i][n]...)
			default:
				out[n] = append(out[n], make([]string, len(d.Columns))...)
			}
		}
	}
	return out
}
