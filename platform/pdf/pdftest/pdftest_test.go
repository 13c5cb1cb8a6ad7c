package pdftest_test

import (
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/pdf/pdftest"
)

// sheet is white paper with a black bar on it.
func sheet(bar image.Rectangle) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 300, 400))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(img, bar, image.NewUniform(color.Black), image.Point{}, draw.Src)
	return img
}

func TestAWordMoreIsSeenAndAnEdgeIsNot(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept", "1.png")
	was := sheet(image.Rect(30, 40, 90, 52))
	pdftest.Keep(t, kept, was)
	if got := pdftest.Differ(was, pdftest.Picture(t, kept)); got != "" {
		t.Errorf("what was kept differs from itself: %s", got)
	}
	edge := sheet(image.Rect(30, 40, 90, 52))
	edge.SetGray(29, 40, color.Gray{Y: 120})
	if got := pdftest.Differ(edge, pdftest.Picture(t, kept)); got != "" {
		t.Errorf("one grey dot is a difference: %s", got)
	}
	for name, other := range map[string]image.Image{
		"a word more":   sheet(image.Rect(30, 40, 140, 52)),
		"a line lower":  sheet(image.Rect(30, 60, 90, 72)),
		"another paper": image.NewGray(image.Rect(0, 0, 300, 380)),
	} {
		if pdftest.Differ(other, pdftest.Picture(t, kept)) == "" {
			t.Errorf("%s is not seen", name)
		}
	}
}
