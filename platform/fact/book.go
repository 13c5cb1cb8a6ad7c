package fact

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Book is the register of a case's facts: it gives numbers and versions, and
// finds facts by them. The same key keeps its F-number for ever; a new value is
// a new version; a version never changes. A Book is not safe for concurrent use.
type Book struct {
	caseID string
	byKey  map[string]ID
	facts  map[ID][]Fact // versions in order, version n at n-1
	order  []ID
	size   int // versions in all
}

// MaxFacts bounds the versions one book holds.
const MaxFacts = 200_000

// NewBook is an empty register.
func NewBook(caseID string) *Book {
	return &Book{caseID: caseID, byKey: map[string]ID{}, facts: map[ID][]Fact{}}
}

// OpenBook is the register that holds facts as they were kept before, in any
// order. It refuses facts of another case, gaps in versions and numbers, and one
// key under two numbers.
func OpenBook(caseID string, kept []Fact) (*Book, error) {
	b := NewBook(caseID)
	sorted := slices.Clone(kept)
	slices.SortFunc(sorted, func(x, y Fact) int {
		if x.ID != y.ID {
			return x.ID.Number() - y.ID.Number()
		}
		return x.Version - y.Version
	})
	for _, f := range sorted {
		if err := b.restore(f); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Book) restore(f Fact) error {
	if err := f.check(); err != nil {
		return err
	}
	versions := b.facts[f.ID]
	switch {
	case f.Case != b.caseID:
		return fault.New(fault.Invalid, "%s belongs to case %.60s, not %.60s", f.ID, f.Case, b.caseID)
	case f.Version != len(versions)+1:
		return fault.New(fault.Invalid, "%.40s: version %d is missing or twice there", f.ID, len(versions)+1)
	case len(versions) == 0 && f.ID.Number() != len(b.order)+1:
		return fault.New(fault.Invalid, "fact %.40s: its number should be F%d", f.ID, len(b.order)+1)
	case len(versions) == 0 && b.byKey[f.Key] != "":
		return fault.New(fault.Invalid, "%s and %s measure the same thing", b.byKey[f.Key], f.ID)
	case len(versions) > 0 && versions[0].Key != f.Key:
		return fault.New(fault.Invalid, "%s changes what it measures between versions", f.ID)
	}
	return b.put(f)
}

func (b *Book) put(f Fact) error {
	if b.size >= MaxFacts {
		return fault.New(fault.TooLarge, "a case has at most %d facts", MaxFacts)
	}
	if len(b.facts[f.ID]) == 0 {
		b.order = append(b.order, f.ID)
		b.byKey[f.Key] = f.ID
	}
	b.facts[f.ID] = append(b.facts[f.ID], f)
	b.size++
	return nil
}

// Add enters a fact and returns it with its number and version. What is already
// there with the same value, unit and inputs is returned as it was: reading a
// source again changes nothing. A computed fact must rest on facts of this book.
func (b *Book) Add(f Fact) (Fact, error) {
	if err := f.check(); err != nil {
		return Fact{}, err
	}
	if f.Case != "" && f.Case != b.caseID {
		return Fact{}, fault.New(fault.Invalid, "the fact belongs to case %.60s, not %.60s", f.Case, b.caseID)
	}
	if f.Calc != nil {
		if err := b.Reperform(f); err != nil {
			return Fact{}, err
		}
	}
	return b.enter(f)
}

// enter gives a fact its number and version.
func (b *Book) enter(f Fact) (Fact, error) {
	id, known := b.byKey[f.Key]
	if !known {
		id = NewID(len(b.order) + 1)
	}
	versions := b.facts[id]
	if known && same(versions[len(versions)-1], f) {
		return versions[len(versions)-1], nil
	}
	f.Case, f.ID, f.Version = b.caseID, id, len(versions)+1
	return f, b.put(f)
}

// same reports whether f says nothing new: a recomputation from newer inputs is
// new even where the value stays, because its inputs are pinned.
func same(old, f Fact) bool {
	if old.Value != f.Value || old.Exact != f.Exact || !SameUnit(old.Unit, f.Unit) {
		return false
	}
	if old.Calc == nil || f.Calc == nil {
		return old.Calc == f.Calc
	}
	return slices.Equal(sortedRefs(old.Calc.Inputs), sortedRefs(f.Calc.Inputs))
}

func sortedRefs(refs []Ref) []Ref {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(x, y Ref) int { return strings.Compare(x.String(), y.String()) })
	return refs
}

// Derive computes from the newest versions of facts of this book and enters the
// result.
func (b *Book) Derive(op Op, code string, ids ...ID) (Fact, error) {
	inputs := make([]Fact, len(ids))
	for i, id := range ids {
		f, ok := b.Latest(id)
		if !ok {
			return Fact{}, fault.New(fault.NotFound, "there is no fact %.40s in this case", id)
		}
		inputs[i] = f
	}
	f, err := Derive(op, code, inputs...)
	if err != nil {
		return Fact{}, err
	}
	if f.Case != b.caseID {
		return Fact{}, fault.New(fault.Invalid, "the fact belongs to case %.60s, not %.60s", f.Case, b.caseID)
	}
	return b.enter(f) // it was computed a line above, from facts of this book: Add would only do that again
}

