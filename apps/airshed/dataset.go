package airshed

import (
	"context"

	"github.com/gavelhq/gavel/apps/airshed/analysis"
	"github.com/gavelhq/gavel/apps/airshed/lake"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
)

// A shelf keeps the dataset that was made ready last, so that the steps of one scan
// need not make it again. One at a time is in a process's memory: an object of the
// lake takes a good part of it.
type shelf struct {
	turn   chan struct{} // holds one while somebody uses it
	digest string
	data   *analysis.Dataset
}

func newShelf() *shelf { return &shelf{turn: make(chan struct{}, 1)} }

// with hands over the data of a running scan, when it is its turn. A scan whose data
// cannot be used is refused.
func (a *app) with(ctx context.Context, in ScanInput, use func(Scan, *analysis.Dataset) error) error {
	scan, err := a.scan(ctx, in)
	if err != nil || scan.State != ScanRunning {
		return err
	}
	select {
	case a.shelf.turn <- struct{}{}:
		defer func() { <-a.shelf.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if a.shelf.digest != scan.Data {
		a.shelf.digest, a.shelf.data = "", nil // before the next is read, not after
		data, err := a.dataset(ctx, in.Org, scan)
		if err != nil {
			return a.orRefuse(ctx, in, scan, err)
		}
		a.shelf.digest, a.shelf.data = scan.Data, data
	}
	if err := use(scan, a.shelf.data); err != nil {
		return a.orRefuse(ctx, in, scan, err)
	}
	return nil
}

// drop forgets the dataset, unless somebody uses it.
func (a *app) drop() {
	select {
	case a.shelf.turn <- struct{}{}:
		a.shelf.digest, a.shelf.data = "", nil
		<-a.shelf.turn
	default:
	}
}

// dataset reads the bytes of a scan back and makes them ready.
func (a *app) dataset(ctx context.Context, org identity.Org, scan Scan) (*analysis.Dataset, error) {
	d, err := blob.Parse(scan.Data)
	if err != nil {
		return nil, err
	}
	body, err := a.store.bytesOf(ctx, org, d, lake.MaxBytes)
	if err != nil {
		return nil, err
	}
	object, err := lake.Read(body)
	if err != nil {
		return nil, err
	}
	rules, err := standing(nil)
	if err != nil {
		return nil, err
	}
	return analysis.Prepare(object, rules)
}
