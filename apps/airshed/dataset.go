package airshed

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
)

// A shelf keeps the dataset that was made ready last, so that the steps of one scan
// need not make it again. One at a time is in a process's memory: an object of the
// lake takes a good part of it.
type shelf struct {
	turn chan struct{} // holds one while somebody uses it
	of   string        // digest of the object, and which boundaries lie over it
	data *analysis.Dataset
	rest func() // has the collector rest again; nil while it does
}

func newShelf() *shelf { return &shelf{turn: make(chan struct{}, 1)} }

// take waits for its turn with the shelf; leave ends it.
func (s *shelf) take(ctx context.Context) (leave func(), err error) {
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

func (s *shelf) leave() {
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
func (a *app) with(ctx context.Context, in ScanInput, use func(Scan, *analysis.Dataset) error) error {
	scan, err := a.scan(ctx, in)
	if err != nil || scan.State != ScanRunning {
		return err
	}
	leave, err := a.shelf.take(ctx)
	if err != nil {
		return err
	}
	defer leave()
	bounds, err := a.store.boundaryAt(ctx, in.Org, scan.BeganAt)
	if err != nil {
		return err
	}
	scan.Rules = rulesBy(bounds)
	if of := scan.Data + bounds.ID; a.shelf.of != of {
		a.shelf.of, a.shelf.data = "", nil // before the next is read, not after
		data, err := a.dataset(ctx, in.Org, scan, bounds)
		if err != nil {
			return a.orRefuse(ctx, in, scan, err)
		}
		a.shelf.of, a.shelf.data = of, data
	}
	if err := use(scan, a.shelf.data); err != nil {
		return a.orRefuse(ctx, in, scan, err)
	}
	return nil
}

// rulesBy names everything but the bytes that an analysis depends on.
func rulesBy(b Boundary) string { return strings.TrimSpace(analysis.Version + " " + b.ID) }

// drop forgets the dataset, unless somebody uses it.
func (a *app) drop() {
	select {
	case a.shelf.turn <- struct{}{}:
		a.shelf.of, a.shelf.data = "", nil
		a.shelf.leave()
	default:
	}
}

// dataset reads the bytes of a scan back and makes them ready, with the boundaries the
// organisation had when the scan began.
func (a *app) dataset(ctx context.Context, org identity.Org, scan Scan, bounds Boundary) (*analysis.Dataset, error) {
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
	districts, err := a.store.districts(ctx, org, bounds)
	if err != nil {
		return nil, err
	}
	rules, err := standing(districts)
	if err != nil {
		return nil, err
	}
	return analysis.Prepare(object, rules)
}