// Take enters a fact of another book, and before it everything it rests on. Each is computed again here, so that a book
// may be made of the few facts that a text cites, out of books that hold all there is to say.
func (b *Book) Take(from *Book, id ID) (Fact, error) {
	return b.take(from, id, map[ID]Fact{})
}

func (b *Book) take(from *Book, id ID, taken map[ID]Fact) (Fact, error) {
	if f, ok := taken[id]; ok {
		return f, nil
	}
	f, ok := from.Latest(id)
	if !ok {
		return Fact{}, fault.New(fault.NotFound, "there is no fact %.40s to take", id)
	}
	var err error
	if f.Calc == nil {
		f.Case, f.ID, f.Version = "", "", 0
		f, err = b.Add(f)
	} else {
		f, err = b.takeCalc(from, f, taken)
	}
	taken[id] = f
	return f, err
}

// takeCalc takes what a computed fact rests on, and computes it again.
func (b *Book) takeCalc(from *Book, f Fact, taken map[ID]Fact) (Fact, error) {
	ids := make([]ID, len(f.Calc.Inputs))
	for i, r := range f.Calc.Inputs {
		if now, _ := from.Latest(r.ID); now.Version != r.Version {
			return Fact{}, fault.New(fault.Stale, "%s rests on %s, which has a newer version", f.ID, r)
		}
		in, err := b.take(from, r.ID, taken)
		if err != nil {
			return Fact{}, err
		}
		ids[i] = in.ID
	}
	return b.Derive(f.Calc.Op, f.Calc.Code, ids...)
}

// Latest is the newest version of a fact.
func (b *Book) Latest(id ID) (Fact, bool) {
	versions := b.facts[id]
	if len(versions) == 0 {
		return Fact{}, false
	}
	return versions[len(versions)-1], true
}

// At is one version of a fact.
func (b *Book) At(r Ref) (Fact, bool) {
	versions := b.facts[r.ID]
	if r.Version < 1 || r.Version > len(versions) {
		return Fact{}, false
	}
	return versions[r.Version-1], true
}

// Newest lists the newest version of every fact, in the order of their numbers.
func (b *Book) Newest() []Fact {
	out := make([]Fact, len(b.order))
	for i, id := range b.order {
		out[i], _ = b.Latest(id)
	}
	return out
}

// All lists every version of every fact, by number and version.
func (b *Book) All() []Fact {
	out := make([]Fact, 0, b.size)
	for _, id := range b.order {
		out = append(out, b.facts[id]...)
	}
	return out
}

// Case is the case the book belongs to.
func (b *Book) Case() string { return b.caseID }

// Fresh reports whether r is the newest version of its fact and rests, through
// all its inputs, on newest versions; if not, it says which version is old.
func (b *Book) Fresh(r Ref) (old Ref, fresh bool) {
	return b.fresh(r, map[Ref]bool{})
}

func (b *Book) fresh(r Ref, seen map[Ref]bool) (Ref, bool) {
	f, ok := b.At(r)
	if !ok || r.Version != len(b.facts[r.ID]) {
		return r, false
	}
	if seen[r] || f.Calc == nil {
		return r, true
	}
	seen[r] = true
	for _, in := range f.Calc.Inputs {
		if old, ok := b.fresh(in, seen); !ok {
			return old, false
		}
	}
	return r, true
}

// Reperform computes a derived fact again from the inputs it names and reports
// any difference. A fact that was read has nothing to recompute.
func (b *Book) Reperform(f Fact) error {
	if f.Calc == nil {
		return nil
	}
	inputs := make([]Fact, len(f.Calc.Inputs))
	for i, r := range f.Calc.Inputs {
		in, ok := b.At(r)
		if !ok {
			return fault.New(fault.NotFound, "%s rests on %s, which is not in this case", name(f), r)
		}
		inputs[i] = in
	}
	again, err := Derive(f.Calc.Op, f.Calc.Code, inputs...)
	if err != nil {
		return err
	}
	switch {
	case again.Value != f.Value || again.Exact != f.Exact:
		return fault.New(fault.Invalid, "%s says %s; computed again it is %s", name(f), f.Value, again.Value)
	case !SameUnit(again.Unit, f.Unit):
		return fault.New(fault.Invalid, "%s says %s; computed again its unit is %s", name(f), unitName(f.Unit), unitName(again.Unit))
	case again.Key != f.Key:
		return fault.New(fault.Invalid, "the key of %s is not that of its operation and inputs", name(f))
	}
	return nil
}

func name(f Fact) string {
	if f.ID == "" {
		return "the new fact"
	}
	return string(f.ID)
}
