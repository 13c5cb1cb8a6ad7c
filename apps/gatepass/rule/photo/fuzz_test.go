package photo_test

import (
	"bytes"
	"image"
	_ "image/jpeg" // what we say is held against what they say
	_ "image/png"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/platform/fault"
)

// FuzzCheck promises of any bytes: a plain refusal under a known code, or a picture within every bound, of the size that a decoder reads
// from the same head.
func FuzzCheck(f *testing.F) {
	f.Add(aJPEG(f, 24, 16))
	f.Add(jpegSaying(10, 20, 0xC2, 0x22, 0x11, 0x11))
	f.Add(aPNG(f, picture(9, 9)))
	f.Add(pngSaying(7000, 7000, 16, 6))
	f.Add(aHEIC("heicmif1", 512, 512, 4032, 3024))
	f.Add(append(aJPEG(f, 8, 8), aZip(f)...))
	for _, bomb := range bombs(f) {
		if len(bomb) < 1<<16 {
			f.Add(bomb)
		}
	}
	known := map[string]bool{photo.Required: true, photo.Unsupported: true, photo.TooLarge: true, photo.Corrupt: true}
	bounds := photo.Bounds{Bytes: 1 << 16, Side: 20_000, Pixels: 50_000_000, Memory: 200_000_000}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := photo.Check(file, bounds)
		if err != nil {
			if at, _ := fault.PlaceOf(err); !known[at.Code] || fault.KindOf(err) == fault.Internal {
				t.Errorf("refused as %v", err)
			}
			return
		}
		pixels := int64(got.Width) * int64(got.Height)
		if got.Width < 1 || got.Height < 1 || pixels > bounds.Pixels || got.Memory > bounds.Memory || got.Memory < pixels ||
			len(file) > bounds.Bytes {
			t.Errorf("taken: %+v", got)
		}
		config, format, err := image.DecodeConfig(bytes.NewReader(file))
		if err == nil && (config.Width != got.Width || config.Height != got.Height || photo.Format("image/"+format) != got.Format) {
			t.Errorf("we say %+v, a decoder %s %d by %d", got, format, config.Width, config.Height)
		}
	})
}
