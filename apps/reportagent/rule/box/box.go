// Package box is for zip files that are made in memory, out of nothing but their contents: what the standard library has for it can open
// files, which a rule must not. The same contents make the same bytes.
package box

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"math"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Box is a zip being packed. Every file in it says the earliest moment a zip can say. The zero Box is an empty one.
type Box struct {
	out, list bytes.Buffer
	count     int
}

// The fixed values of a zip's headers.
const (
	needs    = 20     // version 2.0: deflate
	deflated = 8      // how a file is packed
	earliest = 0x0021 // 1 January 1980
	unicode  = 0x0800 // the name is UTF-8
)

// Add packs a file. A box holds 65,535 of them, and 2 GB.
func (b *Box) Add(name string, body []byte) error {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	at := b.out.Len()
	if b.count == math.MaxUint16 || at+packed.Len()+b.list.Len() > math.MaxUint32>>1 || len(body) > math.MaxUint32>>1 || len(name) > 1000 {
		return fault.New(fault.TooLarge, "the files do not fit into one zip: at most 65,535, and 2 GB together")
	}
	flags := uint16(0)
	if utf8.RuneCountInString(name) < len(name) {
		flags = unicode
	}
	file := []any{uint16(needs), flags, uint16(deflated), uint16(0), uint16(earliest), crc32.ChecksumIEEE(body), uint32(packed.Len()),
		uint32(len(body)), uint16(len(name)), uint16(0)}
	put(&b.out, "PK\x03\x04", file...)
	b.out.WriteString(name)
	b.out.Write(packed.Bytes())
	put(&b.list, "PK\x01\x02", append([]any{uint16(needs)}, file...)...)
	put(&b.list, "", uint16(0), uint16(0), uint16(0), uint32(0), uint32(at))
	b.list.WriteString(name)
	b.count++
	return nil
}

// Bytes closes the zip with the list of its files.
func (b *Box) Bytes() []byte {
	at, size := b.out.Len(), b.list.Len()
	b.out.Write(b.list.Bytes())
	files := uint16(b.count)
	put(&b.out, "PK\x05\x06", uint16(0), uint16(0), files, files, uint32(size), uint32(at), uint16(0))
	return b.out.Bytes()
}

// put writes a signature and numbers, the low byte first.
func put(to *bytes.Buffer, signature string, numbers ...any) {
	to.WriteString(signature)
	for _, n := range numbers {
		_ = binary.Write(to, binary.LittleEndian, n) // a Buffer takes everything
	}
}
