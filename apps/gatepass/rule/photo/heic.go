package photo

import "encoding/binary"

// mostBoxes bounds how many parts one level of a HEIC may have.
const mostBoxes = 2048

// A box is one part of a HEIC: four letters, and what is in it.
type box struct {
	kind string
	body []byte
}

// readHEIC walks over the boxes of a HEIC and reads the largest size that it declares: meta, iprp, ipco, ispe. A picture in tiles declares
// the size of each tile and its own; the largest is what will be decoded. The file must end with its last box.
func readHEIC(file []byte) (Info, error) {
	top, ok := boxes(file)
	if !ok {
		return Info{}, corrupt("one of its parts is cut off")
	}
	var meta []byte
	data := false
	for i, b := range top {
		switch b.kind {
		case "ftyp":
			ok = ok && i == 0
		case "meta":
			ok = ok && meta == nil
			meta = b.body
		case "mdat":
			data = data || len(b.body) > 0
		}
	}
	if !ok || len(meta) < 4 || !data {
		return Info{}, corrupt("it does not say where its picture is, or has none")
	}
	info, ok := declared(meta[4:]) // after version and flags
	if !ok {
		return Info{}, corrupt("its size cannot be read")
	}
	if what := foreign(file, nil); what != "" {
		return Info{}, corrupt("it is %s as well", what)
	}
	return info, nil
}

// declared is the largest size that the properties of a HEIC's pictures say.
func declared(meta []byte) (Info, bool) {
	info := Info{Format: HEIC}
	properties, ok := inside(meta, "iprp")
	if ok {
		properties, ok = inside(properties, "ipco")
	}
	all, whole := boxes(properties)
	if !ok || !whole {
		return info, false
	}
	for _, b := range all {
		if b.kind != "ispe" {
			continue
		}
		if len(b.body) != 12 {
			return info, false
		}
		w, h := binary.BigEndian.Uint32(b.body[4:]), binary.BigEndian.Uint32(b.body[8:])
		if w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 {
			return info, false
		}
		if m := bounded(w, h, 4); m > info.Memory {
			info.Width, info.Height, info.Memory = int(w), int(h), m
		}
	}
	return info, info.Memory > 0
}

// inside is what is in the one box of a kind.
func inside(data []byte, kind string) (body []byte, ok bool) {
	all, whole := boxes(data)
	if !whole {
		return nil, false
	}
	for _, b := range all {
		if b.kind == kind {
			if ok {
				return nil, false
			}
			body, ok = b.body, true
		}
	}
	return body, ok
}

// boxes is the boxes of one level, in order; false where they do not fill it exactly.
func boxes(data []byte) ([]box, bool) {
	var all []box
	for len(data) > 0 {
		if len(data) < 8 || len(all) == mostBoxes {
			return nil, false
		}
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		kind := string(data[4:8])
		switch size {
		case 0: // to the end
			size = uint64(len(data))
		case 1: // in eight bytes, behind the kind
			if len(data) < 16 {
				return nil, false
			}
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < head || size > uint64(len(data)) || !printable(kind) {
			return nil, false
		}
		all = append(all, box{kind, data[head:size]})
		data = data[size:]
	}
	return all, len(all) > 0
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
