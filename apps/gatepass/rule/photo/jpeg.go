package photo

import (
	"bytes"
	"encoding/binary"
)

// mostSegments bounds how many parts a file may have. A photo of a telephone has some thirty, one that is sent in many scans a hundred.
const mostSegments = 4096

// The markers of a JPEG that matter here.
const (
	sof0, sof1, sof2 = 0xC0, 0xC1, 0xC2 // the size, of a picture that is sent from top to bottom, or (sof2) in scans that get better
	dht              = 0xC4
	rst0, rst7       = 0xD0, 0xD7
	soi, eoi, sos    = 0xD8, 0xD9, 0xDA
	tem              = 0x01
)

// readJPEG walks over the segments of a JPEG, and over its pixels without reading them, to its end.
func readJPEG(file []byte) (Info, error) {
	info := Info{Format: JPEG}
	scans := 0
	at := 2 // after the marker that begins it
	for range mostSegments {
		marker, begin, ok := nextMarker(file, at)
		if !ok {
			return Info{}, corrupt("its data end where a part should begin")
		}
		at = begin
		if marker == tem || marker >= rst0 && marker <= rst7 {
			continue // says nothing
		}
		if marker == eoi {
			return ended(info, scans, file, at)
		}
		segment, ok := segmentAt(file, at)
		if !ok || marker == soi {
			return Info{}, corrupt("one of its parts is longer than it is")
		}
		at += 2 + len(segment)
		switch {
		case marker == sos:
			scans++
			at += pixels(file[at:])
		case marker >= sof0 && marker <= 0xCF && marker != dht:
			if info.Width != 0 || scans > 0 || marker > sof2 {
				return Info{}, corrupt("it is of a kind that cameras do not make")
			}
			if !info.frame(segment, marker == sof2) {
				return Info{}, corrupt("its size cannot be read")
			}
		}
	}
	return Info{}, corrupt("it has more than %d parts", mostSegments)
}

// nextMarker is the marker at a place, after bytes that fill up, and where what follows it begins.
func nextMarker(file []byte, at int) (marker byte, begin int, ok bool) {
	if at >= len(file) || file[at] != 0xFF {
		return 0, 0, false
	}
	for at < len(file) && file[at] == 0xFF {
		at++
	}
	if at >= len(file) || file[at] == 0 {
		return 0, 0, false
	}
	return file[at], at + 1, true
}

// segmentAt is what follows a marker, without its length.
func segmentAt(file []byte, at int) ([]byte, bool) {
	if len(file)-at < 2 {
		return nil, false
	}
	n := int(binary.BigEndian.Uint16(file[at:]))
	if n < 2 || n > len(file)-at {
		return nil, false
	}
	return file[at+2 : at+n], true
}

// pixels is how many bytes of pixels there are before the next marker that is none of theirs.
func pixels(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], 0xFF)
		if i < 0 || at+i+1 >= len(data) {
			return len(data)
		}
		at += i
		if next := data[at+1]; next != 0 && next != 0xFF && (next < rst0 || next > rst7) {
			return at
		}
		at++
		if data[at] != 0xFF {
			at++
		}
	}
}

// frame reads the size of a picture and what decoding it takes: one byte for each sample, and where it is sent in scans that get
// better four more to wait for the next.
func (info *Info) frame(s []byte, progressive bool) bool {
	if len(s) < 6 || s[0] != 8 {
		return false
	}
	info.Height, info.Width = int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:]))
	parts := int(s[5])
	if info.Height == 0 || info.Width == 0 || parts != 1 && parts != 3 && parts != 4 || len(s) != 6+3*parts {
		return false
	}
	samples, most := 0, 0
	for i := range parts {
		h, v := int(s[6+3*i+1]>>4), int(s[6+3*i+1]&15)
		if h < 1 || h > 4 || v < 1 || v > 4 {
			return false
		}
		samples += h * v
		most = max(most, h*v)
	}
	if parts == 1 {
		samples, most = 1, 1
	}
	each := int64(1)
	if progressive {
		each = 5
	}
	info.Memory = int64(info.Width) * int64(info.Height) * each * int64(samples) / int64(most)
	return true
}

// ended looks at a picture that has come to its end. What stands behind it is let be unless it makes another file of this one: phones put
// films and second pictures there, and what is kept of a photo is drawn anew.
func ended(info Info, scans int, file []byte, at int) (Info, error) {
	if info.Width == 0 || scans == 0 {
		return Info{}, corrupt("it ends before it shows anything")
	}
	if what := foreign(file, file[at:]); what != "" {
		return Info{}, corrupt("it is %s as well", what)
	}
	return info, nil
}
