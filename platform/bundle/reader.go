package bundle

import (
	"bytes"
	"io"
	"strings"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Reader is how a section reads its files when it is checked. Names are those
// that its Export gave.
type Reader struct {
	o       *opened
	section string
}

// opened is a bundle whose manifest could be read.
type opened struct {
	archive  *archive
	manifest Manifest
	book     *logbook // of the log's section, once read
}

func (o *opened) of(section string) *Reader { return &Reader{o: o, section: section} }

// Manifest is the bundle's.
func (r *Reader) Manifest() Manifest { return r.o.manifest }

// In is the reader of another section.
func (r *Reader) In(section string) *Reader { return r.o.of(section) }

// Path is the whole path of one of the section's files, for findings.
func (r *Reader) Path(name string) string { return r.section + "/" + name }

// Names lists the section's files that the manifest has, by name.
func (r *Reader) Names() []string {
	var names []string
	for _, f := range r.o.manifest.Files {
		if f.Section == r.section {
			names = append(names, strings.TrimPrefix(f.Path, r.section+"/"))
		}
	}
	return names
}

// Has reports whether the manifest lists a file of the section.
func (r *Reader) Has(name string) bool {
	_, ok := r.o.manifest.file(r.Path(name))
	return ok
}

// Open streams a file.
func (r *Reader) Open(name string) (io.ReadCloser, error) {
	if !r.Has(name) {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", r.Path(name))
	}
	return r.o.archive.open(r.Path(name))
}

// Text reads a whole file of at most 64 MiB.
func (r *Reader) Text(name string) ([]byte, error) {
	if !r.Has(name) {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", r.Path(name))
	}
	return r.o.archive.bytes(r.Path(name), maxText)
}

// JSON reads a file that Writer.JSON wrote into v, a pointer.
func (r *Reader) JSON(name string, v any) error {
	text, err := r.Text(name)
	if err != nil {
		return err
	}
	line, ok := bytes.CutSuffix(text, []byte("\n"))
	if !ok {
		return fault.New(fault.Invalid, "%s is cut short", r.Path(name))
	}
	if err := Decode(line, v); err != nil {
		return fault.New(fault.Invalid, "%s %s", r.Path(name), words(err))
	}
	return nil
}

// RawLines reads the lines of a file.
func (r *Reader) RawLines(name string) ([][]byte, error) {
	if !r.Has(name) {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", r.Path(name))
	}
	text, err := r.o.archive.text(r.Path(name), maxText, maxLines)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	text, ok := bytes.CutSuffix(text, []byte("\n"))
	if !ok {
		return nil, fault.New(fault.Invalid, "%s is cut short: its last line has no end", r.Path(name))
	}
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if len(line) > maxLine {
			return nil, fault.New(fault.TooLarge, "line %d of %s has %d bytes; the most is %d", i+1, r.Path(name), len(line), maxLine)
		}
	}
	return lines, nil
}

// ReadLines reads a file that Lines wrote.
func ReadLines[T any](r *Reader, name string) ([]T, error) {
	lines, err := r.RawLines(name)
	if err != nil {
		return nil, err
	}
	var items []T // grows with what could be read: lines alone are no items
	for i, line := range lines {
		if err := r.o.archive.meter.spend(0); err != nil {
			return nil, err
		}
		var one T
		if err := Decode(line, &one); err != nil {
			return nil, fault.New(fault.Invalid, "line %d of %s %s", i+1, r.Path(name), words(err))
		}
		items = append(items, one)
	}
	return items, nil
}

// A Proven is a record that the log holds, by a proof in the bundle.
type Proven struct {
	ID     audit.RecordID
	Seq    int64
	Record audit.Record
}

// Records lists the records of the log's section that are proven, in the order
// of the log. What is wrong with the others is the log's section to say.
func (r *Reader) Records() []Proven { return r.o.log().proven }

// Record finds a proven record by its id.
func (r *Reader) Record(id audit.RecordID) (Proven, bool) {
	p, ok := r.o.log().byID[id]
	return p, ok
}

// words is what a person may be told about an error.
func words(err error) string {
	text, _ := fault.Words(err)
	return text
}
