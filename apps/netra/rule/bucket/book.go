package bucket

import (
	"cmp"
	"slices"
	"time"
)

// A Book is the signals of one district and layer in memory, with their buckets: for a file that is scored
// without a server, and the pattern of what a store does in tables.
type Book struct {
	rows    []Row // by time
	buckets map[Grain]map[int64]*Bucket
}

// NewBook is an empty book.
func NewBook() *Book {
	b := &Book{buckets: map[Grain]map[int64]*Bucket{}}
	for _, g := range Grains() {
		b.buckets[g] = map[int64]*Bucket{}
	}
	return b
}

// Add enters a signal. They may come in any order.
func (b *Book) Add(r Row) {
	at, _ := slices.BinarySearchFunc(b.rows, r, byTime)
	b.rows = slices.Insert(b.rows, at, r)
	for _, g := range Grains() {
		start := g.Start(r.At)
		in, ok := b.buckets[g][start.UnixNano()]
		if !ok {
			in = &Bucket{Start: start}
			b.buckets[g][start.UnixNano()] = in
		}
		in.Add(r)
	}
}

// Remove takes a signal out again, as a correction does. It is false where there is none.
func (b *Book) Remove(r Row) bool {
	at := slices.Index(b.rows, r)
	if at < 0 {
		return false
	}
	b.rows = slices.Delete(b.rows, at, at+1)
	for _, g := range Grains() {
		start := g.Start(r.At)
		in := b.buckets[g][start.UnixNano()]
		if in.Remove(r) {
			in.Top = Top{}
			for _, left := range b.between(start, start.Add(time.Duration(g))) {
				in.Top.add(left)
			}
		}
	}
	return true
}

// Totals is what a window comes to, from buckets and the rows of the minutes it cuts.
func (b *Book) Totals(w Window, floor Floor) (t Totals) {
	for _, p := range Plan(w, floor) {
		if p.Grain == Rows {
			for _, r := range b.between(p.From, p.To) {
				t.AddRow(w, floor, r)
			}
			continue
		}
		for at := p.From; at.Before(p.To); at = at.Add(time.Duration(p.Grain)) {
			if in, ok := b.buckets[p.Grain][at.UnixNano()]; ok {
				t.AddBucket(w, floor, p, *in)
			}
		}
	}
	return t
}

// between is the rows from a time up to but without another.
func (b *Book) between(from, to time.Time) []Row {
	until := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(b.rows, t, func(r Row, t time.Time) int { return r.At.Compare(t) })
		return i
	}
	return b.rows[until(from):until(to)]
}

func byTime(a, b Row) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }
