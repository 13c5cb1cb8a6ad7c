package bundle

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
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
	meter *meter

	unpacked int64 // bytes of all files, as the archive says
}

// A firstBytes lets so much of a file be read and no more.
type firstBytes struct {
	io.ReaderAt
	left int64
}

// ReadAt refuses what goes beyond.
func (f *firstBytes) ReadAt(p []byte, off int64) (int, error) {
	if f.left -= int64(len(p)); f.left < 0 {
		return 0, errDirectory
	}
	return f.ReaderAt.ReadAt(p, off)
}

var errDirectory = fault.New(fault.TooLarge, "the list of files is too long")

// openArchive opens a zip that may have been made to do harm: too many files, too
// many bytes, names that lead out of the folder, links, two files of one name.
// Whether it is a zip at all is said apart: what is none may be anything.
func openArchive(src io.ReaderAt, size int64, m *meter) (a *archive, found []Finding, zipped bool) {
	refuse := func(text string) (*archive, []Finding, bool) {
		return nil, []Finding{{What: "the archive", Text: text}}, true
	}
	if size > maxTotal {
		return refuse("The archive is larger than any bundle may be.")
	}
	const tooMany = "The archive holds more files than any bundle may."
	list := &firstBytes{src, maxDirectory}
	z, err := zip.NewReader(list, size)
	if errors.Is(err, errDirectory) {
		return refuse(tooMany)
	}
	if err != nil {
		return nil, []Finding{{What: "the archive", Text: "The archive is not a zip file, or it is cut short."}}, false
	}
	if len(z.File) > maxFiles {
		return refuse(tooMany)
	}
	if a, found = inspect(z.File); a == nil {
		return nil, found, true
	}
	if tooDense(a.unpacked, size) {
		return refuse("The archive unpacks to far more bytes than a bundle of its size does.")
	}
	if a.unpacked > m.limits.Unpacked && !a.foreign() { // nobody unpacks what is no bundle
		_ = m.refuse() // which is what is told, and not the report
		return nil, nil, true
	}
	list.left = math.MaxInt64 // the files are read through it, too
	a.src, a.size, a.meter = src, size, m
	return a, nil, true
}

// inspect looks at what the archive says of its files.
func inspect(files []*zip.File) (*archive, []Finding) {
	refuse := func(what, text string) (*archive, []Finding) { return nil, []Finding{{What: what, Text: text}} }
	var total int64
	folded := map[string]string{}
	named := map[string]*zip.File{}
	for _, f := range files {
		switch n := f.UncompressedSize64; {
		case !goodPath(f.Name):
			return refuse(clip(f.Name), "The archive holds a file called "+clip(f.Name)+", which no bundle may hold.")
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return refuse(f.Name, f.Name+" is packed in a way that no bundle uses.")
		case n < 1<<62 && tooLoose(f.CompressedSize64, n):
			return refuse(f.Name, f.Name+" is packed into more bytes than it has, which no bundle does.")
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
	return &archive{files: files, named: named, unpacked: total}, nil
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
	if len(found) > 0 {
		return found
	}
	same := &comparer{src: a.src, meter: a.meter}
	name, err := a.again(same)
	if err == nil && same.off == a.size {
		return nil
	}
	if name == "" {
		name = "the end of the archive"
	}
	return []Finding{{name, "The archive has other bytes than a bundle of its files, at or before " + name +
		": something was put beside the files."}}
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
	src   io.ReaderAt
	off   int64
	buf   []byte
	meter *meter
}

var errDiffers = fault.New(fault.Invalid, "the bytes differ")

// Write compares.
func (c *comparer) Write(p []byte) (int, error) {
	c.buf = slices.Grow(c.buf[:0], len(p))[:len(p)]
	if n, _ := c.src.ReadAt(c.buf, c.off); n != len(p) || !bytes.Equal(c.buf, p) {
		return 0, errDiffers
	}
	c.off += int64(len(p))
	return len(p), c.meter.spend(len(p))
}
