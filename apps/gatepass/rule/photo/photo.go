// Package photo looks at the head of a picture before anybody decodes it: is it a JPEG, PNG or HEIC by its own bytes,
// whole, and small enough once it is unpacked? A few kilobytes can unpack to gigabytes, and a file can be a picture and an
// archive at once; both are refused here, by walking over the parts of a file and never into them.
//
// It decodes nothing. What it lets through can still be broken inside, so decoding is done elsewhere, with bounds of its own.
package photo

import (
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Format is a kind of picture, by its media type.
type Format string

// The formats that are taken.
const (
	JPEG Format = "image/jpeg"
	PNG  Format = "image/png"
	HEIC Format = "image/heic"
)

// Bounds are what an organisation takes. A bound of zero takes nothing.
type Bounds struct {
	Bytes  int   // as sent; a file of exactly so many is taken
	Side   int   // the longer side, in pixels
	Pixels int64 // all of them
	Memory int64 // bytes of its pixels once they are decoded
}

// Standard is 5 MiB, 50 million pixels and 200 MB of them.
func Standard() Bounds {
	return Bounds{Bytes: 5 << 20, Side: 20_000, Pixels: 50_000_000, Memory: 200_000_000}
}

// The codes of what is wrong with a photo.
const (
	Required    = "photo_required"
	Unsupported = "unsupported_photo_format"
	TooLarge    = "photo_too_large"
	Corrupt     = "photo_corrupt"
)

// Info is what the head of a picture says.
type Info struct {
	Format        Format
	Width, Height int
	Memory        int64 // that decoding it takes, at least
}

// Check looks at a file. An error says in its place, under "photo", what is wrong.
func Check(file []byte, b Bounds) (Info, error) {
	if len(file) == 0 {
		return Info{}, fault.New(fault.Invalid, "there is no photo").On("photo", Required, "")
	}
	if len(file) > b.Bytes {
		return Info{}, tooLarge("the photo has %d bytes, and at most %d are taken", len(file), b.Bytes)
	}
	info, err := head(file)
	if err != nil {
		return Info{}, err
	}
	pixels := int64(info.Width) * int64(info.Height)
	switch {
	case max(info.Width, info.Height) > b.Side || pixels > b.Pixels:
		return Info{}, tooLarge("the photo is %d by %d pixels, which is more than is taken", info.Width, info.Height)
	case info.Memory > b.Memory:
		return Info{}, tooLarge("the photo unpacks to %d bytes, and at most %d are taken", info.Memory, b.Memory)
	}
	return info, nil
}

// head reads a file by what its first bytes say it is. The name and the type that came with it say nothing.
func head(file []byte) (Info, error) {
	switch kind := sniff(file); kind {
	case "jpeg":
		return readJPEG(file)
	case "png":
		return readPNG(file)
	case "heic":
		return readHEIC(file)
	case "":
		return Info{}, fault.New(fault.Invalid, "this is no JPEG, PNG or HEIC photo").On("photo", Unsupported, "")
	default:
		return Info{}, fault.New(fault.Invalid, "this is a %s file, and only JPEG, PNG and HEIC are taken", kind).
			On("photo", Unsupported, kind)
	}
}

func tooLarge(format string, args ...any) error {
	given := ""
	if n, ok := args[len(args)-1].(int); ok {
		given = strconv.Itoa(n)
	}
	return fault.New(fault.TooLarge, format, args...).On("photo", TooLarge, given)
}

func corrupt(format string, args ...any) error {
	return fault.New(fault.Invalid, "the photo is not whole: "+format, args...).On("photo", Corrupt, "")
}
