package selector

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A TableRow is a database row as it was when it was read: the text of each
// column as PostgreSQL prints it, nil for null. This gives it in one go, whatever
// the columns are:
//
//	select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(r))
type TableRow struct {
	Table   string             `json:"table"` // schema.table
	PK      string             `json:"pk"`    // the primary key as people would write it
	Columns map[string]*string `json:"columns"`
}

var (
	tableForm  = regexp.MustCompile(`^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$`)
	columnForm = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
)

// WriteRows writes rows as a document that Rows can search, one line each in
// canonical JSON (RFC 8785), and returns the selector of each. A row's SHA-256 is
// that of its line without the line end, so it covers table, key and all columns.
func WriteRows(w io.Writer, rows ...TableRow) ([]fact.TableRow, error) {
	out := make([]fact.TableRow, len(rows))
	for i, row := range rows {
		line, err := row.canonical()
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(line)
		out[i] = fact.TableRow{Table: row.Table, PK: row.PK, SHA256: hex.EncodeToString(sum[:])}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r TableRow) canonical() ([]byte, error) {
	if !tableForm.MatchString(r.Table) || r.PK == "" || !storable(r.PK) {
		return nil, fault.New(fault.Invalid, "row %.60q of %.60q: a row has a key, and its table is named schema.table", r.PK, r.Table)
	}
	for name, text := range r.Columns {
		if !columnForm.MatchString(name) || text != nil && !storable(*text) {
			return nil, fault.New(fault.Invalid, "row %.60q of %s: column %.60q is not text", r.PK, r.Table, name)
		}
	}
	plain, err := json.Marshal(r)
	if err != nil {
		return nil, fault.New(fault.Invalid, "row %.60q of %s cannot be written: %w", r.PK, r.Table, err)
	}
	line, err := jcs.Transform(plain)
	if err != nil {
		return nil, fault.New(fault.Invalid, "row %.60q of %s cannot be written: %w", r.PK, r.Table, err)
	}
	if len(line) > MaxRecord {
		return nil, fault.New(fault.TooLarge, "row %.60q of %s has %d bytes; the most is %d", r.PK, r.Table, len(line), MaxRecord)
	}
	return line, nil
}

// Cell is the selector of one column of a row: the column's name follows the
// table's, schema.table.column, as in SQL. Without it two values of one row could
// not be told apart, and value alone proves nothing.
func Cell(row fact.TableRow, column string) fact.Selector {
	row.Table += "." + column
	return fact.Selector{Row: &row}
}

// SplitCell is the table and the column of a selector that Cell made.
func SplitCell(row fact.TableRow) (table, column string, err error) {
	at := strings.LastIndexByte(row.Table, '.')
	if at < 0 || !tableForm.MatchString(row.Table[:at]) || !columnForm.MatchString(row.Table[at+1:]) {
		return "", "", fault.New(fault.Invalid, "%.120q does not name a column as schema.table.column", row.Table)
	}
	return row.Table[:at], row.Table[at+1:], nil
}

// Rows finds columns of rows in a document that WriteRows made, by the digest of
// their line. With around above 0 the excerpt is the row's other columns. The
// error is one of the document; what is wrong with a single row stands in its
// Found.
func Rows(r io.Reader, around int, cells ...fact.TableRow) ([]Found, error) {
	b, err := text(r)
	if err != nil {
		return nil, err
	}
	found := make([]Found, len(cells))
	byDigest := map[string][]int{}
	for i, c := range cells {
		found[i].Err = fault.New(fault.NotFound, "no row of the document has the digest %.16s…", c.SHA256)
		byDigest[c.SHA256] = append(byDigest[c.SHA256], i)
	}
	for number := 1; ; number++ {
		line, err := readLine(b)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(line)
		for _, i := range byDigest[hex.EncodeToString(sum[:])] {
			found[i] = readCell(line, number, around, cells[i])
		}
	}
}

// readLine is the next line without its end, bounded; io.EOF after the last.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) > MaxRecord+1 {
			return nil, fault.New(fault.TooLarge, "a row of the document has more than %d bytes", MaxRecord)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, reading(err)
		}
	}
}

// readCell reads a column of the row on a line whose digest is already known to
// be right.
func readCell(line []byte, number, around int, cell fact.TableRow) Found {
	table, column, err := SplitCell(cell)
	if err != nil {
		return Found{Err: err}
	}
	var row TableRow
	if err := json.Unmarshal(line, &row); err != nil {
		return Found{Err: fault.New(fault.Invalid, "line %d of the document is not a row", number)}
	}
	if again, err := row.canonical(); err != nil || string(again) != string(line) {
		return Found{Err: fault.New(fault.Invalid, "line %d of the document is not a row in canonical form", number)}
	}
	value, known := row.Columns[column]
	f := Found{Line: number}
	switch {
	case row.Table != table || row.PK != cell.PK:
		f.Err = fault.New(fault.Invalid, "the row with this digest is %.60q of %s, not %.60q of %s", row.PK, row.Table, cell.PK, table)
	case !known:
		f.Err = fault.New(fault.NotFound, "the row has no column %s", column)
	case value == nil:
		f.Err = fault.New(fault.Invalid, "null stands there, not a number or a text")
	default:
		f.Raw, f.Err = *value, bounded(*value)
	}
	if around > 0 {
		f.Excerpt = row.excerpt(column)
	}
	return f
}

// excerpt shows the row's columns, one under the other.
func (r TableRow) excerpt(column string) *Excerpt {
	e := &Excerpt{Header: []string{"column", "value"}, Column: 1, Total: 2, In: r.Table + " " + shown(r.PK)}
	for i, name := range slices.Sorted(maps.Keys(r.Columns)) {
		if len(e.Rows) >= 2*maxCells && name != column {
			continue
		}
		value := "null"
		if text := r.Columns[name]; text != nil {
			value = shown(*text)
		}
		e.Rows = append(e.Rows, Row{Number: i + 1, Cells: []string{name, value}, Here: name == column})
	}
	return e
}
