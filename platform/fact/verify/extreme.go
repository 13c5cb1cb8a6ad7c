package verify

import (
	"math/big"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// A claim is a superlative: who is said to hold which place in what order.
type claim struct {
	node  int
	least bool
	place int      // 1 is first
	among bool     // near the first, not first
	next  bool     // right after the first: "the next largest"
	dims  []string // in which of these it compares; none where the sentence does not say
	verb  bool     // it says of a movement that it went furthest: "more than any other"
	all   string   // a dimension over which the claim is made for every member
}

// extremes is V4 for superlatives: each must rest on a comparison in the book (a
// rank, a minimum, a maximum, a share) that has this outcome.
func (j *judge) extremes() {
	for i, n := range j.Nodes {
		c := claim{node: i, place: 1}
		switch n.Sense {
		case lexicon.Most:
		case lexicon.Least:
			c.least = true
		case lexicon.Among:
			c.among = true
		case lexicon.Lead:
			if c.place = n.Arg; n.Arg < 0 {
				c.least, c.place = true, 1
			}
		case lexicon.Majority:
			j.majority(i)
			continue
		case lexicon.All:
			way := j.beforeAll(i)
			if way == 0 {
				continue
			}
			c.least = way < 0
		default:
			continue
		}
		if k := j.previousWord(i); k >= 0 && j.Nodes[k].Sense == lexicon.Ordinal && n.Sense != lexicon.Lead {
			c.place = j.Nodes[k].Arg
		} else if k >= 0 && j.Nodes[k].Text == "next" {
			c.next = true
		}
		c.all = j.universalDim()
		c.dims = j.contested(i, c.all)
		c.verb = n.Sense == lexicon.Lead && n.Text == "more"
		j.extreme(c)
	}
}

func (j *judge) previousWord(i int) int {
	for k := i - 1; k >= 0 && k >= i-2; k-- {
		if j.Nodes[k].Kind != prose.Punct {
			return k
		}
	}
	return -1
}

// extreme judges one claim.
func (j *judge) extreme(c claim) {
	facts := j.holders(c)
	if len(facts) == 0 {
		j.block(V4, c.node, say("extreme_uncited", "word", j.Nodes[c.node].Text))
		return
	}
	for _, f := range facts {
		set := j.field(f, c)
		if set == nil {
			j.block(V4, c.node, say("extreme_unranked", "fact", f.ID))
			return
		}
		if why := j.outcome(f, set, c); why.found() {
			j.block(V4, c.node, why)
			return
		}
	}
}

// holders are the facts a superlative is said of: that of the number it belongs
// to, or, for a number over several members, those it was computed from.
func (j *judge) holders(c claim) []fact.Fact {
	t := j.numberOf(c.node)
	if t < 0 {
		return nil
	}
	f := j.fact[t]
	if m, ok := j.movedBy(f); ok && c.verb {
		f = m
	}
	for range ledger.MaxDepth {
		in := j.ledger.Inputs(f)
		if f.Calc != nil && len(in) > 0 && (f.Calc.Op == fact.Min || f.Calc.Op == fact.Max || f.Calc.Op == fact.Mean) {
			if c.all != "" && j.ledger.About(f, c.all).Kind == ledger.Several {
				return in
			}
			for _, x := range in { // an extreme says itself who holds it
				if x.Value == f.Value && f.Calc.Op != fact.Mean {
					f = x
				}
			}
		}
		if j.ledger.Sets(f.ID) != nil || len(in) == 0 {
			break
		}
		f = in[0]
	}
	if c.all == "" || f.Subject.IDs[c.all] == "" {
		return []fact.Fact{f}
	}
	var out []fact.Fact
	for _, id := range j.ids(c.all) {
		if p, ok := j.ledger.Peer(f, c.all, id); ok {
			out = append(out, p)
		}
	}
	return out
}

// numberOf is the number a superlative belongs to: the nearest with no strong
// clause mark between, else the nearest.
func (j *judge) numberOf(i int) int {
	best, at := 1<<30, -1
	for _, t := range j.cited {
		d := t - i
		if d < 0 {
			d = -2 * d
		}
		for s := min(j.Nodes[i].Seg, j.Nodes[t].Seg) + 1; s <= max(j.Nodes[i].Seg, j.Nodes[t].Seg); s++ {
			if j.Segments[s].Strong {
				d += 1000
			}
		}
		if d < best {
			best, at = d, t
		}
	}
	return at
}

// movedBy is the change that ends or starts at a level, where the sentence tells
// of a movement.
func (j *judge) movedBy(f fact.Fact) (fact.Fact, bool) {
	if _, directed := j.sentenceWay(); !directed || j.ledger.Movement(f) != ledger.Level {
		return fact.Fact{}, false
	}
	for _, m := range j.ledger.Moves(f.ID) {
		if m.Calc.Op == fact.Difference && j.ledger.Movement(m) == ledger.Moved {
			return m, true
		}
	}
	return f, true // no change is known: nothing can be compared
}

// field is the comparison a claim is about. Where the sentence says in which
// dimension it compares, only a comparison in that dimension will do, unless the
// book has this measure for nobody else there.
func (j *judge) field(f fact.Fact, c claim) []fact.Fact {
	if c.verb && j.ledger.Movement(f) == ledger.Level {
		return nil
	}
	var other []fact.Fact
	contest := len(c.dims) == 0
	for _, set := range j.ledger.Sets(f.ID) {
		for _, d := range c.dims {
			if j.varies(set, d) {
				return set
			}
		}
		if c.all == "" || !j.varies(set, c.all) {
			other = set
		}
	}
	for _, d := range c.dims {
		contest = contest || len(j.everyPeer(f, d)) > 1
	}
	if contest && len(c.dims) > 0 {
		return nil
	}
	return other
}

func (j *judge) varies(set []fact.Fact, dim string) bool {
	for _, x := range set[1:] {
		if x.Subject.IDs[dim] != set[0].Subject.IDs[dim] {
			return true
		}
	}
	return false
}

// outcome says what is wrong with a claim, given the field.
func (j *judge) outcome(f fact.Fact, set []fact.Fact, c claim) remark {
	key := j.order(f, c.node)
	mine, above, equal := key(f), 0, 0
	for _, x := range set {
		if x.ID == f.ID {
			continue
		}
		cmp := key(x).Cmp(mine)
		if c.least {
			if key(x).Sign() < 0 && mine.Sign() >= 0 {
				continue // a rise is no small reduction
			}
			cmp = -cmp
		}
		switch {
		case cmp > 0:
			above++
		case cmp == 0:
			equal++
		}
	}
	word := j.Nodes[c.node].Text
	switch {
	case c.among:
		if above >= 3 || 2*above >= len(set) {
			return say("extreme_not", "word", word)
		}
	case c.next && above == 1:
	case above != c.place-1 || c.next:
		return say("extreme_place", "word", word, "value", f.Display)
	case equal > 0 && !j.has(lexicon.Tie) && !j.has(lexicon.Both):
		return say("extreme_shared", "word", word)
	case equal == 0 && j.saysTie():
		return say("extreme_no_tie")
	}
	return remark{}
}

func (j *judge) saysTie() bool {
	for _, n := range j.Nodes {
		switch n.Text {
		case "tie", "tied", "joint", "jointly", "share", "shares":
			if n.Sense == lexicon.Tie {
				return true
			}
		}
	}
	return false
}

// order is what "largest" means here: the value of a level; of a change, its size
// in the direction the sentence speaks of.
func (j *judge) order(f fact.Fact, node int) func(fact.Fact) *big.Rat {
	if j.ledger.Movement(f) != ledger.Moved {
		return ledger.Number
	}
	way := 0
	best := 1 << 30
	for i, n := range j.Nodes {
		if n.Sense != lexicon.Up && n.Sense != lexicon.Down || j.negated(i) {
			continue
		}
		d := i - node
		if d < 0 {
			d = -2 * d
		}
		if n.Seg != j.Nodes[node].Seg {
			d += 100
		}
		if d < best {
			best, way = d, saying{sense: n.Sense}.way()
		}
	}
	switch way {
	case 1:
		return ledger.Number
	case -1:
		return func(f fact.Fact) *big.Rat { return new(big.Rat).Neg(ledger.Number(f)) }
	}
	return func(f fact.Fact) *big.Rat { return new(big.Rat).Abs(ledger.Number(f)) }
}

// majority judges "most of": a share above half must be cited.
func (j *judge) majority(i int) {
	for _, t := range j.cited {
		f := j.fact[t]
		if f.Calc != nil && (f.Calc.Op == fact.Share || f.Calc.Op == fact.Percentage) && f.Unit == fact.Percent && ledger.Number(f).
			Cmp(big.NewRat(50, 1)) > 0 {
			return
		}
	}
	j.block(V4, i, say("majority", "word", j.Nodes[i].Text))
}
