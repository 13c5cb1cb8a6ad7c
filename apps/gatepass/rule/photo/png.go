package photo

import (
	"encoding/binary"
	"hash/crc32"
)

// mostChunks bounds how many parts a PNG may have; some programs write one for every eight kilobytes.
const mostChunks = 10_000

// depths are how many bits a sample may have, by what a pixel is made of.
var depths = map[byte][]byte{0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}

// readPNG walks over the chunks of a PNG to its end. Each has a sum, and nothing may stand after the last.
func readPNG(file []byte) (Info, error) {
	info := Info{Format: PNG}
	data := false
	at := 8 // after the magic
	for n := range mostChunks {
		kind, body, next, ok := chunkAt(file, at)
		if !ok {
			return Info{}, corrupt("one of its parts is cut off or damaged")
		}
		if (n == 0) != (kind == "IHDR") {
			return Info{}, corrupt("its size does not stand at its beginning, once")
		}
		switch kind {
		case "IHDR":
			if !info.header(body) {
				return Info{}, corrupt("its size cannot be read")
			}
		case "IDAT":
			data = true
		case "IEND":
			if !data || len(body) != 0 {
				return Info{}, corrupt("it ends before it shows anything")
			}
			return wholePNG(info, file, next)
		}
		at = next
	}
	return Info{}, corrupt("it has more than %d parts", mostChunks)
}

func wholePNG(info Info, file []byte, end int) (Info, error) {
	if what := foreign(file, file[end:]); what != "" {
		return Info{}, corrupt("it is %s as well", what)
	}
	if end != len(file) {
		return Info{}, corrupt("something stands after its end")
	}
	return info, nil
}

// chunkAt is one chunk: its kind and content, and where the next begins.
func chunkAt(file []byte, at int) (kind string, body []byte, next int, ok bool) {
	if len(file)-at < 12 {
		return "", nil, 0, false
	}
	size := int64(binary.BigEndian.Uint32(file[at:]))
	if size > int64(len(file)-at-12) {
		return "", nil, 0, false
	}
	end := at + 8 + int(size)
	sum := crc32.ChecksumIEEE(file[at+4 : end])
	return string(file[at+4 : at+8]), file[at+8 : end], end + 4, sum == binary.BigEndian.Uint32(file[end:])
}

// header reads the size. A pixel takes four bytes once it is decoded, and eight where its samples have sixteen bits.
func (info *Info) header(b []byte) bool {
	if len(b) != 13 || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return false
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	known := false
	for _, depth := range depths[b[9]] {
		known = known || depth == b[8]
	}
	if w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 || !known {
		return false
	}
	info.Width, info.Height = int(w), int(h)
	each := int64(4)
	if b[8] == 16 {
		each = 8
	}
	info.Memory = bounded(w, h, each)
	return true
}

// bounded is what so many pixels take, and no more than a number can say.
func bounded(w, h uint32, each int64) int64 {
	const most = 1 << 62
	if int64(w)*int64(h) > most/each {
		return most
	}
	return int64(w) * int64(h) * each
}
