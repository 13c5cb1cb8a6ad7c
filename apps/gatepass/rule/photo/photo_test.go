package photo_test

import (
	"bytes"
	"image"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/platform/fault"
)

func code(err error) string {
	at, _ := fault.PlaceOf(err)
	return at.Code
}

// TestJPEGPNGAndHEICAreTaken promises that each is known by its bytes, with its size, whatever it is called.
func TestJPEGPNGAndHEICAreTaken(t *testing.T) {
	for name, tt := range map[string]struct {
		file []byte
		want photo.Info
	}{
		"a jpeg":      {aJPEG(t, 64, 48), photo.Info{Format: photo.JPEG, Width: 64, Height: 48, Memory: 64 * 48 * 3 / 2}},
		"a grey jpeg": {jpegSaying(10, 20, 0xC0, 0x11), photo.Info{Format: photo.JPEG, Width: 10, Height: 20, Memory: 200}},
		"a progressive jpeg": {jpegSaying(10, 20, 0xC2, 0x11, 0x11, 0x11), photo.Info{Format: photo.JPEG, Width: 10, Height: 20,
			Memory: 3000}},
		"a png": {aPNG(t, picture(30, 20)), photo.Info{Format: photo.PNG, Width: 30, Height: 20, Memory: 2400}},
		"a png of 16 bits": {aPNG(t, image.NewRGBA64(image.Rect(0, 0, 30, 20))),
			photo.Info{Format: photo.PNG, Width: 30, Height: 20, Memory: 4800}},
		"a heic": {aHEIC("heicmif1heic", 100, 50), photo.Info{Format: photo.HEIC, Width: 100, Height: 50, Memory: 20_000}},
		"a heic in tiles": {aHEIC("mif1heic", 512, 512, 4032, 3024, 320, 240),
			photo.Info{Format: photo.HEIC, Width: 4032, Height: 3024, Memory: 4 * 4032 * 3024}},
		"a jpeg with a film": {append(aJPEG(t, 64, 48), aHEIC("mp42isom", 1, 1)...),
			photo.Info{Format: photo.JPEG, Width: 64, Height: 48, Memory: 4608}},
		"a jpeg with a second": {append(aJPEG(t, 64, 48), aJPEG(t, 8, 8)...),
			photo.Info{Format: photo.JPEG, Width: 64, Height: 48, Memory: 4608}},
	} {
		got, err := photo.Check(tt.file, photo.Standard())
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tt.want)
		}
	}
}

// TestNothingElseIsTaken promises a refusal that names what it is, where that is known.
func TestNothingElseIsTaken(t *testing.T) {
	for name, tt := range map[string]struct{ file, given string }{
		"gif":           {"GIF89a..........", "gif"},
		"webp":          {"RIFF\x10\x00\x00\x00WEBPVP8X", "webp"},
		"avif":          {string(aHEIC("avifmif1", 8, 8)), "avif"},
		"avif as mif1":  {string(aHEIC("mif1mif1avif", 8, 8)), "avif"},
		"a film":        {string(aHEIC("isomiso2", 8, 8)), "mp4"},
		"bmp":           {"BM..............", "bmp"},
		"tiff":          {"II*\x00............", "tiff"},
		"pdf":           {"%PDF-1.7", "pdf"},
		"svg":           {"<svg xmlns='x'/>", ""},
		"text":          {"hello", ""},
		"half a magic":  {"\xff\xd8", ""},
		"png's shorter": {"\x89PNG\r\n", ""},
		"no brand":      {"\x00\x00\x00\x08ftypheic", ""},
		"a lying brand": {"\xff\xff\xff\xf0ftypheic\x00\x00\x00\x00heic", ""},
		"a jpeg's name": {"photo.jpg\x00\xff\xd8\xff", ""},
	} {
		_, err := photo.Check([]byte(tt.file), photo.Standard())
		if at, _ := fault.PlaceOf(err); at.Code != photo.Unsupported || at.Given != tt.given || at.Field != "photo" {
			t.Errorf("%s: got %v %+v", name, err, at)
		}
	}
	if _, err := photo.Check(nil, photo.Standard()); code(err) != photo.Required {
		t.Errorf("nothing: %v", err)
	}
}

