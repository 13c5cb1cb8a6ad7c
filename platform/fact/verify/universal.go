package verify

import (
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// universals is V4 for "all", "no" and "only": each must hold for every member
// the book has the measure of.
func (j *judge) universals() {
	for i, n := range j.Nodes {
		switch n.Sense {
		case lexicon.All, lexicon.Both:
			switch dim := j.quantifies(i); {
			case dim == "":
			case i > 0 && j.Nodes[i-1].Sense == lexicon.Not:
				j.notEvery(i, dim)
			default:
				j.every(i, dim)
			}
		case lexicon.Nothing:
			if dim := j.quantifies(i); dim != "" {
				j.none(i, dim)
			}
		case lexicon.Only:
			j.only(i)
		case lexicon.Always:
			j.block(V4, i, say("always", "word", n.Text))
		}
	}
}

// every judges "in all scenarios".
func (j *judge) every(i int, dim string) {
	if want := j.countAfter(i); want > 0 && want != j.members(dim) {
		j.block(V4, i, say("not_so_many", "dim", dim))
		return
	}
	if j.holdsForAll(dim) {
		for _, id := range j.ids(dim) {
			j.name(dim, id)
		}
		return
	}
	j.block(V4, i, say("not_every", "dim", dim))
}

// notEvery judges "not every sector falls": one that does not must be known.
func (j *judge) notEvery(i int, dim string) {
	way, directed := j.wayNear(i)
	for _, t := range j.cited {
		for _, f := range j.everyPeer(j.fact[t], dim) {
			if directed && j.ledger.Movement(f) == ledger.Moved && ledger.Number(f).Sign() != way {
				return
			}
		}
	}
	j.block(V4, i, say("no_exception", "dim", dim))
}

// countAfter is the number in "all three scenarios" or तीनों, 0 where none.
func (j *judge) countAfter(i int) int {
	if j.Nodes[i].Sense == lexicon.Both {
		return 2
	}
	if j.Nodes[i].Arg > 0 {
		return j.Nodes[i].Arg
	}
	for k := i + 1; k < len(j.Nodes) && k <= i+3; k++ {
		if j.Nodes[k].Sense == lexicon.Count {
			return j.Nodes[k].Arg
		}
	}
	return 0
}

// holdsForAll reports whether the facts cited speak of every member: together, as
// one value all share, as one fact for each, or by a direction all have.
func (j *judge) holdsForAll(dim string) bool {
	way, directed := j.sentenceWay()
	covered := map[string]bool{}
	for _, t := range j.cited {
		f := j.fact[t]
		n := j.ledger.About(f, dim)
		switch n.Kind {
		case ledger.Several:
			in := j.ledger.Inputs(f)
			if len(in) > 0 && j.covers(in[0], dim, n.IDs) && (!directed || j.allMove(in, way)) {
				return true
			}
		case ledger.Single:
			covered[n.IDs[0]] = true
			all := j.everyPeer(f, dim)
			if len(all) < 2 {
				continue
			}
			if j.covers(f, dim, keys(covered)) || equalValues(all) || directed && j.allMove(all, way) {
				return true
			}
		}
	}
	return false
}

func keys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// covers reports whether ids hold every member for which the book has f's
// measure.
func (j *judge) covers(f fact.Fact, dim string, ids []string) bool {
	n := 0
	for _, id := range j.ids(dim) {
		if _, ok := j.ledger.Peer(f, dim, id); ok {
			if !slices.Contains(ids, id) {
				return false
			}
			n++
		}
	}
	return n > 1
}

// everyPeer lists f's measure for every member of a dimension.
func (j *judge) everyPeer(f fact.Fact, dim string) []fact.Fact {
	var out []fact.Fact
	for _, id := range j.ids(dim) {
		if p, ok := j.ledger.Peer(f, dim, id); ok {
			out = append(out, p)
		}
	}
	return out
}

func equalValues(facts []fact.Fact) bool {
	for _, f := range facts[1:] {
		if ledger.Number(f).Cmp(ledger.Number(facts[0])) != 0 {
			return false
		}
	}
	return true
}

// allMove reports whether every fact moved one way. Levels have no way of their
// own; their trend is asked.
func (j *judge) allMove(facts []fact.Fact, way int) bool {
	for _, f := range facts {
		sign := ledger.Number(f).Sign()
		if j.ledger.Movement(f) != ledger.Moved {
			s, known := j.ledger.Trend(f)
			if !known {
				continue
			}
			sign = s
		}
		if sign != way {
			return false
		}
	}
	return true
}

// sentenceWay is the direction a sentence speaks of, if it has one.
func (j *judge) sentenceWay() (int, bool) {
	for i, n := range j.Nodes {
		if n.Sense == lexicon.Up || n.Sense == lexicon.Down {
			return saying{sense: n.Sense, negated: j.negated(i)}.way(), true
		}
	}
	return 0, false
}

// none judges "no sector rises": the direction must be nobody's, or that of the
// one left out.
func (j *judge) none(i int, dim string) {
	for k := i + 1; k < len(j.Nodes); k++ {
		if j.Nodes[k].Sense == lexicon.Except {
			j.exclusive(i, dim, j.nextMention(k, dim))
			return
		}
	}
	way := 0
	for k := i + 1; k < len(j.Nodes) && way == 0; k++ {
		way = saying{sense: j.Nodes[k].Sense}.way()
	}
	for _, t := range j.cited {
		all := j.everyPeer(j.fact[t], dim)
		free := way != 0 && len(all) > 1
		for _, f := range all {
			free = free && ledger.Number(f).Sign() != way
		}
		if free && j.ledger.Movement(j.fact[t]) == ledger.Moved {
			return
		}
	}
	j.block(V4, i, say("not_none", "dim", dim))
}

func (j *judge) nextMention(i int, dim string) string {
	for k := i + 1; k < len(j.Nodes); k++ {
		if j.Nodes[k].Kind == prose.Mention && (dim == "" || j.Nodes[k].Dim == dim) {
			return j.Nodes[k].ID
		}
	}
	return ""
}

// only judges "the only sector that rises". Before a number it is no claim: "only
// {{F1}}".
func (j *judge) only(i int) {
	for k := i + 1; k < len(j.Nodes); k++ {
		n := j.Nodes[k]
		if n.Kind == prose.Cited {
			return
		}
		if n.Sense != lexicon.Bound && n.Sense != lexicon.By && n.Sense != lexicon.To && n.Sense != lexicon.Of && n.Text != "a" &&
			n.Text != "at" {
			break
		}
	}
	dim := ""
	for _, n := range j.Nodes {
		if n.Kind == prose.Noun {
			dim = n.Dim
		}
	}
	holder := ""
	for k := i + 1; k < len(j.Nodes) && k <= i+3 && holder == ""; k++ {
		if n := j.Nodes[k]; n.Kind == prose.Mention && (dim == "" || n.Dim == dim) {
			holder, dim = n.ID, n.Dim
		}
	}
	for k := i - 1; k >= 0 && holder == ""; k-- {
		if n := j.Nodes[k]; n.Kind == prose.Mention && !n.Side && (dim == "" || n.Dim == dim) {
			holder, dim = n.ID, n.Dim
		}
	}
	j.exclusive(i, dim, holder)
}

// exclusive requires that one member moves the way the sentence says and no other
// does.
func (j *judge) exclusive(i int, dim, holder string) {
	way, directed := j.wayNear(i)
	for _, t := range j.cited {
		f := j.fact[t]
		n := j.ledger.About(f, dim)
		if holder == "" || !directed || n.Kind != ledger.Single || n.IDs[0] != holder || j.ledger.Movement(f) != ledger.Moved {
			continue
		}
		all := j.everyPeer(f, dim)
		alone := len(all) > 1 && ledger.Number(f).Sign() == way
		for _, p := range all {
			alone = alone && (p.ID == f.ID || ledger.Number(p).Sign() != way)
		}
		if alone {
			return
		}
	}
	j.block(V4, i, say("not_only", "dim", unitWord(dim)))
}

// wayNear is the direction said closest after a word, else before it.
func (j *judge) wayNear(i int) (int, bool) {
	for k := i + 1; k < len(j.Nodes); k++ {
		if w := (saying{sense: j.Nodes[k].Sense}).way(); w != 0 {
			return w, true
		}
	}
	return j.sentenceWay()
}
