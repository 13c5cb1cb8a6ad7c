package survey

import (
	"context"
	"sync"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// maxAlbum bounds the pictures that are kept ready: of some objects of the lake with
// many stations each. One with all its fires takes a quarter of a megabyte.
const maxAlbum = 64

// A Drawable is what an episode's map and curves are drawn from.
type Drawable struct {
	analysis.Picture
	Around []analysis.Nearby
}

// A sheetKey names a drawable: whose data, which, by which boundaries, and which
// episode of them.
type sheetKey struct {
	org    identity.Org
	data   string
	bounds string
	key    surge.Key
}

// An album keeps pictures that were made. What is drawn follows from the bytes that
// were analysed, so that it is made when somebody looks and not kept with the record;
// making an object of the lake ready takes seconds, and so its pictures stay for a
// while. The zero album is ready, and safe for use by many.
type album struct {
	mu    sync.Mutex
	ready map[sheetKey]Drawable
	order []sheetKey // the oldest first
}

func (b *album) find(k sheetKey) (Drawable, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, ok := b.ready[k]
	return d, ok
}

func (b *album) keep(k sheetKey, d Drawable) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ready == nil {
		b.ready = map[sheetKey]Drawable{}
	}
	if _, there := b.ready[k]; there {
		return
	}
	if len(b.order) >= maxAlbum {
		delete(b.ready, b.order[0])
		b.order = b.order[1:]
	}
	b.ready[k], b.order = d, append(b.order, k)
}

// Picture makes an analysis' picture from the bytes a scan read, when it is its turn
// with an object in memory. The key is the analysis' own: the episode may have been
// found by another.
func (v *Surveyor) Picture(ctx context.Context, org identity.Org, scan store.Scan, key surge.Key) (Drawable, error) {
	footing, err := v.store.FootingAt(ctx, org, scan.BeganAt)
	if err != nil {
		return Drawable{}, err
	}
	at := sheetKey{org, scan.Data, footing.Name(), key}
	if d, ok := v.album.find(at); ok {
		return d, nil
	}
	leave, err := v.shelf.Take(ctx)
	if err != nil {
		return Drawable{}, err
	}
	defer leave()
	if d, ok := v.album.find(at); ok { // somebody made it while we waited
		return d, nil
	}
	set, err := v.dataset(ctx, org, scan, footing)
	if err != nil {
		return Drawable{}, err
	}
	d, err := drawableOf(set, key)
	if err != nil {
		return Drawable{}, err
	}
	for i, other := range set.Keys() { // who looks at one looks at the next
		if i >= maxAlbum/2 || other == key {
			continue
		}
		if more, err := drawableOf(set, other); err == nil {
			v.album.keep(sheetKey{org, scan.Data, footing.Name(), other}, more)
		}
	}
	v.album.keep(at, d)
	return d, nil
}

func drawableOf(set *analysis.Dataset, key surge.Key) (d Drawable, err error) {
	if d.Picture, err = set.Picture(key); err != nil {
		return d, err
	}
	d.Around, err = set.Around(key)
	return d, err
}
