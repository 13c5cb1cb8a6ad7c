package gallery_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
)

// How pictures are compared. They are kept at a third of their size. A cell differs
// when its mean colour does by more than the tolerance; edges of letters that fall
// a little otherwise stay far below it.
const (
	third     = 3
	cell      = 4  // px of the kept picture, twelve on the screen
	tolerance = 14 // of 255
	mayDiffer = 4  // cells; one badge or icon covers more
)

// shrink makes a picture a third as large and leaves every sixteenth shade: that
// keeps it small and takes noise out of it.
func shrink(img image.Image) *image.RGBA {
	full := plain(img)
	small := image.NewRGBA(image.Rect(0, 0, full.Rect.Dx()/third, full.Rect.Dy()/third))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			c := mean(full, x*third, y*third, third)
			small.SetRGBA(x, y, color.RGBA{shade(c[0]), shade(c[1]), shade(c[2]), 255})
		}
	}
	return small
}

// plain is a picture with its corner at 0, 0 and its bytes in reach.
func plain(img image.Image) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

func shade(v int) uint8 { return uint8(min(255, (v+8)/16*16)) }

// mean is the mean colour of a square of a picture, 0 to 255 each.
func mean(img *image.RGBA, x0, y0, side int) (sum [3]int) {
	for y := y0; y < y0+side; y++ {
		row := img.Pix[img.PixOffset(x0, y) : img.PixOffset(x0, y)+4*side]
		for i := 0; i < len(row); i += 4 {
			sum[0], sum[1], sum[2] = sum[0]+int(row[i]), sum[1]+int(row[i+1]), sum[2]+int(row[i+2])
		}
	}
	n := side * side
	return [3]int{sum[0] / n, sum[1] / n, sum[2] / n}
}

// differ says how a picture differs from the kept one, and in which section first;
// nothing if it does not.
func differ(got, kept *image.RGBA, sections map[string]image.Rectangle) string {
	g, k := got.Bounds(), kept.Bounds()
	if g.Dx() != k.Dx() || abs(g.Dy()-k.Dy()) > 2 {
		return fmt.Sprintf("it is %d by %d px, %d by %d was kept", third*g.Dx(), third*g.Dy(), third*k.Dx(), third*k.Dy()) +
			firstIn(cells(got, kept), sections)
	}
	if found := cells(got, kept); len(found) > mayDiffer {
		return fmt.Sprintf("%d cells of %d px differ", len(found), third*cell) + firstIn(found, sections)
	}
	return ""
}

// cells are the places where two pictures differ, from the top down.
func cells(got, kept *image.RGBA) (found []image.Point) {
	b := got.Bounds().Intersect(kept.Bounds())
	for y := 0; y+cell <= b.Dy(); y += cell {
		for x := 0; x+cell <= b.Dx(); x += cell {
			a, b := mean(got, x, y, cell), mean(kept, x, y, cell)
			if max(abs(a[0]-b[0]), abs(a[1]-b[1]), abs(a[2]-b[2])) > tolerance {
				found = append(found, image.Pt(x, y))
			}
		}
	}
	return found
}

func firstIn(found []image.Point, sections map[string]image.Rectangle) string {
	if len(found) == 0 {
		return ""
	}
	at := found[0].Mul(third)
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if at.In(sections[name]) {
			return fmt.Sprintf(", the first of them in #%s", name)
		}
	}
	return fmt.Sprintf(", the first of them at %d, %d", at.X, at.Y)
}

func abs(n int) int { return max(n, -n) }
