package photo_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
)

// most is the size of the largest file that is looked at.
var most = photo.Standard().Bytes

// padded is a file made as large as may be.
func padded(head, with, tail []byte) []byte {
	return slices.Concat(head, bytes.Repeat(with, max(0, most-len(head)-len(tail))/len(with)), tail)
}

// bombs are files that cost much to whoever believes what they say: huge sizes, two things at once, lies about lengths, parts without
// end, and beginnings without one.
func bombs(t testing.TB) map[string][]byte {
	t.Helper()
	pic, drawn, archive := aJPEG(t, 24, 16), aPNG(t, picture(9, 9)), aZip(t)
	scan := bytes.Index(jpegSaying(8, 8, 0xC2, 0x11), []byte{0xFF, 0xDA})
	scans := jpegSaying(10_000, 5000, 0xC2, 0x22, 0x11, 0x11)
	all := map[string][]byte{
		"a jpeg of 4 gigapixels":       jpegSaying(65_535, 65_535, 0xC0, 0x11),
		"a jpeg in scans of 50 MP":     scans,
		"a jpeg of ten thousand scans": padded(scans[:len(scans)-2], scans[scan:len(scans)-2], scans[len(scans)-2:]),
		"a jpeg of empty comments":     padded(pic[:2], segment(0xFE, nil), pic[2:]),
		"a jpeg of stuffed bytes":      padded(pic[:len(pic)-2], []byte{0xFF, 0x00}, nil),
		"a jpeg of fill bytes":         padded(pic[:2], []byte{0xFF}, nil),
		"a jpeg of restarts":           padded(pic[:len(pic)-2], []byte{0xFF, 0xD0}, nil),
		"a png of all a png can say":   pngSaying(1<<31-1, 1<<31-1, 16, 6),
		"a png of 49 MP of 16 bits":    pngSaying(7000, 7000, 16, 6),
		"a png of empty parts":         padded(pngSaying(1, 1, 8, 6)[:33], chunk("tEXt", nil), nil),
		"a png of a part of 2 GiB":     slices.Concat(drawn[:33], []byte{0x7f, 0xff, 0xff, 0xff}, []byte("IDAT"), drawn[41:]),
		"a heic of all a heic can say": aHEIC("heic", 1<<32-1, 1<<32-1),
		"a heic of empty boxes":        padded(aHEIC("heic", 8, 8), aBox("free", nil), nil),
		"a heic of sizes":              aHEIC("heic", bytesOf(8, 200_000)...),
		"a heic of endless brands":     slices.Concat(aBox("ftyp", padded([]byte("heic\x00\x00\x00\x00"), []byte("mif1"), nil)[:most-64])),
		"a heic in itself":             nested(2000),
		"a heic of 8 exabytes":         slices.Concat(aHEIC("heic", 8, 8), []byte("\x00\x00\x00\x01free\x7f\xff\xff\xff\xff\xff\xff\xff")),
		"a heic of a box of nothing":   slices.Concat(aBox("ftyp", []byte("heic\x00\x00\x00\x00")), make([]byte, 4096)),
		"a jpeg and a zip":             slices.Concat(pic, archive),
		"a jpeg, zeros and a zip":      padded(pic, []byte{0}, archive),
		"a png and a zip":              slices.Concat(drawn, archive),
		"a heic and a zip":             slices.Concat(aHEIC("heic", 8, 8), aBox("free", archive)),
		"a pdf in a comment":           slices.Concat(pic[:2], segment(0xFE, []byte("%PDF-1.7")), pic[2:]),
		"a page behind a jpeg":         slices.Concat(pic, []byte("<html><script>alert(1)</script>")),
		"a byte over the bound":        append(padded(pic, []byte{0}, nil), make([]byte, 64)...),
	}
	for n := 8; n < len(aHEIC("heicmif1", 512, 512)); n += 11 {
		all[fmt.Sprintf("%d bytes of a heic", n)] = aHEIC("heicmif1", 512, 512)[:n]
	}
	return all
}

func deflated(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngWith is a PNG with a part of somebody's before its pixels.
func pngWith(part []byte) []byte {
	whole := pngSaying(1, 1, 8, 6)
	return slices.Concat(whole[:33], part, whole[33:])
}

func bytesOf(size uint32, n int) []uint32 { return slices.Repeat([]uint32{size}, n) }

// nested is a box in a box in a box.
func nested(deep int) []byte {
	inner := []byte{}
	for range deep {
		head := binary.BigEndian.AppendUint32(nil, uint32(len(inner)+8))
		inner = slices.Concat(head, []byte("meta"), inner)
	}
	return slices.Concat(aBox("ftyp", []byte("heic\x00\x00\x00\x00")), inner)
}

// checked looks at a file, and is what that cost: of memory at most so much, whatever the file says it is.
func checked(t *testing.T, name string, file []byte) error {
	t.Helper()
	const memory = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	_, err := photo.Check(file, photo.Standard())
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	wait.Within(t, name, took, 500*time.Millisecond)
	if used := after.TotalAlloc - before.TotalAlloc; used > memory {
		t.Errorf("%s: %d bytes of memory to look at %d, at most %d", name, used, len(file), memory)
	}
	return err
}

// TestABombIsRefusedAndCostsLittle promises of each that it is refused under a known code in plain words, in no time, and with no more
// memory than a small part of what it says it is; and that what would swell in a part that is not drawn is never blown up.
func TestABombIsRefusedAndCostsLittle(t *testing.T) {
	all, known := bombs(t), []string{photo.Unsupported, photo.TooLarge, photo.Corrupt}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := checked(t, name, all[name]); !slices.Contains(known, code(err)) || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: got %v", name, err)
		}
	}
	swells := append([]byte("x\x00\x00"), deflated(t, make([]byte, 64<<20))...)
	for _, kind := range []string{"iCCP", "zTXt"} {
		if err := checked(t, "64 MiB in "+kind, pngWith(chunk(kind, swells))); err != nil {
			t.Errorf("64 MiB in %s: %v", kind, err)
		}
	}
	t.Logf("%d bombs", len(all))
}
