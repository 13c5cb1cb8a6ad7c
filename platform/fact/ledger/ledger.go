// Package ledger is for asking a book of facts what a checker of texts must know:
// what a fact is about, whether its sign says a direction, how a level came to be
// what it is, what it was compared with. It only reads the book.
package ledger

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Ledger answers questions about the newest version of every fact of a book. It
// remembers answers and is not safe for concurrent use.
type Ledger struct {
	book    *fact.Book
	dims    []string
	alike   map[string][]fact.Fact    // by what they measure, see like
	moves   map[fact.ID][]fact.Fact   // see Moves
	sets    map[fact.ID][][]fact.Fact // see Sets
	changes map[string][]fact.Fact    // see Changes
	stale   map[fact.Ref]staleness
	needs   map[needKey]Need
}

type staleness struct {
	old   fact.Ref
	fresh bool
}

// maxSetWork bounds how many inputs of comparisons are indexed.
const maxSetWork = 2_000_000

// New indexes a book. dims are the ids of subjects in which facts are told apart:
// scenario, sector, station.
func New(book *fact.Book, dims []string) *Ledger {
	l := &Ledger{
		book: book, dims: dims, alike: map[string][]fact.Fact{}, moves: map[fact.ID][]fact.Fact{},
		sets: map[fact.ID][][]fact.Fact{}, changes: map[string][]fact.Fact{},
		stale: map[fact.Ref]staleness{}, needs: map[needKey]Need{},
	}
	work := 0
	for _, f := range book.Newest() {
		k := like(f, "", "")
		l.alike[k] = append(l.alike[k], f)
		if f.Subject.IDs[fact.ChangeID] != "" && (f.Calc == nil || f.Calc.Op == fact.Difference) && l.Movement(f) == Moved {
			if k := l.members(f.Subject.IDs); k != "" {
				l.changes[k] = append(l.changes[k], f)
			}
		}
		work = l.index(f, work)
	}
	return l
}

// index enters a computed fact under its inputs.
func (l *Ledger) index(f fact.Fact, work int) int {
	in := l.Inputs(f)
	if len(in) == 0 {
		return work
	}
	switch f.Calc.Op {
	case fact.Difference, fact.Percentage, fact.Growth, fact.Ratio:
		l.moves[in[0].ID] = append(l.moves[in[0].ID], f)
	case fact.Rank, fact.RankLow, fact.Min, fact.Max, fact.Share:
		if work += len(in); work > maxSetWork {
			return work
		}
		for _, x := range in {
			l.sets[x.ID] = append(l.sets[x.ID], in)
		}
	}
	return work
}

// Book is the book the ledger reads.
func (l *Ledger) Book() *fact.Book { return l.book }

// Moves lists the differences, percentages, growth rates and ratios that measure
// a fact against another.
func (l *Ledger) Moves(id fact.ID) []fact.Fact { return l.moves[id] }

// Sets lists the comparisons (ranks, minima, maxima, shares) a fact took part in,
// each with all that were compared.
func (l *Ledger) Sets(id fact.ID) [][]fact.Fact { return l.sets[id] }

// Changes lists the changes that are about exactly these members.
func (l *Ledger) Changes(ids map[string]string) []fact.Fact { return l.changes[l.members(ids)] }

// members names the members that ids give for the ledger's dimensions.
func (l *Ledger) members(ids map[string]string) string {
	key := ""
	for _, d := range l.dims {
		if id := ids[d]; id != "" {
			key += d + "=" + id + "\x00"
		}
	}
	return key
}

// Inputs are the facts a fact was computed from, in the versions it used. Those
// the book does not have are left out.
func (l *Ledger) Inputs(f fact.Fact) []fact.Fact {
	if f.Calc == nil {
		return nil
	}
	out := make([]fact.Fact, 0, len(f.Calc.Inputs))
	for _, r := range f.Calc.Inputs {
		if in, ok := l.book.At(r); ok {
			out = append(out, in)
		}
	}
	return out
}

// like names what a fact measures with one id replaced, so that the same measure
// of another scenario can be found.
func like(f fact.Fact, dim, id string) string {
	var b strings.Builder
	if f.Calc != nil {
		b.WriteString(string(f.Calc.Op))
	}
	b.WriteString("\x00" + fact.FoldUnit(f.Unit))
	for _, k := range slices.Sorted(maps.Keys(f.Subject.IDs)) {
		v := f.Subject.IDs[k]
		if k == dim {
			v = id
		}
		b.WriteString("\x00" + k + "=" + v)
	}
	return b.String()
}

// Peer is the same measure of another member of a dimension, if there is exactly
// one.
func (l *Ledger) Peer(f fact.Fact, dim, id string) (fact.Fact, bool) {
	if f.Subject.IDs[dim] == "" {
		return fact.Fact{}, false
	}
	found := l.alike[like(f, dim, id)]
	if len(found) != 1 {
		return fact.Fact{}, false
	}
	return found[0], true
}

// Fresh is the book's Fresh, remembered.
func (l *Ledger) Fresh(r fact.Ref) (old fact.Ref, fresh bool) {
	s, known := l.stale[r]
	if !known {
		s.old, s.fresh = l.book.Fresh(r)
		l.stale[r] = s
	}
	return s.old, s.fresh
}

// Number is a fact's value. A book holds only facts whose value can be read.
func Number(f fact.Fact) *big.Rat {
	n, err := f.Number()
	if err != nil {
		return new(big.Rat)
	}
	return n
}
