package bundle

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// An unpacking streams one file out of the archive, counted on both sides: packed
// bytes that unpack to nothing cost time, too.
type unpacking struct {
	name   string
	plain  io.Reader
	packed *bufio.Reader
	sum    uint32
	want   uint32
	left   int64 // that the file was said to have
}

// open streams a file, and never more than it was said to have.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f, ok := a.named[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", name)
	}
	raw, err := f.OpenRaw()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be unpacked", name)
	}
	u := &unpacking{name: name, packed: bufio.NewReader(a.meter.over(raw)), want: f.CRC32, left: int64(f.UncompressedSize64)}
	u.plain = u.packed
	if f.Method == zip.Deflate {
		u.plain = a.meter.over(flate.NewReader(u.packed))
	}
	return u, nil
}

// Read refuses a file that goes on, one whose bytes are damaged, and bytes behind
// its packed ones that no program unpacks.
func (u *unpacking) Read(p []byte) (int, error) {
	if int64(len(p)) > u.left+1 {
		p = p[:u.left+1]
	}
	n, err := u.plain.Read(p)
	u.sum = crc32.Update(u.sum, crc32.IEEETable, p[:n])
	u.left -= int64(n)
	switch {
	case u.left < 0:
		return 0, fault.New(fault.Invalid, "%s has more bytes than it was said to have", u.name)
	case err == io.EOF && (u.left > 0 || u.sum != u.want):
		return n, fault.New(fault.Invalid, "%s cannot be unpacked", u.name)
	case err == io.EOF:
		return n, u.end()
	case err != nil:
		return n, fault.From(fault.Invalid, err, "%s cannot be unpacked", u.name)
	}
	return n, nil
}

var errBehind = fault.New(fault.Invalid, "other bytes are packed behind it, which no program unpacks")

// end is EOF if the packed bytes end where the file does.
func (u *unpacking) end() error {
	if _, err := u.packed.ReadByte(); err == nil {
		return errBehind
	}
	return io.EOF
}

// Close has nothing to close.
func (u *unpacking) Close() error { return nil }

// bytes reads a whole file of at most so many bytes.
func (a *archive) bytes(name string, most int64) ([]byte, error) {
	return a.text(name, most, math.MaxInt)
}

// text reads a whole file of at most so many bytes and lines.
func (a *archive) text(name string, most int64, lines int) ([]byte, error) {
	f, ok := a.named[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "%s is not in the bundle", name)
	}
	if f.UncompressedSize64 > uint64(most) {
		return nil, fault.New(fault.TooLarge, "%s has %d bytes; such a file has at most %d", name, f.UncompressedSize64, most)
	}
	body, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return a.hold(name, body, lines)
}

// hold reads a file into memory and weighs it on the way, so that what is too much
// is never there.
func (a *archive) hold(name string, body io.Reader, lines int) ([]byte, error) {
	text := []byte{} // an empty file is not one that could not be read
	piece := make([]byte, atOnce)
	for {
		n, err := body.Read(piece)
		if lines -= bytes.Count(piece[:n], []byte("\n")); lines < 0 {
			return nil, fault.New(fault.TooLarge, "%s has more than the %d lines that a file may have", name, maxLines)
		}
		if !a.meter.known[name] {
			if stop := a.meter.hold(piece[:n]); stop != nil {
				return nil, stop
			}
		}
		if cap(text)-len(text) < n {
			text = slices.Grow(text, max(n, len(text))) // by its own length: append alone leaves more behind
		}
		text = append(text, piece[:n]...)
		if err == io.EOF {
			a.meter.known[name] = true
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// listed says what the archive's own list has otherwise than the manifest: that is
// known before anything is unpacked.
func (a *archive) listed(f File) string {
	there, ok := a.named[f.Path]
	switch {
	case !ok:
		return "was removed"
	case there.UncompressedSize64 != uint64(f.Size):
		return fmt.Sprintf("has %d bytes; %d were signed for", there.UncompressedSize64, f.Size)
	}
	return ""
}

// compare says what is wrong with a file's bytes, or nothing.
func (a *archive) compare(f File) string {
	body, err := a.open(f.Path)
	if err != nil {
		return "cannot be unpacked"
	}
	defer body.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, body)
	switch {
	case err == errBehind: //nolint:errorlint // it comes from our own reader, as it is
		return "is packed with other bytes behind it, which no program unpacks"
	case err != nil:
		return "cannot be unpacked: its bytes are damaged"
	case blob.Digest(sum.Sum(nil)) != f.SHA256:
		return "was changed: its SHA-256 is not the one that was signed for"
	}
	return ""
}
