package qrcode_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/qrcode"
)

// TestACodeHasTheSizeThatIsAskedFor promises a picture of exactly that size, with the edge that readers need, the same bytes each time, and
// a refusal of what is too small, too large or too long.
func TestACodeHasTheSizeThatIsAskedFor(t *testing.T) {
	text := "GP1." + strings.Repeat("A", 207)
	for _, size := range []int{qrcode.Least, 200, qrcode.Usual, qrcode.Most} {
		file, err := qrcode.PNG(text, size)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := qrcode.PNG(text, size)
		p, err := png.Decode(bytes.NewReader(file))
		if err != nil || p.Bounds().Dx() != size || p.Bounds().Dy() != size || !bytes.Equal(file, again) {
			t.Errorf("%d: %v, %v", size, err, p.Bounds())
		}
		for i := range 4 * size / (57 + 8) {
			if r, _, _, _ := p.At(i, size/2).RGBA(); r != 0xffff {
				t.Fatalf("%d: the edge is black at %d", size, i)
			}
		}
	}
	for _, size := range []int{0, 127, 1025} {
		if _, err := qrcode.PNG(text, size); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d pixels: %v", size, err)
		}
	}
	if svg, err := qrcode.SVG(text); err != nil || !strings.HasPrefix(svg, "<svg ") || strings.Count(svg, "<path") != 2 {
		t.Errorf("%v: %.80s", err, svg)
	}
	if _, err := qrcode.SVG(strings.Repeat("A", 5000)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too much: %v", err)
	}
}
