// Package selector is for finding the one value that a fact was read from, in
// the bytes it was read from.
//
// CSV, JSON and Rows each read a document once, from front to back, and find any
// number of values on the way; memory does not grow with the document. What is
// found is text, exactly as it stands there: nothing here turns a number into a
// float. Everything is bounded, because the bytes come from outside, and every
// doubt is a refusal: a name that stands twice, a cell that a short row lacks, a
// file in another encoding. Only words are imported, so a bundle can be checked
// with this package and no server.
package selector

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what is read from outside.
const (
	MaxRecord = 1 << 20 // bytes of one CSV record or one database row
	MaxDepth  = 512     // nesting of a JSON document
	MaxText   = 64 << 10
	MaxAround = 20 // rows shown on either side
)

// Found is what stands at a selector.
type Found struct {
	Raw     string   // as the document has it; a JSON string without its quotes
	Line    int      // in the document, from 1; where the value begins
	Excerpt *Excerpt // what stands around it; nil if not asked for
	Err     error    // why nothing was found
	Holds   bool     // an object or a list stands there: no value, but Members shows what it holds
}

// An Excerpt is the neighbourhood of a value as a small table. It is for people
// to look at, and long cells are cut.
type Excerpt struct {
	Header []string `json:"header"`
	Rows   []Row    `json:"rows"`
	Column int      `json:"column"`       // where in Header and Cells the value stands; -1 where there is none
	Left   int      `json:"left"`         // columns of the document that are left out before the first one here
	Total  int      `json:"total"`        // columns of the document
	In     string   `json:"in,omitempty"` // the JSON pointer of what holds the value
}

// A Row is one line of an excerpt.
type Row struct {
	Number int      `json:"number"` // as a selector counts it
	Cells  []string `json:"cells"`
	Here   bool     `json:"here,omitempty"` // the value's own
}

// Bounds of an excerpt.
const (
	maxCells     = 24  // columns, or members of an object
	maxCellRunes = 160 // of one cell
)

// shown is a cell as an excerpt has it: short, and text whatever the bytes were.
func shown(cell string) string {
	cut := cell
	if len(cut) > 4*maxCellRunes {
		cut = cut[:4*maxCellRunes]
	}
	runes := []rune(strings.ToValidUTF8(cut, "\uFFFD"))
	if len(runes) <= maxCellRunes && len(cut) == len(cell) {
		return string(runes)
	}
	return string(runes[:min(len(runes), maxCellRunes)]) + "…"
}

// Number is the number that a found text is, in the form fact.ParseNumber reads:
// blanks around it are dropped, and that is all. Grouping is not removed, because
// 1,234 is one number in Delhi and another in Berlin.
func Number(raw string) string { return strings.Trim(raw, " \t\r\n\u00a0") }

// text returns the document without a byte order mark. A document in another
// encoding is refused, because its bytes would be misread in silence.
func text(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(3)
	if err != nil && err != io.EOF {
		return nil, reading(err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3) // peeked
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")),
		bytes.IndexByte(head, 0) >= 0:
		return nil, fault.New(fault.Invalid, "the document is not UTF-8 text")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return nil, fault.New(fault.Invalid, "the document is compressed; take it unpacked to cite a value in it")
	}
	return b, nil
}

// reading tells an error of the bytes' reader from one of their form.
func reading(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.From(fault.Unavailable, err, "the document could not be read to its end")
}

// storable reports whether text can be kept in the record and in JSON as it is.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// all gives every selector the same answer.
func all(n int, err error) []Found {
	out := make([]Found, n)
	for i := range out {
		out[i].Err = err
	}
	return out
}
