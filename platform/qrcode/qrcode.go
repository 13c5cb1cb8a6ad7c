// Package qrcode draws QR codes: as squares, as a PNG of a size, and as an SVG of one path that any paper takes. It does not know
// what a code says.
package qrcode

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"

	"rsc.io/qr/coding"

	"github.com/gavelhq/gavel/platform/fault"
)

// Quiet is the white edge that a reader of the code needs, in squares.
const Quiet = 4

// The sizes of a PNG, in pixels.
const (
	Least = 128
	Usual = 384
	Most  = 1024
)

// Squares are the black squares of a text's code, row by row. About a tenth of them may be lost to a fold or a stain.
func Squares(text string) ([][]bool, error) {
	words := coding.String(text)
	for v := coding.Version(coding.MinVersion); v <= coding.MaxVersion; v++ {
		if words.Bits(v) > v.DataBytes(coding.M)*8 {
			continue
		}
		plan, err := coding.NewPlan(v, coding.M, 0)
		if err != nil {
			return nil, fault.From(fault.Internal, err, "plan a QR code")
		}
		code, err := plan.Encode(words)
		if err != nil {
			return nil, fault.From(fault.Internal, err, "make a QR code")
		}
		rows := make([][]bool, code.Size)
		for y := range rows {
			rows[y] = make([]bool, code.Size)
			for x := range rows[y] {
				rows[y][x] = code.Black(x, y)
			}
		}
		return rows, nil
	}
	return nil, fault.New(fault.TooLarge, "%d bytes are too many for a QR code", len(text))
}

// PNG is the code as a picture of a width and height. Squares have whole pixels, and what is left over is white.
func PNG(text string, size int) ([]byte, error) {
	if size < Least || size > Most {
		return nil, fault.New(fault.Invalid, "a code is %d to %d pixels wide, not %d", Least, Most, size).On("size", "range", "")
	}
	rows, err := Squares(text)
	if err != nil {
		return nil, err
	}
	scale := size / (len(rows) + 2*Quiet)
	if scale == 0 {
		return nil, fault.New(fault.Invalid, "%d pixels are too few for this code", size).On("size", "range", "")
	}
	edge := (size - scale*len(rows)) / 2
	picture := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y, row := range rows {
		for x, black := range row {
			if black {
				fill(picture, edge+x*scale, edge+y*scale, scale)
			}
		}
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}

func fill(picture *image.Paletted, left, top, size int) {
	for y := top; y < top+size; y++ {
		for x := left; x < left+size; x++ {
			picture.SetColorIndex(x, y, 1)
		}
	}
}

// Path is the black squares as the path of a drawing, a unit for each.
func Path(rows [][]bool) string {
	var path strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] {
				x++
			}
			if n := strconv.Itoa(x - from); n != "0" {
				path.WriteString("M" + strconv.Itoa(from) + " " + strconv.Itoa(y) + "h" + n + "v1h-" + n + "z")
			}
		}
	}
	return path.String()
}

// ViewBox is the place that a code takes with its edge, as a drawing says it.
func ViewBox(rows [][]bool) string {
	edge, size := strconv.Itoa(-Quiet), strconv.Itoa(len(rows)+2*Quiet)
	return edge + " " + edge + " " + size + " " + size
}

// SVG is the code as a drawing of one path, on white.
func SVG(text string) (string, error) {
	rows, err := Squares(text)
	if err != nil {
		return "", err
	}
	edge, size := strconv.Itoa(-Quiet), strconv.Itoa(len(rows)+2*Quiet)
	return `<svg xmlns="http://www.w3.org/2000/svg" class="qr" viewBox="` + ViewBox(rows) +
		`" shape-rendering="crispEdges"><path fill="#fff" d="M` + edge + " " + edge + `h` + size + `v` + size + `h-` + size +
		`z"/><path d="` + Path(rows) + `"/></svg>`, nil
}
