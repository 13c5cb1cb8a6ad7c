package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Preview is what a file would change, or has changed. It holds ids, and no value that may
// be personal but where a refused line is quoted.
type Preview struct {
	Kind    string // what the table lists
	Whole   bool
	SHA256  string // of the file and what is on record: what a person confirms
	File    string // SHA-256 of the file alone
	Lines   int
	Ignored []string // columns that were not read

	Added     int
	Changed   int
	Unchanged int
	Gone      int
	Kept      int            // the file says otherwise and the record stands
	Shrinks   bool           // more than a fifth of what is there would go
	Fields    map[string]int // in how many rows each field changes
	List      []Change
	Refused   int
	Refusals  []Refusal
}

// PreviewOf is a file compared with what is on record.
func PreviewOf[T any](t Table[T], was []T, file []byte, f File[T], whole bool, d Difference[T]) Preview {
	of := sha256.Sum256(file)
	return Preview{Kind: t.Name, Whole: whole, SHA256: Digest(t, was, file, whole), File: hex.EncodeToString(of[:]), Lines: f.Lines,
		Ignored: f.Ignored,
		Added:   len(d.Added), Changed: len(d.Changed), Unchanged: d.Unchanged, Gone: len(d.Gone), Kept: d.Kept,
		Shrinks: d.Shrinks(), Fields: d.Fields, List: d.List, Refused: d.Count, Refusals: d.Refusals.List}
}

// Rows is how many things the file lists.
func (p Preview) Rows() int { return p.Added + p.Changed + p.Unchanged + p.Kept }

// Changes reports whether anything would change.
func (p Preview) Changes() bool { return p.Added+p.Changed+p.Gone > 0 }

// Importable reports whether it can be imported as it is.
func (p Preview) Importable() bool { return p.Refused == 0 }

// FieldNames are the fields that change, in order.
func (p Preview) FieldNames() []string { return slices.Sorted(maps.Keys(p.Fields)) }

// OfWhat are the listed changes of one sort.
func (p Preview) OfWhat(what string) []Change {
	var out []Change
	for _, c := range p.List {
		if c.What == what {
			out = append(out, c)
		}
	}
	return out
}

// A Word is somebody's on a file that is to be imported.
type Word struct {
	SHA256    string // of the preview they have seen; empty goes by none
	MayShrink bool   // more than a fifth of what is on record may go. Without it such a file was cut short, most likely
}

// Confirm refuses a file that is not taken: another than somebody has seen a preview of, or one
// that was compared with other records; one with lines that are refused; one that would take
// away much without their word. The first line's reason is not quoted: it may quote the line, and
// errors are logged.
func (p Preview) Confirm(w Word) error {
	switch {
	case w.SHA256 != "" && p.SHA256 != w.SHA256:
		return fault.New(fault.Stale, "the records or the file have changed since the preview").
			WithNext("preview the file again, and import it with the new sha256").Because("preview_changed")
	case p.Refused > 0:
		return fault.New(fault.Invalid, "%d lines of the file are refused, the first is line %d; nothing was imported", p.Refused,
			p.Refusals[0].Line).
			WithNext("preview the file to see why, and correct it").
			Because("lines_refused", "n", strconv.Itoa(p.Refused), "line", strconv.Itoa(p.Refusals[0].Line))
	case p.Shrinks && !w.MayShrink:
		return fault.New(fault.Conflict, "%d of the %s on record are missing from the file, more than a fifth; nothing was imported",
			p.Gone, p.Kind).
			WithNext("send the whole file, or say that so many may go").Because("many_missing", "n", strconv.Itoa(p.Gone))
	}
	return nil
}
