package bundle

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A source is a file on its way into a bundle: its bytes, or the way to them.
type source struct {
	File
	data []byte
	open func(context.Context) (io.ReadCloser, error) // nil where data is all
}

// The archive's settings never change, so that the same files give the same
// bytes: names in order, the first day that zip knows, one level of compression,
// no comments, no modes.
const level = 6

func entryHeader(path string, method uint16) *zip.FileHeader {
	return &zip.FileHeader{Name: path, Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// writtenHeader is an entry's header as a reader finds it in an archive of ours,
// for an entry of no bytes.
func writtenHeader(path string, method uint16) (zip.FileHeader, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateHeader(entryHeader(path, method)); err != nil {
		return zip.FileHeader{}, err
	}
	if err := z.Close(); err != nil {
		return zip.FileHeader{}, err
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return zip.FileHeader{}, err
	}
	return r.File[0].FileHeader, nil
}

// assemble writes the archive. Files come in order of their path.
func assemble(ctx context.Context, out io.Writer, files []source, method uint16) error {
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	for _, f := range files {
		m := method
		if f.open == nil {
			m = zip.Deflate // text; only bytes from outside can be of the kind that gets a bundle refused
		}
		w, err := z.CreateHeader(entryHeader(f.Path, m))
		if err != nil {
			return fmt.Errorf("put %s into the bundle: %w", f.Path, err)
		}
		if err := f.copyTo(ctx, w); err != nil {
			return fmt.Errorf("put %s into the bundle: %w", f.Path, err)
		}
	}
	return z.Close()
}

func (f source) copyTo(ctx context.Context, w io.Writer) error {
	if f.open == nil {
		_, err := w.Write(f.data)
		return err
	}
	body, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.Copy(w, body) // the blob store checks the digest on the way
	if err == nil && n != f.Size {
		err = fault.New(fault.Internal, "%s has %d bytes and was said to have %d", f.Path, n, f.Size)
	}
	return err
}

// A tally counts and hashes what is written through it.
type tally struct {
	hash io.Writer
	n    int64
}

// Write counts.
func (t *tally) Write(p []byte) (int, error) {
	t.n += int64(len(p))
	return t.hash.Write(p)
}

// Bounds of a bundle. What Export would make beyond them it refuses, because
// nobody could read it; what Verify is given beyond them it refuses, because it
// was not made here.
const (
	maxFiles   = 20_000
	maxTotal   = 16 << 30  // bytes of all files, unpacked
	maxRatio   = 200       // unpacked bytes for each packed one, beyond freeBytes
	freeBytes  = 64 << 20  // small bundles may be as repetitive as they like
	maxInRAM   = 256 << 20 // bytes of all files that are made here
	maxText    = 64 << 20  // bytes of one file that is read as a whole
	maxLine    = 1 << 20   // bytes of one line
	maxLines   = 200_000   // of one file
	maxSmall   = 64 << 10  // bytes of a signature or a key
	maxRecords = 20_000
)

// maxDirectory bounds the archive's list of files: no entry of a bundle takes more
// than three hundred bytes in it. A list is read before it can be counted.
const maxDirectory = 1<<20 + 300*maxFiles

// tooDense reports whether so many unpacked bytes in an archive of a size look
// like a trap.
func tooDense(unpacked, size int64) bool { return unpacked > freeBytes+maxRatio*size }

// tooLoose reports whether so many packed bytes cannot be the work of assemble.
// Packing never adds more than some bytes a block; who adds more lets a program
// work through them for nothing.
func tooLoose(packed, unpacked uint64) bool { return packed > unpacked+unpacked/256+64 }
