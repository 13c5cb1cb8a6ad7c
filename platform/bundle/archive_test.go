package bundle_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// A trap is an archive made to do harm to who opens it.
func trap(t *testing.T, build func(z *zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	build(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func add(t *testing.T, z *zip.Writer, h *zip.FileHeader, body string) {
	t.Helper()
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write([]byte(body))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func deflated(t *testing.T, plain []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, 9)
	if err == nil {
		_, err = f.Write(plain)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// lying is a file whose packed bytes unpack to more than it says.
func lying(t *testing.T, z *zip.Writer, size uint64) {
	t.Helper()
	packed := deflated(t, make([]byte, 1<<20))
	w, err := z.CreateRaw(&zip.FileHeader{Name: "manifest.json", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(make([]byte, 10)),
		CompressedSize64: uint64(len(packed)), UncompressedSize64: size})
	if err == nil {
		_, err = w.Write(packed)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTrapsAreRefused promises that an archive made to do harm is refused by
// what is wrong with it, before anything of it is unpacked.
func TestTrapsAreRefused(t *testing.T) {
	many := func(z *zip.Writer) {
		for i := range 20_001 {
			add(t, z, &zip.FileHeader{Name: fmt.Sprintf("f%d", i), Method: zip.Store}, "")
		}
	}
	claim := func(size uint64) func(z *zip.Writer) {
		return func(z *zip.Writer) {
			if _, err := z.CreateRaw(&zip.FileHeader{Name: "manifest.json", Method: zip.Deflate, UncompressedSize64: size}); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := &zip.FileHeader{Name: "manifest.json"}
	link.SetMode(0o777 | 1<<27) // a symbolic link
	for _, tt := range []struct {
		name, says string
		build      func(z *zip.Writer)
	}{
		{"a way out", "../evil", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: "../evil"}, "x") }},
		{"a way out in the middle", "a/../../evil", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: "a/../../evil"}, "x") }},
		{"a root", "/etc/passwd", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: "/etc/passwd"}, "x") }},
		{"a drive", `C:\evil`, func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: `C:\evil`}, "x") }},
		{"a folder", "case/", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: "case/"}, "") }},
		{"a hidden file", ".profile", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: ".profile"}, "x") }},
		{"a name that prints badly", "a?b", func(z *zip.Writer) { add(t, z, &zip.FileHeader{Name: "a\x1bb"}, "x") }},
		{"a link", "manifest.json", func(z *zip.Writer) { add(t, z, link, "/etc/passwd") }},
		{"one name in two spellings", "same name", func(z *zip.Writer) {
			add(t, z, &zip.FileHeader{Name: "README.md"}, "x")
			add(t, z, &zip.FileHeader{Name: "readme.md"}, "y")
		}},
		{"too many files", "more files", many},
		{"too many bytes", "more bytes", claim(17 << 30)},
		{"bytes without end", "more bytes", claim(1<<63 + 5)},
		{"far too many bytes for its size", "far more bytes", claim(1 << 30)},
		{"more bytes than it says", "manifest.json cannot be read", func(z *zip.Writer) { lying(t, z, 100_000) }},
		{"more packed bytes than it says it has", "packed into more bytes", func(z *zip.Writer) { lying(t, z, 10) }},
		{"an unknown way of packing", "packed in a way", func(z *zip.Writer) {
			if _, err := z.CreateRaw(&zip.FileHeader{Name: "manifest.json", Method: 12}); err != nil {
				t.Fatal(err)
			}
		}},
		{"nothing in it", "manifest.json", func(*zip.Writer) {}},
	} {
		rep := check(trap(t, tt.build))
		said := fmt.Sprint(rep.Findings())
		if rep.Verdict() != bundle.Altered || !strings.Contains(said, tt.says) {
			t.Errorf("%s: got %s, %s; want it refused with %q", tt.name, rep.Verdict(), said, tt.says)
		}
	}
}

// TestBytesHiddenBehindAFileAreFound promises that nothing travels in a bundle
// unseen: not between the files, and not inside one's packed bytes.
func TestBytesHiddenBehindAFileAreFound(t *testing.T) {
	s := bundletest.New(t)
	f := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	for _, tt := range []struct {
		name, says string
		change     func(h *zip.FileHeader, packed []byte) []byte
	}{
		{"nothing changed", "", func(_ *zip.FileHeader, packed []byte) []byte { return packed }},
		{"bytes behind the packed ones", "README.md", func(h *zip.FileHeader, plain []byte) []byte {
			h.Method = zip.Deflate
			return append(deflated(t, plain), "hidden"...)
		}},
		{"the same bytes packed otherwise", "", func(h *zip.FileHeader, plain []byte) []byte {
			h.Method = zip.Deflate
			return deflated(t, plain)
		}},
		{"a comment", "the end of the archive", func(h *zip.FileHeader, packed []byte) []byte { h.Comment = "hidden"; return packed }},
		{"an extra field", "README.md", func(h *zip.FileHeader, packed []byte) []byte {
			h.Extra = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(bytes.Clone(h.Extra), 0xcafe), 0)
			return packed
		}},
		{"another time", "README.md", func(h *zip.FileHeader, packed []byte) []byte {
			h.Extra = bytes.Clone(h.Extra)
			h.Extra[len(h.Extra)-1]++
			return packed
		}},
		{"a mode", "the end of the archive", func(h *zip.FileHeader, packed []byte) []byte { h.SetMode(0o755); return packed }},
	} {
		rep := check(repack(t, f, "README.md", tt.change), s.Public)
		if got := fmt.Sprint(rep.Findings()); tt.says == "" && got != "[]" || !strings.Contains(got, tt.says) {
			t.Errorf("%s: got %s, want %q named", tt.name, got, tt.says)
		}
	}
}

// repack writes the archive with one entry changed.
func repack(t *testing.T, f *bundletest.Forgery, name string, change func(h *zip.FileHeader, packed []byte) []byte) []byte {
	t.Helper()
	whole := f.Pack(t)
	from, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	return trap(t, func(z *zip.Writer) {
		for _, one := range from.File {
			raw, err := one.OpenRaw()
			if err != nil {
				t.Fatal(err)
			}
			packed, err := io.ReadAll(raw)
			if err != nil {
				t.Fatal(err)
			}
			h := one.FileHeader
			if one.Name == name {
				packed = change(&h, packed)
				h.CompressedSize64 = uint64(len(packed))
			}
			w, err := z.CreateRaw(&h)
			if err == nil {
				_, err = w.Write(packed)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestNoBitCanBeFlippedUnnoticed promises that whatever single bit of the whole
// file is changed, verifying says so, or every file is still the same: there are
// bits in packed bytes that mean nothing.
func TestNoBitCanBeFlippedUnnoticed(t *testing.T) {
	s := bundletest.New(t)
	data := s.Export(t, s.Case(t, 7))
	want := bundletest.TakeApart(t, data)
	rapid.Check(t, func(r *rapid.T) {
		at, bit := rapid.IntRange(0, len(data)-1).Draw(r, "at"), rapid.IntRange(0, 7).Draw(r, "bit")
		changed := bytes.Clone(data)
		changed[at] ^= 1 << bit
		if check(changed, s.Public).Verdict() == bundle.Altered {
			return
		}
		for name, body := range bundletest.TakeApart(t, changed).Files {
			if !bytes.Equal(body, want.Files[name]) {
				r.Fatalf("bit %d of byte %d changes %s, and nobody notices", bit, at, name)
			}
		}
	})
}
