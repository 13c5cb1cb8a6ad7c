package intake

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Terms are how a file is taken. Functions that are left out find nothing.
type Terms[T any] struct {
	Whole    bool                          // it lists everything: what is missing from it goes
	Stands   func(*T) bool                 // nothing about it is taken from a file: somebody was forgotten
	Today    func(*T)                      // makes of it what it is today
	Known    func(*T) error                // whether what it refers to is there
	Keeps    func(was, now *T) bool        // whether what is on record stands against the file
	Leaves   func(*T) bool                 // makes of it what it is once a whole file leaves it out; false where it stays
	Together func(all map[string]*T) error // what is wrong with all of them together
}

// A Change is one thing that would change, without its values: they may be
// personal.
type Change struct {
	Key    string   `json:"key"`
	What   string   `json:"what"` // added, changed, gone or kept
	Fields []string `json:"fields,omitempty"`
}

// A Difference is what a file would change.
type Difference[T any] struct {
	Added   []T
	Changed []T // as they would be
	Gone    []T // as they would be, where they are not simply deleted

	Unchanged int
	Kept      int            // the file says otherwise, and what is on record stands: somebody was erased, or removed by a case
	There     int            // how many on record could go
	Fields    map[string]int // in how many of Changed each field is another
	List      []Change       // the first of them
	Refusals
}

// Shrinks reports whether more than a fifth of what is on record would go. A
// file that was cut short must not make everybody look as if they had left.
func (d Difference[T]) Shrinks() bool { return 5*len(d.Gone) > d.There }

// Compare says what a file would change in what is on record.
func Compare[T any](t Table[T], was []T, f File[T], terms Terms[T]) Difference[T] {
	d := Difference[T]{Fields: map[string]int{}, Refusals: Refusals{Count: f.Count, List: slices.Clone(f.List)}}
	old := make(map[string]*T, len(was))
	for i := range was {
		old[t.Key(&was[i])] = &was[i]
	}
	listed := make(map[string]bool, len(f.Rows))
	for i := range f.Rows {
		row := &f.Rows[i]
		key := t.Key(&row.Value)
		listed[key] = true
		t.weigh(&d, f, row, old[key], terms)
	}
	t.leave(&d, was, listed, terms)
	if terms.Together != nil {
		if err := terms.Together(t.after(&d, old)); err != nil {
			d.add(0, err)
		}
	}
	return d
}

// weigh compares one row with what is on record.
func (t Table[T]) weigh(d *Difference[T], f File[T], row *Row[T], was *T, terms Terms[T]) {
	v, key := row.Value, t.Key(&row.Value)
	if terms.stands(&v) {
		d.Kept++
		d.note(key, "kept", nil)
		return
	}
	if terms.Today != nil {
		terms.Today(&v)
	}
	var fields []string
	if was != nil {
		for i, x := range t.Fields {
			if !f.has[i] && !x.Implied {
				x.Take(&v, was)
			} else if x.text(&v) != x.text(was) {
				fields = append(fields, x.Name)
			}
		}
		if len(fields) == 0 {
			d.Unchanged++
			return
		}
		if terms.Keeps != nil && terms.Keeps(was, &v) {
			d.Kept++
			d.note(key, "kept", fields)
			return
		}
	}
	if terms.Known != nil {
		if err := terms.Known(&v); err != nil {
			d.add(row.Line, err)
			return
		}
	}
	if was == nil {
		d.Added = append(d.Added, v)
		d.note(key, "added", nil)
		return
	}
	d.Changed = append(d.Changed, v)
	for _, x := range fields {
		d.Fields[x]++
	}
	d.note(key, "changed", fields)
}

func (t Terms[T]) stands(v *T) bool { return t.Stands != nil && t.Stands(v) }

func (t Terms[T]) leaves(v *T) bool { return t.Leaves != nil && t.Leaves(v) }

// leave finds what a whole file leaves out.
func (t Table[T]) leave(d *Difference[T], was []T, listed map[string]bool, terms Terms[T]) {
	for i := range was {
		v := was[i]
		if terms.stands(&v) || !terms.leaves(&v) {
			continue
		}
		d.There++
		if key := t.Key(&was[i]); terms.Whole && !listed[key] {
			d.Gone = append(d.Gone, v)
			d.note(key, "gone", nil)
		}
	}
}

// after is everything as it would be.
func (t Table[T]) after(d *Difference[T], old map[string]*T) map[string]*T {
	for _, part := range [][]T{d.Added, d.Changed, d.Gone} {
		for i := range part {
			old[t.Key(&part[i])] = &part[i]
		}
	}
	return old
}

func (d *Difference[T]) note(key, what string, fields []string) {
	if len(d.List) < mostListed {
		d.List = append(d.List, Change{Key: key, What: what, Fields: fields})
	}
}

// Digest names a file together with what it was compared with, so that what was
// previewed is what is done. It is hexadecimal.
func Digest[T any](t Table[T], was []T, file []byte, whole bool) string {
	h := sha256.New()
	of := sha256.Sum256(file)
	fmt.Fprintf(h, "%s %v %x\n", t.Name, whole, of)
	type line struct {
		key string
		at  int
	}
	order := make([]line, len(was))
	for i := range was {
		order[i] = line{t.Key(&was[i]), i}
	}
	slices.SortFunc(order, func(a, b line) int { return strings.Compare(a.key, b.key) })
	w := bufio.NewWriter(h)
	for _, l := range order {
		for _, x := range t.Fields {
			text := x.text(&was[l.at])
			fmt.Fprintf(w, "%d:%s", len(text), text)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}
