package summary

import (
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// Reconcile compares a value that one chart states with the same thing added up from another. They agree if they differ by no
// more than the rounding of every cell explains. The one to cite is the one that is stated: nobody rounded its parts.
func Reconcile(book *fact.Book, stated, computed fact.Fact, decimals int) (use fact.Fact, agree bool) {
	return stated, table.Agree(value(stated), value(computed), decimals, terms(book, computed, 12))
}

// terms is how many cells a fact was computed from.
func terms(book *fact.Book, f fact.Fact, depth int) int {
	if f.Calc == nil || depth == 0 {
		return 1
	}
	n := 0
	for _, r := range f.Calc.Inputs {
		if in, ok := book.At(r); ok {
			n += terms(book, in, depth-1)
		}
	}
	return n
}
