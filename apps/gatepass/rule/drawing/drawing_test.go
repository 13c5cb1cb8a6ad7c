package drawing

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/platform/fault"
)

// corner is a picture that is red in its left upper quarter and blue elsewhere.
func corner(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetRGBA(x, y, color.RGBA{0, 0, 255, 255})
			if x < w/2 && y < h/2 {
				p.SetRGBA(x, y, color.RGBA{255, 0, 0, 255})
			}
		}
	}
	return p
}

// TestAPhotoStandsUprightAndFits promises the sizes of what is drawn, that no picture is made larger, and that each of the eight ways to
// hold a
// camera ends upright.
func TestAPhotoStandsUprightAndFits(t *testing.T) {
	for _, tt := range []struct{ w, h, wide, high, smallWide int }{{3200, 1600, 1600, 800, 320}, {1000, 2000, 800, 1600, 160},
		{40, 30, 40, 30,
			40}, {5000, 1, 1600, 1, 320}} {
		var file bytes.Buffer
		if err := png.Encode(&file, corner(tt.w, tt.h)); err != nil {
			t.Fatal(err)
		}
		large, small, err := Draw(file.Bytes(), photo.PNG)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := jpeg.DecodeConfig(bytes.NewReader(large))
		s, _ := jpeg.DecodeConfig(bytes.NewReader(small))
		if l.Width != tt.wide || l.Height != tt.high || s.Width != tt.smallWide {
			t.Errorf("%dx%d became %dx%d and %d wide", tt.w, tt.h, l.Width, l.Height, s.Width)
		}
	}
	// Where the red corner of a picture stands for each mark, as the standard has them: right and down count as 1.
	for mark, at := range map[int][2]int{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}} {
		p := turned(corner(8, 4), mark)
		w, h := p.Rect.Dx(), p.Rect.Dy()
		if (mark >= 5) != (w == 4) {
			t.Errorf("mark %d: it is %dx%d", mark, w, h)
		}
		if c := p.RGBAAt(at[0]*(w-1), at[1]*(h-1)); c.R != 255 {
			t.Errorf("mark %d: the corner is elsewhere", mark)
		}
	}
}

// TestWhatIsNotDecodedIsSaid promises that a format which this program cannot decode, and a broken picture, are plain refusals.
func TestWhatIsNotDecodedIsSaid(t *testing.T) {
	for format, file := range map[photo.Format][]byte{photo.HEIC: []byte("x"), photo.JPEG: {0xff, 0xd8, 0xff},
		photo.PNG: []byte("\x89PNG")} {
		if _, _, err := Draw(file, format); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// FuzzOrientation promises that whatever a camera, or somebody who pretends to be one, writes beside a picture is a mark or none.
func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II\x2a\x00\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II\x2a\x00\xfe\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if m := orientation(file); m < 1 || m > 8 {
			t.Errorf("got %d", m)
		}
	})
}
