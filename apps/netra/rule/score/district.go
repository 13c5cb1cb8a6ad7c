package score

import (
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A District is the signals of one district in buckets: by layer, and all of them once.
type District struct {
	all    *bucket.Book
	layers map[signal.Layer]*bucket.Book
}

// NewDistrict is a district of which nothing was heard.
func NewDistrict() *District {
	d := &District{all: bucket.NewBook(), layers: map[signal.Layer]*bucket.Book{}}
	for _, l := range signal.Layers() {
		d.layers[l] = bucket.NewBook()
	}
	return d
}

// Add enters a signal.
func (d *District) Add(s signal.Signal) {
	r := bucket.RowOf(s)
	d.all.Add(r)
	for _, l := range s.Layers {
		d.layers[l].Add(r)
	}
}

// At is the result at a moment, from buckets.
func (d *District) At(p Profile, t Thresholds, w bucket.Window) Result {
	recent, older := TrendWindows(w.AsOf)
	in := Input{Window: w, Layers: map[signal.Layer]bucket.Totals{}, All: d.all.Totals(w, p.RecencyFloor),
		Recent: d.all.Totals(recent, 0), Older: d.all.Totals(older, 0)}
	for l, book := range d.layers {
		in.Layers[l] = book.Totals(w, p.RecencyFloor)
	}
	return Score(p, t, in)
}