// TestAFileOfExactlyTheBoundIsTaken promises the bound on bytes to the byte, and that every other bound holds too.
func TestAFileOfExactlyTheBoundIsTaken(t *testing.T) {
	file := aJPEG(t, 64, 48)
	b := photo.Standard()
	for over, want := range map[int]string{-1: "", 0: "", 1: photo.TooLarge} {
		b.Bytes = len(file) - over
		_, err := photo.Check(file, b)
		if at, _ := fault.PlaceOf(err); at.Code != want || want != "" && at.Given == "" {
			t.Errorf("%d over: got %v %+v", over, err, at)
		}
	}
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"50 MP, baseline":             {jpegSaying(10000, 5000, 0xC0, 0x22, 0x11, 0x11), ""},
		"50 MP, progressive":          {jpegSaying(10000, 5000, 0xC2, 0x22, 0x11, 0x11), photo.TooLarge},
		"12 MP, progressive":          {jpegSaying(4032, 3024, 0xC2, 0x22, 0x11, 0x11), ""},
		"more than 50 MP":             {jpegSaying(10001, 5000, 0xC0, 0x22, 0x11, 0x11), photo.TooLarge},
		"a jpeg as wide as can be":    {jpegSaying(65535, 65535, 0xC0, 0x11), photo.TooLarge},
		"a line":                      {jpegSaying(60000, 2, 0xC0, 0x11), photo.TooLarge},
		"49 MP of 16 bits in 60 byte": {pngSaying(7000, 7000, 16, 6), photo.TooLarge},
		"49 MP of 8 bits":             {pngSaying(7000, 7000, 8, 6), ""},
		"all that a png can say":      {pngSaying(1<<31-1, 1<<31-1, 16, 6), photo.TooLarge},
		"a heic of 4 gigapixels":      {aHEIC("heic", 65535, 65535), photo.TooLarge},
		"all that a heic can say":     {aHEIC("heic", 1<<31-1, 1<<31-1), photo.TooLarge},
		"one small, one huge":         {aHEIC("heic", 100, 100, 40000, 40000, 100, 100), photo.TooLarge},
	} {
		if _, err := photo.Check(tt.file, photo.Standard()); code(err) != tt.want {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := photo.Check(file, photo.Bounds{}); code(err) != photo.TooLarge {
		t.Errorf("bounds that nobody set took a file: %v", err)
	}
}

// TestWhatIsAlsoSomethingElseIsRefused promises that no file is a picture and an archive, a document or a page at once.
func TestWhatIsAlsoSomethingElseIsRefused(t *testing.T) {
	pic, drawn, archive := aJPEG(t, 64, 48), aPNG(t, picture(8, 8)), aZip(t)
	inComment := slices.Concat(pic[:2], segment(0xFE, []byte("%PDF-1.7 and more")), pic[2:])
	hidden := slices.Concat(pic[:2], segment(0xFE, archive), pic[2:]) // its table would have to end with the file: no archive
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"a jpeg and a zip":         {slices.Concat(pic, archive), photo.Corrupt},
		"a jpeg, zeros and a zip":  {slices.Concat(pic, make([]byte, 5000), archive), photo.Corrupt},
		"a jpeg, a film and a zip": {slices.Concat(pic, aHEIC("mp42isom", 1, 1), archive), photo.Corrupt},
		"a zip with a comment":     {slices.Concat(pic, archive[:len(archive)-2], []byte{5, 0}, []byte("hello")), photo.Corrupt},
		"a png and a zip":          {slices.Concat(drawn, archive), photo.Corrupt},
		"a heic and a zip":         {slices.Concat(aHEIC("heic", 8, 8), aBox("free", archive)), photo.Corrupt},
		"a pdf in a comment":       {inComment, photo.Corrupt},
		"a page behind it":         {slices.Concat(pic, []byte("\n<!-- --><SCRIPT>alert(1)</script>")), photo.Corrupt},
		"a program behind it":      {slices.Concat(pic, []byte("\n#!/bin/sh\nrm")), photo.Corrupt},
		"a byte after a png":       {slices.Concat(drawn, []byte{0}), photo.Corrupt},
		"a byte after a heic":      {slices.Concat(aHEIC("heic", 8, 8), []byte{0}), photo.Corrupt},
		"a zip that nobody opens":  {hidden, ""},
		"zeros behind a jpeg":      {slices.Concat(pic, make([]byte, 512)), ""},
	} {
		if _, err := photo.Check(tt.file, photo.Standard()); code(err) != tt.want {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// TestWhatIsCutOffIsRefused promises that no beginning of a picture is a picture, however long, and that odd makes of one are none.
func TestWhatIsCutOffIsRefused(t *testing.T) {
	for name, file := range map[string][]byte{"jpeg": aJPEG(t, 24, 16), "png": aPNG(t, picture(9, 9)), "heic": aHEIC("heic", 8, 8, 9, 9)} {
		for n := range file {
			if info, err := photo.Check(file[:n], photo.Standard()); err == nil {
				t.Errorf("%d of %d bytes of a %s were taken as %+v", n, len(file), name, info)
			}
		}
	}
	pic := jpegSaying(8, 8, 0xC0, 0x11)
	size := bytes.Index(pic, []byte{0xFF, 0xC0})
	for name, file := range map[string][]byte{
		"two sizes":            slices.Concat(pic[:2], pic[size:size+13], pic[2:]),
		"no size":              slices.Concat(pic[:2], pic[size+13:]),
		"no pixels":            slices.Concat(pic[:size+13], []byte{0xFF, 0xD9}),
		"no height":            jpegSaying(8, 0, 0xC0, 0x11),
		"no width":             jpegSaying(0, 8, 0xC0, 0x11),
		"two colours":          jpegSaying(8, 8, 0xC0, 0x11, 0x11),
		"sampled by nothing":   jpegSaying(8, 8, 0xC0, 0x10),
		"lossless":             jpegSaying(8, 8, 0xC3, 0x11),
		"arithmetic":           jpegSaying(8, 8, 0xC9, 0x11),
		"a picture in it":      slices.Concat(pic[:2], pic),
		"junk between":         slices.Concat(pic[:size+13], []byte("junk"), pic[size+13:]),
		"a part without end":   slices.Concat(pic[:2], []byte{0xFF, 0xE1, 0xFF, 0xFF}, pic[2:]),
		"a part of no length":  slices.Concat(pic[:2], []byte{0xFF, 0xE1, 0, 1}, pic[2:]),
		"ten thousand parts":   slices.Concat(pic[:2], bytes.Repeat(segment(0xFE, nil), 10_000), pic[2:]),
		"png without a size":   slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IDAT", []byte{1}), chunk("IEND", nil)),
		"png of no pixels":     slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngSaying(1, 1, 8, 6)[8:33], chunk("IEND", nil)),
		"png of size nought":   pngSaying(0, 5, 8, 6),
		"png of a size too":    pngSaying(1<<31, 5, 8, 6),
		"png of odd depth":     pngSaying(5, 5, 3, 6),
		"png of odd colour":    pngSaying(5, 5, 8, 5),
		"png of endless parts": slices.Concat(pngSaying(1, 1, 8, 6)[:33], bytes.Repeat(chunk("tEXt", nil), 10_001)),
		"png with a bad sum":   bytes.Replace(aPNG(t, picture(9, 9)), []byte("IDAT"), []byte("IDAU"), 1),
		"heic without a size":  aHEIC("heic"),
		"heic of size nought":  aHEIC("heic", 0, 4),
		"heic of two metas":    slices.Concat(aHEIC("heic", 8, 8), aBox("meta", make([]byte, 8))),
		"heic without data":    bytes.Replace(aHEIC("heic", 8, 8), []byte("mdat"), []byte("free"), 1),
		"heic with a lie":      bytes.Replace(aHEIC("heic", 8, 8), []byte("\x00\x00\x00\x14ispe"), []byte("\x00\x00\x00\x15ispe"), 1),
		"heic of small boxes":  slices.Concat(aHEIC("heic", 8, 8), bytes.Repeat(aBox("free", nil), 5000)),
	} {
		if info, err := photo.Check(file, photo.Standard()); code(err) != photo.Corrupt {
			t.Errorf("%s: got %+v, %v", name, info, err)
		}
		if _, err := photo.Check(file, photo.Standard()); err != nil && !strings.HasPrefix(err.Error(), "the photo is not whole: ") {
			t.Errorf("%s: says %q", name, err)
		}
	}
}

// TestSizesOfLongBoxesAreRead promises that a box whose length has eight bytes, or says "to the end", is read as what it is.
func TestSizesOfLongBoxesAreRead(t *testing.T) {
	file := aHEIC("heic", 8, 8)
	i := bytes.Index(file, []byte("mdat")) - 4
	long := slices.Concat(file[:i], []byte{0, 0, 0, 1}, []byte("mdat"), []byte{0, 0, 0, 0, 0, 0, 0, 22}, []byte("pixels"))
	open := slices.Concat(file[:i], []byte{0, 0, 0, 0}, []byte("mdat"), []byte("pixels"))
	huge := slices.Concat(file[:i], []byte{0, 0, 0, 1}, []byte("mdat"), bytes.Repeat([]byte{0xFF}, 8), []byte("pixels"))
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{"eight bytes": {long, ""}, "to the end": {open, ""}, "more than there is": {huge, photo.Corrupt}, "half a length": {long[:i+12],
		photo.Corrupt}} {
		if _, err := photo.Check(tt.file, photo.Standard()); code(err) != tt.want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestAPictureOfAnySizeIsReadAsThatSize promises that what the standard library writes is read as what it wrote.
func TestAPictureOfAnySizeIsReadAsThatSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 70).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		for _, file := range [][]byte{aJPEG(&testing.T{}, w, h), aPNG(&testing.T{}, picture(w, h))} {
			if got, err := photo.Check(file, photo.Standard()); err != nil || got.Width != w || got.Height != h {
				t.Fatalf("%d by %d: got %+v, %v", w, h, got, err)
			}
		}
	})
}
