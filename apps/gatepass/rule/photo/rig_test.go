package photo_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

func picture(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, color.RGBA{uint8(x * 7), uint8(y * 5), uint8(x ^ y), 255})
		}
	}
	return m
}

func aJPEG(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture(w, h), &jpeg.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngSaying is a PNG whose head says a size that its pixels do not have.
func pngSaying(w, h uint32, depth, colour byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, w)
	head = binary.BigEndian.AppendUint32(head, h)
	head = append(head, depth, colour, 0, 0, 0)
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		kind string
		body []byte
	}{{"IHDR", head}, {"IDAT", []byte{0x78, 0x9c, 1, 2, 3}}, {"IEND", nil}} {
		out = append(out, chunk(c.kind, c.body)...)
	}
	return out
}

func chunk(kind string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// jpegSaying is a JPEG whose head says a size, made of parts that a decoder would go on from.
func jpegSaying(w, h uint16, sof byte, sampling ...byte) []byte {
	frame := binary.BigEndian.AppendUint16([]byte{8}, h)
	frame = append(binary.BigEndian.AppendUint16(frame, w), byte(len(sampling)))
	for i, s := range sampling {
		frame = append(frame, byte(i+1), s, 0)
	}
	out := append([]byte("\xff\xd8"), segment(sof, frame)...)
	out = append(out, segment(0xDA, []byte{1, 1, 0, 0, 63, 0})...)
	return append(out, 0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xD9)
}

func segment(marker byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(body)+2)), body...)
}

// aHEIC is the boxes of a HEIC that declares sizes, with nothing to decode in it.
func aHEIC(brands string, sizes ...uint32) []byte {
	var ipco []byte
	for i := 0; i+1 < len(sizes); i += 2 {
		body := binary.BigEndian.AppendUint32(make([]byte, 4), sizes[i])
		ipco = append(ipco, aBox("ispe", binary.BigEndian.AppendUint32(body, sizes[i+1]))...)
	}
	meta := append(make([]byte, 4), aBox("hdlr", make([]byte, 20))...)
	meta = append(meta, aBox("iprp", aBox("ipco", ipco))...)
	out := aBox("ftyp", []byte(brands[:4]+"\x00\x00\x00\x00"+brands[4:]))
	out = append(out, aBox("meta", meta)...)
	return append(out, aBox("mdat", []byte("pixels"))...)
}

func aBox(kind string, body []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
}

func aZip(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("x.txt")
	if err == nil {
		_, err = f.Write([]byte("hello"))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
