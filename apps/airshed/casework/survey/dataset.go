package survey

import (
	"context"
	"runtime/debug"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// A Shelf keeps the dataset that was made ready last, so that the steps of one scan
// need not make it again. One at a time is in a process's memory: an object of the
// lake takes a good part of it.
type Shelf struct {
	turn chan struct{} // holds one while somebody uses it
	of   string        // digest of the object, and which boundaries lie over it
	data *analysis.Dataset
	rest func() // has the collector rest again; nil while it does
}

// NewShelf makes an empty one.
func NewShelf() *Shelf { return &Shelf{turn: make(chan struct{}, 1)} }

// Take waits for its turn with the shelf; leave ends it.
func (s *Shelf) Take(ctx context.Context) (leave func(), err error) {
	select {
	case s.turn <- struct{}{}:
		if s.rest == nil {
			s.rest = thrifty()
		}
		return s.leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Shelf) leave() {
	if s.data == nil && s.rest != nil {
		s.rest()
		s.rest = nil
	}
	<-s.turn
}

// thrift is how far the heap may grow between collections while an object of the lake
// is in memory, in per cent. A server and a worker let theirs grow to five times what they
// hold, which is well as long as that is little; of an object it would be a gigabyte.
const thrift = 50

// thrifty has the process collect more often until back is called. Who has it collect
// more often by themselves, or not at all, is left alone.
func thrifty() (back func()) {
	was := debug.SetGCPercent(thrift)
	if was < thrift {
		debug.SetGCPercent(was)
	}
	return func() { debug.SetGCPercent(was) }
}

// with hands over the data of a running scan, when it is its turn. A scan whose data
// cannot be used is refused.
func (v *Surveyor) with(ctx context.Context, in store.ScanInput, doing string, use func(store.Scan, *analysis.Dataset) error) error {
	scan, err := v.store.WorkOn(ctx, in, doing)
	if err != nil || scan.State != job.Running {
		return err
	}
	leave, err := v.shelf.Take(ctx)
	if err != nil {
		return err
	}
	defer leave()
	footing, err := v.store.FootingAt(ctx, in.Org, scan.BeganAt)
	if err != nil {
		return err
	}
	scan.Rules = footing.Name()
	if of := scan.Data + scan.Rules; v.shelf.of != of {
		v.shelf.of, v.shelf.data = "", nil // before the next is read, not after
		data, err := v.dataset(ctx, in.Org, scan, footing)
		if err != nil {
			return v.orRefuse(ctx, in, scan, err)
		}
		v.shelf.of, v.shelf.data = of, data
	}
	if err := use(scan, v.shelf.data); err != nil {
		return v.orRefuse(ctx, in, scan, err)
	}
	return nil
}

// drop forgets the dataset, unless somebody uses it.
func (v *Surveyor) drop() {
	select {
	case v.shelf.turn <- struct{}{}:
		v.shelf.of, v.shelf.data = "", nil
		v.shelf.leave()
	default:
	}
}

// dataset reads the bytes of a scan back and makes them ready, with what the organisation
// had imported when the scan began.
func (v *Surveyor) dataset(ctx context.Context, org identity.Org, scan store.Scan, f store.Footing) (*analysis.Dataset, error) {
	d, err := blob.Parse(scan.Data)
	if err != nil {
		return nil, err
	}
	body, err := v.store.BytesOf(ctx, org, d, lake.MaxBytes)
	if err != nil {
		return nil, err
	}
	object, err := lake.Read(body)
	if err != nil {
		return nil, err
	}
	brought, err := v.store.Brought(ctx, org, f)
	if err != nil {
		return nil, err
	}
	rules, err := brought.Rules()
	if err != nil {
		return nil, err
	}
	return analysis.Prepare(object, rules)
}
