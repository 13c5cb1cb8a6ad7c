// Package outline is for the Markdown file in which an analyst says what a report is to contain: headings are sections,
// and two kinds of HTML comment hold instructions for a section and reviews of its draft.
//
// Read Parse first, then Section. Every byte of the file belongs to exactly one Piece, so that Render gives back what was
// read and Write changes a draft and nothing else. The grammar and the table of diagnostics are in docs/design/report.md.
package outline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds on one outline. A report of five hundred sections is far inside them.
const (
	MaxBytes    = 16 << 20
	MaxSections = 10_000
)

// A Document is an outline as it was read.
type Document struct {
	Preamble     []Piece // what stands before the first heading
	Instructions string  // for the whole document: those that stand before the first heading
	Sections     []Section
	Diagnostics  diagnostic.List

	source  []byte
	newline string
}

// A Section is a heading and what follows it, up to the next heading of any level.
type Section struct {
	ID           string // unique in the document
	Slug         string // what the title alone gives; several sections may share it
	Title        string
	Level        int    // 1 to 6
	Parent       string // ID of the nearest heading before it with a smaller level; "" if there is none
	Line         int
	Instructions string
	Reviews      []Review
	Content      string // everything but instructions and reviews, other comments included
	Prose        string // Content without other comments: what a model may be shown
	Heading      Piece
	Pieces       []Piece // what follows the heading
}

// A Piece is a run of bytes of one kind.
type Piece struct {
	Kind Kind
	Span Span
	Line int // of its first byte
}

// A Span is from Start up to End, in bytes of the file.
type Span struct{ Start, End int }

// A Kind says what a piece is.
type Kind uint8

// The kinds of piece.
const (
	Mark         Kind = iota // the byte order mark some editors write
	Heading                  // a heading's line
	Text                     // draft, blank lines, fenced code
	Instructions             // <!-- Section instructions: … -->
	ReviewNote               // <!-- Review comments: … -->
	Comment                  // any other comment: kept, and shown to no model
)

// A Review is one reviewer's comment on a section.
type Review struct {
	Author  string
	Ratings map[string]int // by dimension, 1 to 5; only those that were given
	Notes   string
	Line    int
}

// Dimensions are what a review rates, in the order in which they are listed.
func Dimensions() []string { return []string{"accuracy", "completeness", "clarity", "data_use"} }

// Parse reads an outline. Whatever can be read is read; what cannot is told in the diagnostics. The error is for a file
// that is no outline at all: not UTF-8, or out of bounds.
func Parse(source []byte) (*Document, error) {
	if len(source) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "an outline of %d bytes: at most %d are read", len(source), MaxBytes)
	}
	if !utf8.Valid(source) {
		return nil, fault.New(fault.Invalid, "the outline is not UTF-8 text")
	}
	d := &Document{source: bytes.Clone(source), newline: "\n"}
	if i := bytes.IndexByte(source, '\n'); i > 0 && source[i-1] == '\r' {
		d.newline = "\r\n"
	}
	s := scanner{src: d.source, line: 1, diagnostics: &d.Diagnostics}
	s.run()
	if err := d.assemble(s.pieces, s.titles); err != nil {
		return nil, err
	}
	d.identify()
	d.Diagnostics.Sort()
	return d, nil
}

// assemble puts the pieces under their headings and reads the comments.
func (d *Document) assemble(pieces []Piece, titles []title) error {
	for _, p := range pieces {
		if p.Kind != Heading {
			d.take(p)
			continue
		}
		if len(d.Sections) == MaxSections {
			return fault.New(fault.TooLarge, "an outline has at most %d sections", MaxSections)
		}
		t := titles[len(d.Sections)]
		d.Sections = append(d.Sections, Section{Title: t.text, Slug: t.explicit, ID: t.explicit, Level: t.level, Line: p.Line, Heading: p})
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Content = d.text(s.Pieces, Text, Comment)
		s.Prose = d.text(s.Pieces, Text)
	}
	return nil
}

// take puts a piece that is no heading where it belongs.
func (d *Document) take(p Piece) {
	if len(d.Sections) == 0 {
		d.Preamble = append(d.Preamble, p)
		if p.Kind == Instructions || p.Kind == ReviewNote {
			d.Diagnostics.Add("R013", diagnostic.Warning, p.Line,
				"this comment stands before the first heading: instructions there are for the whole document")
		}
		if p.Kind == Instructions {
			d.Instructions = joined(d.Instructions, d.body(p))
		}
		return
	}
	s := &d.Sections[len(d.Sections)-1]
	s.Pieces = append(s.Pieces, p)
	switch p.Kind {
	case Instructions:
		if s.Instructions != "" {
			d.Diagnostics.Add("R011", diagnostic.Warning, p.Line, "%q has instructions already: these are added to them", s.Title)
		}
		s.Instructions = joined(s.Instructions, d.body(p))
	case ReviewNote:
		r, given := readReview(d.body(p), d.bodyLine(p), &d.Diagnostics)
		if !given {
			return
		}
		if len(s.Reviews) > 0 {
			d.Diagnostics.Add("R010", diagnostic.Info, p.Line, "%q has several reviews: all are kept", s.Title)
		}
		r.Line = p.Line
		s.Reviews = append(s.Reviews, r)
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// text is what the pieces of some kinds say, blank lines around it dropped.
func (d *Document) text(pieces []Piece, kinds ...Kind) string {
	var b strings.Builder
	for _, p := range pieces {
		for _, k := range kinds {
			if p.Kind == k {
				b.Write(d.source[p.Span.Start:p.Span.End])
			}
		}
	}
	return trimLines(strings.ReplaceAll(b.String(), "\r\n", "\n"))
}

// Text is what a piece says, with plain line ends.
func (d *Document) Text(p Piece) string {
	return strings.ReplaceAll(string(d.source[p.Span.Start:p.Span.End]), "\r\n", "\n")
}

// trimLines drops blank lines before and blanks after a text. The first line keeps its indent, which means something.
func trimLines(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || strings.Trim(line, " \t\r") != "" {
			return s
		}
		s = rest
	}
}

// Hash names the content of a section. Who writes a draft says which content it replaces.
func (s Section) Hash() string {
	sum := sha256.Sum256([]byte(s.Content))
	return hex.EncodeToString(sum[:])
}

// Children lists the sections right below one.
func (d *Document) Children(id string) []Section {
	var out []Section
	for _, s := range d.Sections {
		if s.Parent == id {
			out = append(out, s)
		}
	}
	return out
}

// Find is the section that a person means by a name: its ID, or its bare slug where only one section has it.
func (d *Document) Find(name string) (Section, error) {
	var found []Section
	var ids []string
	for _, s := range d.Sections {
		if s.ID == name {
			return s, nil
		}
		if s.Slug == name {
			found, ids = append(found, s), append(ids, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return Section{}, fault.New(fault.NotFound, "there is no section %.80q", name)
	case 1:
		return found[0], nil
	}
	return Section{}, fault.New(fault.Invalid, "%q is the name of several sections: say %s", name, strings.Join(ids, " or "))
}
