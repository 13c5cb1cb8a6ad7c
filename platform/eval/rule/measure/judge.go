package measure

import (
	"slices"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// A Judgement of two answers by a judge that was asked twice, once in each order.
type Judgement string

// The judgements.
const (
	First  Judgement = "first"
	Second Judgement = "second"
	Tie    Judgement = "tie"
)

// Pairwise is what a judge says of two answers: who won while standing in either place. A
// judge who goes by the place has said nothing, which is a tie.
func Pairwise(inOrder, swapped Judgement) Judgement {
	turned := map[Judgement]Judgement{First: Second, Second: First}[swapped]
	if slices.Contains([]Judgement{First, Second}, inOrder) && inOrder == turned {
		return inOrder
	}
	return Tie
}

// What a judge has to show before its marks are.
const (
	Compared = 30  // answers that people have marked too, at least
	Agreed   = 0.6 // quadratic-weighted kappa, at least
)

// marks go from 1 to top.
const top = 5

// An Agreement is how far a judge marks as people do.
type Agreement struct {
	Items int     // that both have marked
	Kappa float64 // quadratic-weighted
	Known bool    // there is a kappa: both have marked something, from 1 to 5
}

// Agree compares the marks of a judge with people's, item by item.
func Agree(judge, people []int) Agreement {
	k, ok := stat.Kappa(judge, people, top)
	return Agreement{len(judge), k, ok}
}

// Trusted reports whether the judge's marks may be shown: it was compared with people often
// enough, and agrees with them.
func (a Agreement) Trusted() bool { return a.Known && a.Items >= Compared && a.Kappa >= Agreed }
