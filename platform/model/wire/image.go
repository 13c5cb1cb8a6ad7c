package wire

import (
	"context"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// A Loader fetches an image's bytes by their digest.
type Loader func(ctx context.Context, digest blob.Digest) ([]byte, error)

// Image is the bytes that an image stands for, within the bound and checked:
// a model is shown what the record says it was shown.
func (l Loader) Image(ctx context.Context, im model.Image) ([]byte, error) {
	if l == nil {
		return nil, fault.New(fault.Invalid, "this route was given no way to load images")
	}
	data, err := l(ctx, im.SHA256)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || len(data) > model.MaxImage {
		return nil, fault.New(fault.TooLarge, "image %s has %d bytes; a model is shown 1 to %d", im.SHA256, len(data), model.MaxImage)
	}
	if got := blob.Sum(data); got != im.SHA256 {
		return nil, fault.New(fault.Internal, "image %s was loaded as %s", im.SHA256, got)
	}
	return data, nil
}
