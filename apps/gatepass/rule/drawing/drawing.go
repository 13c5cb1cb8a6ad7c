// Package drawing draws a photo anew: smaller, turned the right way up, and with nothing in it but its pixels. What the
// camera wrote beside them, the place above all, is left behind because it is never read into the picture.
//
// It decodes, so it is given only what package photo has let through, off the path of any request.
package drawing

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/platform/fault"
)

// The longer sides of what is drawn, in pixels, and how good a JPEG it is.
const (
	Wide    = 1600
	Small   = 320
	quality = 82
)

// Unreadable is the code of a photo that this program cannot decode.
const Unreadable = "not_decoded"

// Draw is a photo at most Wide pixels long, and a thumbnail of it, both as JPEG.
func Draw(file []byte, format photo.Format) (picture, thumb []byte, err error) {
	var from image.Image
	turn := 1
	switch format {
	case photo.JPEG:
		from, err = jpeg.Decode(bytes.NewReader(file))
		turn = orientation(file)
	case photo.PNG:
		from, err = png.Decode(bytes.NewReader(file))
	default:
		return nil, nil, fault.New(fault.Invalid, "%s is not decoded here", format).On("photo", Unreadable, string(format))
	}
	if err != nil {
		return nil, nil, fault.From(fault.Invalid, err, "the photo cannot be decoded").On("photo", photo.Corrupt, "")
	}
	large := turned(scaled(from, Wide), turn)
	if picture, err = encode(large); err != nil {
		return nil, nil, err
	}
	thumb, err = encode(scaled(large, Small))
	return picture, thumb, err
}

func encode(p image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := jpeg.Encode(&out, p, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// scaled is a picture on white whose longer side has at most so many pixels: each of its pixels is the mean of those it covers. The
// picture is read a band of rows at a time, so that a large one is not held twice.
func scaled(from image.Image, most int) *image.RGBA {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if long := max(w, h); long > most {
		w, h = max(1, w*most/long), max(1, h*most/long)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if out.Rect.Size() == b.Size() {
		onWhite(out, from, b.Min)
		return out
	}
	band := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()/h+1))
	for y := range h {
		top, bottom := y*b.Dy()/h, (y+1)*b.Dy()/h
		rows := &image.RGBA{Pix: band.Pix, Stride: band.Stride, Rect: image.Rect(0, 0, b.Dx(), bottom-top)}
		onWhite(rows, from, b.Min.Add(image.Pt(0, top)))
		for x := range w {
			out.SetRGBA(x, y, mean(rows, x*b.Dx()/w, (x+1)*b.Dx()/w))
		}
	}
	return out
}

// onWhite draws a part of a picture, on white where it is clear.
func onWhite(out *image.RGBA, from image.Image, at image.Point) {
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, from, at, draw.Over)
}

// mean is the mean colour of some columns of a band.
func mean(rows *image.RGBA, left, right int) color.RGBA {
	var r, g, b uint64
	for y := range rows.Rect.Dy() {
		line := rows.Pix[y*rows.Stride+4*left : y*rows.Stride+4*right]
		for ; len(line) >= 4; line = line[4:] {
			r, g, b = r+uint64(line[0]), g+uint64(line[1]), b+uint64(line[2])
		}
	}
	n := uint64(rows.Rect.Dy() * (right - left))
	return color.RGBA{R: uint8(r / n), G: uint8(g / n), B: uint8(b / n), A: 0xff}
}

// turned is a picture turned and mirrored as a camera's mark from 1 to 8 says that it must be to stand upright.
func turned(p *image.RGBA, mark int) *image.RGBA {
	if mark <= 1 || mark > 8 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if mark >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := place(mark, x, y, w, h)
			out.SetRGBA(tx, ty, p.RGBAAt(x, y))
		}
	}
	return out
}

// place is where a pixel of a picture goes.
func place(mark, x, y, w, h int) (int, int) {
	switch mark {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	}
	return y, w - 1 - x
}
