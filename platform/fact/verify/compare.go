package verify

import (
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// comparisons is V3 for two subjects: which is said to be higher, and which is.
func (j *judge) comparisons() {
	done := false
	for _, t := range j.cited {
		if j.ledger.Movement(j.fact[t]) == ledger.Apart {
			j.gap(t)
			done = true
		}
	}
	if !done {
		for i, n := range j.Nodes {
			if comparing(n.Sense) != 0 {
				j.contrast(i)
			}
		}
	}
}

func comparing(s lexicon.Sense) int {
	switch s {
	case lexicon.More, lexicon.Larger:
		return 1
	case lexicon.Less, lexicon.Smaller:
		return -1
	}
	return 0
}

// gap judges a difference between two members: the order in which they are named
// and the comparing word must lead to its sign.
func (j *judge) gap(t int) {
	f := j.fact[t]
	dim, ids := "", []string(nil)
	for _, d := range j.profile.Dimensions {
		if n := j.ledger.About(f, d.Name); n.Kind == ledger.Pair {
			dim, ids = d.Name, n.IDs
		}
	}
	way, word := j.comparative(t)
	sign := ledger.Number(f).Sign()
	if way == 0 {
		if !j.has(lexicon.Change) {
			j.block(V3, t, say("gap_no_word", "fact", f.ID, "one", ids[0], "other", ids[1]))
		}
		return
	}
	first := j.firstNamed(dim, ids)
	if first == "" {
		return // V5 asks for both names
	}
	j.used[word] = true
	want := way * j.context(f, word)
	if first == ids[1] {
		sign = -sign
	}
	switch {
	case sign != want:
		j.block(V3, t, say("gap_contradicted", "fact", f.ID, "value", f.Display, "one", ids[0], "other", ids[1],
			"word", j.Nodes[word].Text))
	case ledger.Number(f).Sign() < 0 && !j.Nodes[t].Token.Abs:
		j.block(V3, t, say("minus_twice", "word", j.Nodes[word].Text, "fact", f.ID))
	}
}

// comparative is the comparing word nearest to a number.
func (j *judge) comparative(t int) (way, node int) {
	best := 1 << 30
	for i, n := range j.Nodes {
		c := comparing(n.Sense)
		if c == 0 {
			continue
		}
		d := i - t
		if d < 0 {
			d = -2 * d
		}
		if n.Sense == lexicon.Larger || n.Sense == lexicon.Smaller {
			d++
		}
		if d < best {
			best, way, node = d, c, i
		}
	}
	if way != 0 && j.negated(node) {
		way = -way
	}
	return way, node
}

// firstNamed is the one of two members that is measured: the first named that is
// not on the other side of the comparison.
func (j *judge) firstNamed(dim string, ids []string) string {
	fallback := ""
	for _, n := range j.Nodes {
		if n.Kind != prose.Mention || n.Dim != dim || n.ID != ids[0] && n.ID != ids[1] {
			continue
		}
		if !n.Side {
			return n.ID
		}
		if fallback == "" { // only the other side is named: the measured one is the other
			fallback = ids[0]
			if n.ID == ids[0] {
				fallback = ids[1]
			}
		}
	}
	return fallback
}

// context is -1 where a comparison is one of reductions, so that "more" means a
// lower value.
func (j *judge) context(f fact.Fact, word int) int {
	base := f
	if in := j.ledger.Inputs(f); f.Calc != nil && f.Calc.Op == fact.Difference && len(in) > 0 && j.ledger.Movement(f) == ledger.Apart {
		base = in[0]
	}
	if j.ledger.Movement(base) != ledger.Moved {
		return 1
	}
	best, sense := 1<<30, lexicon.None
	for i, n := range j.Nodes {
		if n.Sense != lexicon.Up && n.Sense != lexicon.Down || j.negated(i) {
			continue
		}
		d := i - word
		if d < 0 {
			d = -d
		}
		if d < best {
			best, sense = d, n.Sense
		}
	}
	if sense == lexicon.Down {
		return -1
	}
	return 1
}

// contrast judges "higher in A than in B" against the facts of both.
func (j *judge) contrast(i int) {
	for _, d := range j.profile.Dimensions {
		left, right := j.sidesOf(i, d.Name)
		if left == "" || right == "" || left == right {
			continue
		}
		f, g, ok := j.bothOf(d.Name, left, right)
		if !ok {
			continue
		}
		j.used[i] = true
		way := comparing(j.Nodes[i].Sense)
		if j.negated(i) {
			if ledger.Number(f).Cmp(ledger.Number(g)) != way*j.context(f, i) {
				continue
			}
		} else if ledger.Number(f).Cmp(ledger.Number(g)) == way*j.context(f, i) {
			continue
		}
		j.block(V3, i, say("contrast", "word", j.Nodes[i].Text, "one", left, "value", f.Display, "other", right, "others",
			g.Display))
		return
	}
}

// sidesOf are the members of a dimension on the two sides of a comparing word.
func (j *judge) sidesOf(i int, dim string) (left, right string) {
	best := 1 << 30
	for k, n := range j.Nodes {
		if n.Kind != prose.Mention || n.Dim != dim {
			continue
		}
		if n.Side {
			if right == "" {
				right = n.ID
			}
			continue
		}
		d := k - i
		if d < 0 {
			d = -d
		}
		if d < best {
			best, left = d, n.ID
		}
	}
	return left, right
}

// bothOf finds the same measure of two members, starting from a cited fact of
// one of them.
func (j *judge) bothOf(dim, left, right string) (f, g fact.Fact, ok bool) {
	for _, t := range j.cited {
		x := j.fact[t]
		n := j.ledger.About(x, dim)
		if n.Kind != ledger.Single {
			continue
		}
		switch n.IDs[0] {
		case left:
			if p, ok := j.ledger.Peer(x, dim, right); ok {
				return x, p, true
			}
		case right:
			if p, ok := j.ledger.Peer(x, dim, left); ok {
				return p, x, true
			}
		}
	}
	return fact.Fact{}, fact.Fact{}, false
}
