package intake

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// Terms are how a file is taken.
type Terms struct {
	Whole bool       // it lists everything: what is missing from it goes
	Today fleet.Date // the day riders are removed who go
	Known Known
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
func Compare[T any](t Table[T], was []T, f File[T], terms Terms) Difference[T] {
	d := Difference[T]{Fields: map[string]int{}, Refusals: Refusals{Count: f.Count, List: slices.Clone(f.List)}}
	old := make(map[string]*T, len(was))
	for i := range was {
		old[t.key(&was[i])] = &was[i]
	}
	listed := make(map[string]bool, len(f.Rows))
	for i := range f.Rows {
		row := &f.Rows[i]
		key := t.key(&row.Value)
		listed[key] = true
		t.weigh(&d, f, row, old[key], terms)
	}
	t.leave(&d, was, listed, terms)
	if t.crowds != nil && t.crowds(t.after(&d, old)) {
		d.add(0, fault.New(fault.Invalid, "a van would have more than %d riders", fleet.MaxRiders))
	}
	return d
}

// weigh compares one row with what is on record.
func (t Table[T]) weigh(d *Difference[T], f File[T], row *Row[T], was *T, terms Terms) {
	v, key := row.Value, t.key(&row.Value)
	if t.erased(&v, terms) {
		d.Kept++
		d.note(key, "kept", nil)
		return
	}
	if t.today != nil {
		t.today(&v, terms.Today)
	}
	var fields []string
	if was != nil {
		for i, x := range t.fields {
			if !f.has[i] && !x.implied {
				x.take(&v, was)
			} else if x.text(&v) != x.text(was) {
				fields = append(fields, x.name)
			}
		}
		if len(fields) == 0 {
			d.Unchanged++
			return
		}
		if t.keeps != nil && t.keeps(was, &v) {
			d.Kept++
			d.note(key, "kept", fields)
			return
		}
	}
	if t.known != nil {
		if err := t.known(&v, terms.Known); err != nil {
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

// erased reports whether a row is about somebody who was forgotten.
func (t Table[T]) erased(v *T, terms Terms) bool {
	return t.about != nil && terms.Known.Erased[t.about(v)]
}

// leave finds what a whole file leaves out.
func (t Table[T]) leave(d *Difference[T], was []T, listed map[string]bool, terms Terms) {
	for i := range was {
		v := was[i]
		if t.erased(&v, terms) || !t.leaves(&v, terms.Today) {
			continue
		}
		d.There++
		if key := t.key(&was[i]); terms.Whole && !listed[key] {
			d.Gone = append(d.Gone, v)
			d.note(key, "gone", nil)
		}
	}
}

// after is everything as it would be.
func (t Table[T]) after(d *Difference[T], old map[string]*T) map[string]*T {
	for _, part := range [][]T{d.Added, d.Changed, d.Gone} {
		for i := range part {
			old[t.key(&part[i])] = &part[i]
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
	fmt.Fprintf(h, "%s %v %x\n", t.kind, whole, of)
	type line struct {
		key string
		at  int
	}
	order := make([]line, len(was))
	for i := range was {
		order[i] = line{t.key(&was[i]), i}
	}
	slices.SortFunc(order, func(a, b line) int { return strings.Compare(a.key, b.key) })
	w := bufio.NewWriter(h)
	for _, l := range order {
		for _, x := range t.fields {
			text := x.text(&was[l.at])
			fmt.Fprintf(w, "%d:%s", len(text), text)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}
