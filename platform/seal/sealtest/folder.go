package sealtest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// maxFile bounds a file that is looked into, and what is unpacked from it.
const maxFile = 256 << 20

// Folder searches every file below a folder, of a blob store or of logs, and
// what is packed into zip and gzip files there.
func Folder(t testing.TB, dir string, needles ...string) Report {
	t.Helper()
	var r Report
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		file, err := os.Open(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		defer file.Close()
		data, err := bounded(file)
		if err != nil {
			return err
		}
		r.Files++
		r.Bytes += int64(len(data))
		r.Finds = append(r.Finds, Search(path, data, needles...)...)
		return r.unpack(path, data, needles)
	})
	if err != nil {
		t.Fatalf("search %s: %v", dir, err)
	}
	return r
}

// Packed searches bytes and, where they are a zip or gzip file, what is in it: a
// bundle that was just exported, say.
func Packed(t testing.TB, where string, data []byte, needles ...string) Report {
	t.Helper()
	r := Report{Files: 1, Bytes: int64(len(data)), Finds: Search(where, data, needles...)}
	if err := r.unpack(where, data, needles); err != nil {
		t.Fatalf("unpack %s: %v", where, err)
	}
	return r
}

// unpack looks into an archive; a file that only begins like one is left alone.
func (r *Report) unpack(where string, data []byte, needles []string) error {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		for _, f := range archive.File {
			if err := r.member(where+"!"+f.Name, f.Open, needles); err != nil {
				return err
			}
		}
	case bytes.HasPrefix(data, []byte("\x1f\x8b\x08")):
		return r.member(where+"!", func() (io.ReadCloser, error) { return gzip.NewReader(bytes.NewReader(data)) }, needles)
	}
	return nil
}

func (r *Report) member(where string, open func() (io.ReadCloser, error), needles []string) error {
	body, err := open()
	if err != nil {
		return err
	}
	defer body.Close()
	data, err := bounded(body)
	if err != nil {
		return err
	}
	r.Files++
	r.Bytes += int64(len(data))
	r.Finds = append(r.Finds, Search(where, data, needles...)...)
	return r.unpack(where, data, needles)
}

func bounded(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("a file is too large to be searched")
	}
	return data, err
}
