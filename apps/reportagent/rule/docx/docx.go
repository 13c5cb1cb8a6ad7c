// Package docx is for Word files: headings, paragraphs, tables and charts, with marks that a text leads to.
//
// A file is a zip of XML parts. Read Document first, then document.go for the text and chart.go for the drawings, which are charts of
// Word's own: sharp in print, restyled with the document, and their numbers can be copied out. The same document makes the same bytes.
package docx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Document is what is written.
type Document struct {
	Title  string
	Made   time.Time // the moment the file says it was made at: the document's, not the clock's
	Footer string    // stands before the number of the sheet
	Blocks []Block
}

// A Block is one thing below another: a Heading, a Paragraph, a Table or a Chart.
type Block interface{ block(w *writer) }

// A Heading is the title of a section.
type Heading struct {
	Level int    // from 1; below 6 it is 6
	Text  string // as people read it
	Mark  string // what leads here; "" for nothing
	Sheet bool   // a new one begins with it
}

// A Style is what a paragraph is.
type Style string

// The styles.
const (
	Body    Style = ""
	Name    Style = "Title"   // of the file, before everything
	Quiet   Style = "Quiet"   // said about the text, not in it
	Warning Style = "Warning" // to be read before the text is used
	Above   Style = "Above"   // the line above a paragraph
	Item    Style = "Item"    // of a list
)

// A Paragraph is text in one style.
type Paragraph struct {
	Style Style
	Runs  []Run
}

// A Run is text that leads to a mark, or nowhere.
type Run struct {
	Text string
	To   string
}

// Text is a paragraph that leads nowhere.
func Text(style Style, text string) Paragraph { return Paragraph{style, []Run{{Text: text}}} }

// A Table has a head, which is repeated on each sheet, and rows.
type Table struct {
	Shares []int // of the breadth, one for each column
	Head   []string
	Rows   []Row
}

// A Row is one line of a table. Its mark is in the first cell.
type Row struct {
	Mark  string
	Cells []string
}

// Bytes is the file.
func (d Document) Bytes() ([]byte, error) {
	w := &writer{}
	for _, b := range d.Blocks {
		b.block(w)
	}
	parts := []struct{ name, body string }{
		{"[Content_Types].xml", w.types()},
		{"_rels/.rels", rootLinks},
		{"docProps/core.xml", d.core()},
		{"word/document.xml", w.document()},
		{"word/_rels/document.xml.rels", w.links()},
		{"word/styles.xml", styles},
		{"word/settings.xml", settings},
		{"word/footer1.xml", footer(d.Footer)},
	}
	for i, c := range w.charts {
		parts = append(parts, struct{ name, body string }{chartPart(i), c})
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: earliest})
		if err == nil {
			_, err = io.WriteString(f, declaration+p.body)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

// earliest is the first moment a zip can say: the same document makes the same bytes.
var earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// A writer is a document being written.
type writer struct {
	body   strings.Builder
	charts []string
	marks  int
}

func (w *writer) put(parts ...string) {
	for _, s := range parts {
		w.body.WriteString(s)
	}
}

// escaped is words as they may stand in XML; what XML cannot hold becomes a sign for it.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

// mark is where a link may lead; "" is none. Word allows letters, digits and the low line, and 40 of them.
func (w *writer) mark(name string) string {
	if name == "" {
		return ""
	}
	w.marks++
	id := strconv.Itoa(w.marks)
	return `<w:bookmarkStart w:id="` + id + `" w:name="` + Mark(name) + `"/><w:bookmarkEnd w:id="` + id + `"/>`
}

// Mark is a name as Word allows it: whatever else is in it becomes a low line, and it is cut to 40 characters.
func Mark(name string) string {
	out := []byte("m_")
	for _, r := range name {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			out = append(out, byte(r))
		} else {
			out = append(out, '_')
		}
	}
	return string(out[:min(len(out), 40)])
}
