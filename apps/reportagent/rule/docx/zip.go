package docx

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
)

// A box is a zip being packed, in memory: what the standard library has for it can open files, which a rule must not. Names are plain
// ASCII, and every file says the earliest moment a zip can say.
type box struct {
	out, list bytes.Buffer
	count     int
}

// The fixed values of a zip's headers.
const (
	needs    = 20     // version 2.0: deflate
	deflated = 8      // how a file is packed
	earliest = 0x0021 // 1 January 1980
)

func (b *box) add(name string, body []byte) error {
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
	file := []any{uint16(needs), uint16(0), uint16(deflated), uint16(0), uint16(earliest), crc32.ChecksumIEEE(body), uint32(packed.Len()),
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

// bytes closes the zip with the list of its files.
func (b *box) bytes() []byte {
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
