// Package pdftest looks at PDFs the way people do: as pictures of sheets, and as the
// text on them. It needs Chromium, and poppler-utils for reading back what it made.
package pdftest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/pdf"
)

// Printer is the printer of this machine; a test that asks for it fails without one.
func Printer(t testing.TB) *pdf.Printer {
	t.Helper()
	path, err := pdf.Find("")
	if err != nil {
		t.Fatalf("%v: %s", err, pdf.Cure)
	}
	return pdf.New(pdf.Config{Browser: path})
}

// Text is what each sheet says, as a reader copies it.
func Text(t testing.TB, raw []byte) []string {
	t.Helper()
	out := run(t, "pdftotext", "-layout", written(t, raw), "-")
	return strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
}

// perInch is how finely sheets are looked at.
const perInch = "72"

// Sheets are pictures of the sheets, in grey.
func Sheets(t testing.TB, raw []byte) []image.Image {
	t.Helper()
	dir := t.TempDir()
	run(t, "pdftoppm", "-r", perInch, "-gray", "-png", written(t, raw), filepath.Join(dir, "sheet"))
	names, err := filepath.Glob(filepath.Join(dir, "sheet*.png"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	var all []image.Image
	for _, name := range names {
		all = append(all, Picture(t, name))
	}
	return all
}

// Picture reads a picture.
func Picture(t testing.TB, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// How pictures are compared: cell by cell, by how dark each is on the whole. Edges of
// letters that fall a little otherwise stay far below the tolerance.
const (
	cell      = 6  // px
	tolerance = 16 // of 255
	mayDiffer = 4  // cells; one word covers more
)

// Differ says how a picture differs from the kept one; nothing if it does not.
func Differ(got, kept image.Image) string {
	g, k := got.Bounds(), kept.Bounds()
	if g.Dx() != k.Dx() || g.Dy() != k.Dy() {
		return fmt.Sprintf("it is %d by %d px, and %d by %d was kept", g.Dx(), g.Dy(), k.Dx(), k.Dy())
	}
	n, first := 0, image.Point{}
	for y := 0; y+cell <= g.Dy(); y += cell {
		for x := 0; x+cell <= g.Dx(); x += cell {
			if d := shade(got, x, y) - shade(kept, x, y); max(d, -d) > tolerance {
				if n == 0 {
					first = image.Pt(x, y)
				}
				n++
			}
		}
	}
	if n <= mayDiffer {
		return ""
	}
	return fmt.Sprintf("%d cells of %d px differ, the first at %d, %d", n, cell, first.X, first.Y)
}

// shade is how light a cell is, 0 to 255.
func shade(img image.Image, x0, y0 int) int {
	sum, from := 0, img.Bounds().Min
	for y := range cell {
		for x := range cell {
			grey, _ := color.GrayModel.Convert(img.At(from.X+x0+x, from.Y+y0+y)).(color.Gray)
			sum += int(grey.Y)
		}
	}
	return sum / (cell * cell)
}

// Keep writes a picture, in sixteen greys: it stays small.
func Keep(t testing.TB, name string, img image.Image) {
	t.Helper()
	var greys color.Palette
	for i := range 16 {
		greys = append(greys, color.Gray{Y: uint8(i * 17)})
	}
	out := image.NewPaletted(img.Bounds(), greys)
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.Set(x, y, img.At(x, y))
		}
	}
	var data bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&data, out); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func written(t testing.TB, raw []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "print.pdf")
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func run(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v %s; install poppler-utils", program, err, said.String())
	}
	return out
}
