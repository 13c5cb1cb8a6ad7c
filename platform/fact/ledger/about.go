package ledger

import (
	"maps"
	"math/big"
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Need is what a fact is about in one dimension, and so what a clause that
// cites it has to name.
type Need struct {
	Kind   NeedKind
	IDs    []string
	Winner string // of a minimum or maximum: whose value it is
}

// A NeedKind says how many members a fact is about.
type NeedKind uint8

// The kinds of need.
const (
	Nothing NeedKind = iota
	Single           // one member
	Pair             // the first measured against the second
	Several          // all of them together
)

type needKey struct {
	ref fact.Ref
	dim string
}

// MaxDepth bounds how far a formula is followed.
const MaxDepth = 12

// About is what a fact is about in a dimension. Formulas share their inputs, so
// answers are remembered.
func (l *Ledger) About(f fact.Fact, dim string) Need { return l.about(f, dim, MaxDepth) }

func (l *Ledger) about(f fact.Fact, dim string, depth int) Need {
	key := needKey{f.Ref(), dim}
	n, known := l.needs[key]
	if !known {
		n = l.work(f, dim, depth)
		l.needs[key] = n
	}
	return n
}

func (l *Ledger) work(f fact.Fact, dim string, depth int) Need {
	in := l.Inputs(f)
	if len(in) == 0 || depth == 0 {
		if id := f.Subject.IDs[dim]; id != "" {
			return Need{Kind: Single, IDs: []string{id}}
		}
		return Need{}
	}
	switch f.Calc.Op {
	case fact.Share, fact.Rank, fact.RankLow, fact.Percentage, fact.Ratio, fact.Growth:
		return l.about(in[0], dim, depth-1)
	case fact.Difference:
		a, b := l.about(in[0], dim, depth-1), l.about(in[len(in)-1], dim, depth-1)
		if a.Kind == Single && b.Kind == Single && a.IDs[0] != b.IDs[0] {
			return Need{Kind: Pair, IDs: []string{a.IDs[0], b.IDs[0]}}
		}
		if a.Kind == Nothing {
			return b
		}
		return a
	}
	return l.together(f, in, dim, depth)
}

// together is what a sum, mean, minimum, maximum or count is about.
func (l *Ledger) together(f fact.Fact, in []fact.Fact, dim string, depth int) Need {
	ids := map[string]bool{}
	winner := ""
	for _, x := range in {
		n := l.about(x, dim, depth-1)
		for _, id := range n.IDs {
			ids[id] = true
		}
		if x.Value == f.Value && n.Kind == Single {
			winner = n.IDs[0]
		}
	}
	list := slices.Sorted(maps.Keys(ids))
	switch len(list) {
	case 0:
		return Need{}
	case 1:
		return Need{Kind: Single, IDs: list}
	}
	n := Need{Kind: Several, IDs: list}
	if f.Calc.Op == fact.Min || f.Calc.Op == fact.Max {
		n.Winner = winner
	}
	return n
}

// A Move says how a fact's sign is to be read.
type Move uint8

// The moves.
const (
	Level Move = iota // no sign to speak of: an amount, a share, a rank
	Moved             // a change: the sign says which way
	Apart             // a difference between two members: the sign says which is greater
)

// Movement is how a fact's sign is to be read.
func (l *Ledger) Movement(f fact.Fact) Move { return l.movement(f, MaxDepth) }

func (l *Ledger) movement(f fact.Fact, depth int) Move {
	if f.Calc == nil || depth == 0 {
		if f.Subject.IDs[fact.ChangeID] != "" {
			return Moved
		}
		return Level
	}
	switch f.Calc.Op {
	case fact.Growth:
		return Moved
	case fact.Share, fact.Rank, fact.RankLow, fact.Count:
		return Level
	case fact.Difference:
		for _, d := range l.dims {
			if l.About(f, d).Kind == Pair {
				return Apart
			}
		}
		return Moved
	}
	in := l.Inputs(f)
	if len(in) == 0 {
		return Level
	}
	if f.Calc.Op == fact.Ratio || f.Calc.Op == fact.Percentage {
		if len(in) < 2 || l.movement(in[1], depth-1) != Level {
			return Level
		}
	}
	return l.movement(in[0], depth-1)
}

// Against is the sign of a measurement of one fact against another: of a
// difference or growth rate its own, of a ratio how it stands to one. Percentages
// and gaps between members say nothing here.
func (l *Ledger) Against(m fact.Fact) (sign int, known bool) {
	switch {
	case m.Calc == nil || l.Movement(m) == Apart:
		return 0, false
	case m.Calc.Op == fact.Ratio:
		return Number(m).Cmp(big.NewRat(1, 1)), true
	case m.Calc.Op == fact.Difference, m.Calc.Op == fact.Growth:
		return Number(m).Sign(), true
	}
	return 0, false
}

// Trend is how a level came to be what it is, as far as facts say: -1, 0 or 1.
// Changes over time speak first; a comparison with a norm only where there is
// none, and only if all such agree.
func (l *Ledger) Trend(f fact.Fact) (sign int, known bool) {
	var norms []int
	for _, m := range l.moves[f.ID] {
		s, ok := l.Against(m)
		if !ok {
			continue
		}
		if m.Calc.Op == fact.Growth || m.Subject.IDs[fact.ChangeID] != "" {
			return s, true
		}
		norms = append(norms, s)
	}
	if len(norms) == 0 || slices.Min(norms) != slices.Max(norms) {
		return 0, false
	}
	return norms[0], true
}
