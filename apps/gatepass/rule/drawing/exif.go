package drawing

import (
	"bytes"
	"encoding/binary"
)

// orientation is the mark by which a camera says how it was held, 1 to 8; 1 where it says nothing, or nothing that can be
// read.
func orientation(file []byte) int {
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		kind, size := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if kind == 0xda || size < 2 || at+2+size > len(file) {
			return 1
		}
		if body := file[at+4 : at+2+size]; kind == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			return mark(body[6:])
		}
		at += 2 + size
	}
	return 1
}

// mark reads the orientation out of what follows the word Exif.
func mark(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	first := int(order.Uint32(tiff[4:]))
	if first < 8 || first+2 > len(tiff) {
		return 1
	}
	const field, tag = 12, 0x0112
	for i := range int(order.Uint16(tiff[first:])) {
		at := first + 2 + i*field
		if at+field > len(tiff) {
			return 1
		}
		if order.Uint16(tiff[at:]) == tag {
			if v := int(order.Uint16(tiff[at+8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}
