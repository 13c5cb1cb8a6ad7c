package bundle

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Writer is where one section puts its files. Small files are held in memory,
// large ones are copied when the bundle is written.
type Writer struct {
	d       *draft
	section string
}

// A draft is a bundle being made.
type draft struct {
	files    []source
	names    map[string]bool
	inRAM    int64
	total    int64
	subjects []string         // all records about these go in
	records  []audit.RecordID // and these
	withheld []audit.RecordID // and these do not, whoever asks
	sealed   []blob.Digest    // sealed objects that leave with the bundle
}

func newDraft() *draft { return &draft{names: map[string]bool{}} }

// JSON puts in a file of one canonical JSON value.
func (w *Writer) JSON(name string, v any) error {
	text, err := canonical(v)
	if err != nil {
		return err
	}
	return w.Text(name, append(text, '\n'))
}

// Lines puts in a file of one canonical JSON value a line. No items make an
// empty file, so that a reader can tell "none" from "not there".
func Lines[T any](w *Writer, name string, items []T) error {
	if len(items) > maxLines {
		return fault.New(fault.TooLarge, "%s/%s would have %d lines; the most is %d", w.section, name, len(items), maxLines)
	}
	var b bytes.Buffer
	for _, item := range items {
		line, err := canonical(item)
		if err != nil {
			return err
		}
		if len(line) > maxLine {
			return fault.New(fault.TooLarge, "a line of %s/%s would have %d bytes; the most is %d", w.section, name, len(line), maxLine)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return w.Text(name, b.Bytes())
}

// Text puts in a file as it is.
func (w *Writer) Text(name string, text []byte) error {
	if w.d.inRAM += int64(len(text)); w.d.inRAM > maxInRAM || len(text) > maxText {
		return fault.New(fault.TooLarge, "the case is too large for one bundle: %s/%s", w.section, name)
	}
	return w.put(source{File: File{Path: name, Size: int64(len(text)), SHA256: blob.Sum(text)}, data: text})
}

// Blob puts in bytes that lie in the blob store, under their digest.
func (w *Writer) Blob(name string, d blob.Digest, size int64, open func(context.Context) (io.ReadCloser, error)) error {
	return w.put(source{File: File{Path: name, Size: size, SHA256: d}, open: open})
}

func (w *Writer) put(f source) error {
	f.Section = w.section
	if w.section != own {
		f.Path = w.section + "/" + f.Path
	}
	switch {
	case !goodPath(f.Path):
		return fault.New(fault.Internal, "a bundle cannot hold a file called %.100q", f.Path)
	case w.d.names[strings.ToLower(f.Path)]:
		return fault.New(fault.Internal, "section %s puts in %s twice", w.section, f.Path)
	case len(w.d.files) >= maxFiles-len(unlisted()) || f.Size > maxTotal-w.d.total:
		return fault.New(fault.TooLarge, "the case is too large for one bundle")
	}
	w.d.names[strings.ToLower(f.Path)] = true
	w.d.total += f.Size
	w.d.files = append(w.d.files, f)
	return nil
}

// Earlier reads a file of one JSON value that a section before this one put in,
// so that both can be of one moment.
func (w *Writer) Earlier(section, name string, v any) error {
	for _, f := range w.d.files {
		if f.Path == section+"/"+name && f.open == nil {
			return Decode(bytes.TrimSuffix(f.data, []byte("\n")), v)
		}
	}
	return fault.New(fault.Internal, "section %s reads %s/%s, which nobody put in before", w.section, section, name)
}

// About asks for all records of the log about a subject: a snapshot, a proposal.
// Those about the case itself are always there.
func (w *Writer) About(subjects ...string) { w.d.subjects = append(w.d.subjects, subjects...) }

// Cite asks for records of the log that the section's files name.
func (w *Writer) Cite(ids ...audit.RecordID) { w.d.records = append(w.d.records, ids...) }

// Withhold keeps records about the case out of the bundle: those about something
// that must not be told before its end, and that no file of the section names.
func (w *Writer) Withhold(ids ...audit.RecordID) { w.d.withheld = append(w.d.withheld, ids...) }

// Sealed says that a sealed object leaves with the bundle, so that a later
// erasure can say what it did not reach.
func (w *Writer) Sealed(objects ...blob.Digest) { w.d.sealed = append(w.d.sealed, objects...) }

// ordered is the files by path.
func (d *draft) ordered() []source {
	files := slices.Clone(d.files)
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// listed is what the manifest says of them.
func (d *draft) listed() []File {
	files := d.ordered()
	out := make([]File, len(files))
	for i, f := range files {
		out[i] = f.File
	}
	return out
}
