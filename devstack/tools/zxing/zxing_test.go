package zxing_test

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// kept is the code that the report's own test keeps: what it says, and its squares.
const kept = "../../../apps/airshed/rule/report/testdata/qr.txt"

// drawn is the code as paper shows it: squares of some dots with a white edge.
func drawn(rows []string) *image.Gray {
	const dots, edge = 6, 4
	side := (len(rows) + 2*edge) * dots
	img := image.NewGray(image.Rect(0, 0, side, side))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for y, row := range rows {
		for x, c := range row {
			if c == '#' {
				at := image.Rect(0, 0, dots, dots).Add(image.Pt((x+edge)*dots, (y+edge)*dots))
				draw.Draw(img, at, image.NewUniform(color.Black), image.Point{}, draw.Src)
			}
		}
	}
	return img
}

func read(img image.Image) (string, error) {
	bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return "", err
	}
	found, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil {
		return "", err
	}
	return found.GetText(), nil
}

func TestAReaderFindsInTheCodeWhatTheReportPutThere(t *testing.T) {
	data, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	want, rows := lines[0], lines[1:]
	if got, err := read(drawn(rows)); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	stained := drawn(rows) // a drop of ink on a twentieth of the code
	middle := stained.Rect.Dx() / 2
	draw.Draw(stained, image.Rect(middle, middle, middle+60, middle+60), image.NewUniform(color.Black), image.Point{}, draw.Src)
	if got, err := read(stained); err != nil || got != want {
		t.Errorf("with a stain: got %q, %v; want %q", got, err, want)
	}
}
