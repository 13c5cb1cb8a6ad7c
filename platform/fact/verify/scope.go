package verify

import (
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// quantifies is the dimension a quantifier speaks of: that of the noun that
// follows it closely.
func (j *judge) quantifies(i int) string {
	if j.Nodes[i].Text == "any" || j.scopes(i) {
		return ""
	}
	for k := i + 1; k < len(j.Nodes) && k <= i+4; k++ {
		n := j.Nodes[k]
		if n.Kind == prose.Noun {
			return n.Dim
		}
		if n.Kind != prose.Word || n.Sense != lexicon.Plain && n.Sense != lexicon.Count && n.Sense != lexicon.Of {
			return ""
		}
	}
	return ""
}

// scopes reports whether a quantifier only says what a superlative compares: "of
// all scenarios, the largest", चारों स्टेशनों में सबसे कम.
func (j *judge) scopes(i int) bool {
	if i > 0 && (j.Nodes[i-1].Sense == lexicon.Of || j.Nodes[i-1].Text == "among" || j.Nodes[i-1].Text == "amongst") {
		return true
	}
	for k := i + 1; j.Hindi && k < len(j.Nodes) && k <= i+4; k++ {
		if s := j.Nodes[k].Sense; s == lexicon.Most || s == lexicon.Least {
			return true
		}
	}
	return j.beforeAll(i) != 0
}

// quantified reports whether the sentence speaks of all members of a dimension.
func (j *judge) quantified(dim string) bool {
	for i, n := range j.Nodes {
		if (n.Sense == lexicon.All || n.Sense == lexicon.Both) && j.quantifies(i) == dim && (i == 0 || j.Nodes[i-1].Sense != lexicon.Not) {
			return true
		}
	}
	return false
}

// universalDim is the dimension over which the sentence generalises, if any.
func (j *judge) universalDim() string {
	for i, n := range j.Nodes {
		if n.Sense == lexicon.All || n.Sense == lexicon.Both {
			if dim := j.quantifies(i); dim != "" && n.Text != "each" && (i == 0 || j.Nodes[i-1].Sense != lexicon.Not) {
				return dim
			}
		}
	}
	return ""
}

// beforeAll is the way of "ahead of all sectors" in Hindi: सभी क्षेत्रों से आगे.
func (j *judge) beforeAll(i int) int {
	if !j.Hindi {
		return 0
	}
	for k := i + 1; k+1 < len(j.Nodes) && k <= i+3; k++ {
		if j.Nodes[k].Text == "से" && j.Nodes[k].Sense == lexicon.Beyond { // से आगे
			return 1
		}
		if j.Nodes[k].Text == "से" {
			return comparing(j.Nodes[k+1].Sense)
		}
	}
	return 0
}

// contested lists the dimensions in which a superlative may compare: the one
// whose noun the sentence uses ("of any scenario"), else that of the subject the
// claim is made of.
func (j *judge) contested(i int, all string) []string {
	for _, n := range j.Nodes {
		if n.Kind == prose.Noun && n.Dim != all {
			return []string{n.Dim}
		}
	}
	before, after := j.mentionsAround(i, all)
	reflexive := i > 0 && (j.Nodes[i-1].Text == "its" || j.Nodes[i-1].Text == "their")
	predicate := len(after) > 0 && after[0] == i+2 && j.Nodes[i+1].Sense == lexicon.Plain && j.Nodes[i].Sense != lexicon.Lead
	switch {
	case len(after) > 0 && (reflexive || predicate):
		return []string{j.Nodes[after[0]].Dim} // "is highest in House View"
	case len(before) > 0 && (j.Hindi && len(after) == 0 || !j.Hindi && j.copula(before[len(before)-1], i)):
		var dims []string
		for _, k := range before {
			dims = append(dims, j.Nodes[k].Dim)
		}
		return dims
	case len(before) > 0 && !j.Hindi:
		return []string{j.Nodes[before[len(before)-1]].Dim}
	case len(after) > 0:
		return []string{j.Nodes[after[len(after)-1]].Dim}
	}
	for k := j.Segments[j.Nodes[i].Seg].From - 1; k >= 0; k-- { // an aside is about what it follows
		if n := j.Nodes[k]; n.Kind == prose.Mention && n.Dim != all && !n.Side {
			return []string{n.Dim}
		}
	}
	return nil
}

// mentionsAround lists the mentions before and after a node in its segment.
func (j *judge) mentionsAround(i int, all string) (before, after []int) {
	own := j.Segments[j.Nodes[i].Seg]
	for k := own.From; k < own.To; k++ {
		switch {
		case j.Nodes[k].Kind != prose.Mention || j.Nodes[k].Dim == all:
		case k < i:
			before = append(before, k)
		default:
			after = append(after, k)
		}
	}
	return before, after
}

// copula reports whether "is" stands between two nodes: "Ukhrul's score is the
// lowest" may compare districts or scores.
func (j *judge) copula(a, b int) bool {
	for k := a + 1; k < b; k++ {
		switch j.Nodes[k].Text {
		case "is", "are", "was", "were", "remains", "remain":
			return true
		}
	}
	return false
}

// inherited looks in the clauses a clause without a verb continues. In English
// the verb came before; in Hindi it comes last. A clause on the way that has a
// word the lexicon does not know ends the search.
func (j *judge) inherited(t int) saying {
	if j.Hindi {
		if s, done := j.walk(t, 1); done {
			return s
		}
	}
	s, done := j.walk(t, -1)
	if done || j.Hindi {
		return s
	}
	s, _ = j.walk(t, 1)
	return s
}

func (j *judge) walk(t, step int) (saying, bool) {
	group := j.Segments[j.Nodes[t].Seg].Group
	for k := j.Nodes[t].Seg + step; k >= 0 && k < len(j.Segments); k += step {
		if !j.sees(group, k) {
			continue
		}
		seg := j.Segments[k]
		if i := j.lastDirection(seg, step); i >= 0 {
			return saying{sense: j.Nodes[i].Sense, node: i, negated: j.negated(i)}, true
		}
		if step > 0 && seg.Strong {
			return saying{}, false
		}
		if step < 0 {
			if w := j.strangeIn(seg); w != "" && j.hasMention(seg) {
				return saying{unknown: w}, true
			}
		}
	}
	return saying{}, false
}

// sees reports whether a segment can be seen from a bracket.
func (j *judge) sees(group, k int) bool {
	for g := group; g >= 0; g = j.Parents[g] {
		if j.Segments[k].Group == g {
			return true
		}
	}
	return false
}

// lastDirection is the plain word of direction of a segment that is nearest to
// where the search comes from, negated ones left aside.
func (j *judge) lastDirection(seg prose.Segment, step int) int {
	best := -1
	for i := seg.From; i < seg.To; i++ {
		s := j.Nodes[i].Sense
		if s != lexicon.Up && s != lexicon.Down && s != lexicon.Change || j.negated(i) {
			continue
		}
		if best >= 0 && (step > 0 || s == lexicon.Change && j.Nodes[best].Sense != lexicon.Change) {
			continue
		}
		best = i
	}
	return best
}

func (j *judge) strangeIn(seg prose.Segment) string {
	for i := seg.From; i < seg.To; i++ {
		if j.strange(i) {
			return j.Nodes[i].Text
		}
	}
	return ""
}

func (j *judge) hasMention(seg prose.Segment) bool {
	for i := seg.From; i < seg.To; i++ {
		if j.Nodes[i].Kind == prose.Mention {
			return true
		}
	}
	return false
}
