package bundle

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An archive is a bundle's zip, opened and within bounds.
type archive struct {
	src   io.ReaderAt
	size  int64
	files []*zip.File // in the order of the archive
	named map[string]*zip.File
}

// openArchive opens a zip that may have been made to do harm: too many files, too
// many bytes, names that lead out of the folder, links, two files of one name.
// Whether it is a zip at all is said apart: what is none may be anything.
func openArchive(src io.ReaderAt, size int64) (a *archive, found []Finding, zipped bool) {
	refuse := func(what, text string) (*archive, []Finding, bool) {
		return nil, []Finding{{What: what, Text: text}}, true
	}
	if size > maxTotal {
		return refuse("the archive", "The archive is larger than any bundle may be.")
	}
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, []Finding{{What: "the archive", Text: "The archive is not a zip file, or it is cut short."}}, false
	}
	if len(z.File) > maxFiles {
		return refuse("the archive", "The archive holds more files than any bundle may.")
	}
	var total int64
	folded := map[string]string{}
	named := map[string]*zip.File{}
	for _, f := range z.File {
		switch n := f.UncompressedSize64; {
		case !goodPath(f.Name):
			return refuse(clip(f.Name), "The archive holds a file called "+clip(f.Name)+", which no bundle may hold.")
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return refuse(f.Name, f.Name+" is packed in a way that no bundle uses.")
		case n > uint64(maxTotal-total):
			return refuse("the archive", "The archive unpacks to more bytes than any bundle may have.")
		default:
			total += int64(n)
		}
		if other, twice := folded[strings.ToLower(f.Name)]; twice {
			return refuse(f.Name, "The archive holds "+f.Name+" twice, or beside "+other+", which is the same name to some computers.")
		}
		folded[strings.ToLower(f.Name)] = f.Name
		named[f.Name] = f
	}
	if tooDense(total, size) {
		return refuse("the archive", "The archive unpacks to far more bytes than a bundle of its size does.")
	}
	return &archive{src: src, size: size, files: z.File, named: named}, nil, true
}

// foreign reports whether a zip has nothing of what makes one a bundle: neither its
// list of files nor a signature. One that has lost only some of it was altered.
func (a *archive) foreign() bool {
	for _, name := range []string{manifestFile, noteFile, sigFile, keyFile} {
		if _, there := a.named[name]; there {
			return false
		}
	}
	return true
}

// clip makes a name from outside safe to repeat.
func clip(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
	if len(clean) > 80 {
		clean = clean[:80] + "…"
	}
	return clean
}

// form says where the archive differs from one that assemble made of the same
// packed bytes: files out of order, other times, comments, bytes between or
// after the files, a name that the list at the end spells differently. Nothing
// can hide beside the files.
func (a *archive) form() []Finding {
	var found []Finding
	for i, f := range a.files[min(1, len(a.files)):] {
		if f.Name <= a.files[i].Name {
			found = append(found, Finding{f.Name, f.Name + " stands out of order in the archive."})
		}
	}
	for _, f := range a.files {
		if f.Method == zip.Deflate && !packedWhole(f) {
			found = append(found, Finding{f.Name, f.Name + " is packed with other bytes behind it, which no program unpacks."})
		}
	}
	if len(found) > 0 {
		return found
	}
	same := &comparer{src: a.src}
	name, err := a.again(same)
	if err == nil && same.off == a.size {
		return nil
	}
	if name == "" {
		name = "the end of the archive"
	}
	return []Finding{{name, "The archive has other bytes than a bundle of its files, at or before " + name + ": something was put beside the files."}}
}

// packedWhole reports whether a file's packed bytes end where the file does. One
// that cannot be unpacked is found out elsewhere.
func packedWhole(f *zip.File) bool {
	raw, err := f.OpenRaw()
	if err != nil {
		return true
	}
	packed := bufio.NewReader(raw)
	n, err := io.Copy(io.Discard, io.LimitReader(flate.NewReader(packed), int64(f.UncompressedSize64)+1))
	if err != nil || uint64(n) != f.UncompressedSize64 {
		return true
	}
	_, err = packed.ReadByte()
	return err == io.EOF
}

// again writes the archive anew from its packed bytes, and says at which file it
// stopped.
func (a *archive) again(w io.Writer) (string, error) {
	z := zip.NewWriter(w)
	for _, f := range a.files {
		h, err := writtenHeader(f.Name, f.Method)
		if err != nil {
			return f.Name, err
		}
		h.CRC32, h.CompressedSize64, h.UncompressedSize64 = f.CRC32, f.CompressedSize64, f.UncompressedSize64
		out, err := z.CreateRaw(&h)
		if err != nil {
			return f.Name, err
		}
		raw, err := f.OpenRaw()
		if err != nil {
			return f.Name, err
		}
		if _, err := io.Copy(out, raw); err != nil {
			return f.Name, err
		}
		if err := z.Flush(); err != nil {
			return f.Name, err
		}
	}
	return "", z.Close()
}

// A comparer fails at the first byte that differs from its source.
type comparer struct {
	src io.ReaderAt
	off int64
	buf []byte
}

var errDiffers = fault.New(fault.Invalid, "the bytes differ")

// Write compares.
func (c *comparer) Write(p []byte) (int, error) {
	c.buf = slices.Grow(c.buf[:0], len(p))[:len(p)]
	if n, _ := c.src.ReadAt(c.buf, c.off); n != len(p) || !bytes.Equal(c.buf, p) {
		return 0, errDiffers
	}
	c.off += int64(len(p))
	return len(p), nil
}

// open streams a file, and never more than it was said to have.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f, ok := a.named[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", name)
	}
	body, err := f.Open()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be unpacked", name)
	}
	return &bounded{ReadCloser: body, name: name, left: int64(f.UncompressedSize64)}, nil
}

// bounded ends where the file was said to.
type bounded struct {
	io.ReadCloser
	name string
	left int64
}

// Read refuses a file that goes on.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return 0, fault.New(fault.Invalid, "%s has more bytes than it was said to have", b.name)
	case err != nil && err != io.EOF:
		return n, fault.From(fault.Invalid, err, "%s cannot be unpacked", b.name)
	}
	return n, err
}

// bytes reads a whole file.
func (a *archive) bytes(name string) ([]byte, error) {
	f, ok := a.named[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", name)
	}
	if f.UncompressedSize64 > maxText {
		return nil, fault.New(fault.TooLarge, "%s has %d bytes; such a file has at most %d", name, f.UncompressedSize64, maxText)
	}
	body, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}
