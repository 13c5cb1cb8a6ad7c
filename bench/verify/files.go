package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"time"
)

// A file is something that a stranger sends.
type file struct {
	name string
	body []byte
}

// strangers are files of every size that are nothing, or worse than nothing.
func strangers(most int) ([]file, error) {
	var all []file
	for size := 1 << 10; size <= most; size *= 4 {
		nested, err := nest(size)
		if err != nil {
			return nil, err
		}
		worst, err := pack("log/keys.ndjson", bytes.Repeat([]byte("\n"), min(size*200, 256<<20)), size)
		if err != nil {
			return nil, err
		}
		own, err := selfSigned(size)
		if err != nil {
			return nil, err
		}
		all = append(all, file{fmt.Sprintf("self-signed %d", size), own}, file{fmt.Sprintf("newlines %d", size),
			bytes.Repeat([]byte("\n"), size)},
			file{fmt.Sprintf("nested zips %d", size), nested}, file{fmt.Sprintf("worst ratio %d", size), worst})
	}
	return all, nil
}

// nest puts zips into zips, down to newlines, and fills up with what does not pack.
func nest(size int) ([]byte, error) {
	inner := bytes.Repeat([]byte("\n"), size)
	var err error
	for range 4 {
		if inner, err = pack("inner.zip", inner, 0); err != nil {
			return nil, err
		}
	}
	return pack("manifest.json", inner, size)
}

// pack is a zip of one file as dense as can be, and of another that fills it up to
// a size.
func pack(name string, body []byte, size int) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.DefaultCompression) })
	put := func(name string, body []byte, method uint16) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(body)
		}
		return err
	}
	if err := put(name, body, zip.Deflate); err != nil {
		return nil, err
	}
	if err := z.Flush(); err != nil {
		return nil, err
	}
	if rest := size - out.Len() - 400; rest > 0 {
		if err := put("manifest.sig", make([]byte, rest), zip.Store); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
