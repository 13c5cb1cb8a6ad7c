package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// levelMove judges a level that the words set in motion: "rose to", "down from".
func (j *judge) levelMove(t int) {
	s, claimed := j.motion(t)
	if !claimed {
		return
	}
	f := j.fact[t]
	if s.unknown != "" {
		j.block(V3, t, say("motion_unknown_word", "word", s.unknown, "fact", f.ID))
		return
	}
	j.used[s.node] = true
	want := s.way()
	got, known := j.ledger.Trend(f)
	if from, ok := j.origin(t); ok {
		got, known = ledger.Number(f).Cmp(ledger.Number(j.fact[from])), true
	}
	switch {
	case !known && s.sense != lexicon.Flat:
		j.block(V3, t, say("motion_unshown", "fact", f.ID))
	case known && s.negated && got == -want && want != 0, known && !s.negated && got != want:
		j.block(V3, t, say("motion_contradicted", "word", j.Nodes[s.node].Text, "fact", f.ID))
	}
}

// motion reports whether the words say that a level moved to or from this value.
func (j *judge) motion(t int) (saying, bool) {
	own := j.Segments[j.Nodes[t].Seg]
	b := j.before(t)
	if b < own.From {
		b = -1
	}
	if j.Hindi {
		return j.motionHindi(t, own, b)
	}
	lead := j.preposition(t)
	if b >= 0 && j.Nodes[b].Sense == lexicon.Flat || b > 0 && j.Nodes[b].Text == "at" && j.Nodes[b-1].Sense == lexicon.Flat {
		return saying{sense: lexicon.Flat, node: max(b-1, 0)}, true
	}
	if lead == lexicon.From {
		return j.downFrom(t, b)
	}
	if lead != lexicon.To {
		return saying{}, false
	}
	for i := b - 1; i >= own.From; i-- {
		if s := j.Nodes[i].Sense; s == lexicon.Up || s == lexicon.Down {
			return saying{sense: s, node: i, negated: j.negated(i)}, true
		}
	}
	return j.motionAlone(t, own, b)
}

// motionAlone judges "to {{F1}}" without a word of direction in its segment.
func (j *judge) motionAlone(t int, own prose.Segment, b int) (saying, bool) {
	for i := b - 1; i >= own.From; i-- {
		n := j.Nodes[i]
		switch {
		case n.Kind == prose.Cited && j.preposition(i) == lexicon.From:
		case n.Sense == lexicon.Motion, n.Kind == prose.Cited, n.Sense == lexicon.Bound, n.Sense == lexicon.Together,
			n.Sense == lexicon.Change, n.Sense == lexicon.Side:
			return saying{}, false
		case n.Kind == prose.Word && n.Sense == lexicon.None && !adverb(n.Text):
			return saying{unknown: n.Text, node: i}, true
		}
	}
	s, ok := j.walk(t, -1)
	return s, ok && s.sense != lexicon.Change && s.unknown == ""
}

// downFrom judges "{{F2}}, down from {{F1}}": the number before against this one.
func (j *judge) downFrom(t, b int) (saying, bool) {
	if b < 1 {
		return saying{}, false
	}
	s := j.Nodes[b-1].Sense
	if s != lexicon.Up && s != lexicon.Down {
		return saying{}, false
	}
	prev := -1
	for _, c := range j.cited {
		if c < t {
			prev = c
		}
	}
	if prev < 0 || j.ledger.Movement(j.fact[prev]) != ledger.Level || !fact.SameUnit(j.fact[prev].Unit, j.fact[t].Unit) {
		return saying{}, false
	}
	j.used[b-1] = true
	way := saying{sense: s}.way()
	if ledger.Number(j.fact[prev]).Cmp(ledger.Number(j.fact[t])) != way {
		j.block(V3, t, say("motion_back", "was", j.fact[prev].Display, "word", j.Nodes[b-1].Text, "now", j.fact[t].Display))
	}
	return saying{}, false
}

// origin is the number a movement to this one starts from: the one before it,
// introduced by "from" or, in Hindi, followed by से.
func (j *judge) origin(t int) (int, bool) {
	prev := -1
	for _, c := range j.cited {
		if c < t {
			prev = c
		}
	}
	if prev < 0 || j.ledger.Movement(j.fact[prev]) != ledger.Level || !fact.SameUnit(j.fact[prev].Unit, j.fact[t].Unit) {
		return 0, false
	}
	if j.Hindi {
		return prev, prev+1 < len(j.Nodes) && j.Nodes[prev+1].Text == "से"
	}
	return prev, j.preposition(prev) == lexicon.From
}

// motionHindi: "बढ़कर {{F1}}", "{{F1}} तक गिरा", "{{F1}} पर स्थिर".
func (j *judge) motionHindi(t int, own prose.Segment, b int) (saying, bool) {
	if b >= 0 && (j.Nodes[b].Sense == lexicon.Up || j.Nodes[b].Sense == lexicon.Down) {
		return saying{sense: j.Nodes[b].Sense, node: b, negated: j.negated(b)}, true
	}
	if t+1 >= own.To {
		return saying{}, false
	}
	to := j.Nodes[t+1].Text == "तक"
	for i := t + 1; i < own.To; i++ {
		n := j.Nodes[i]
		if n.Kind == prose.Cited {
			break
		}
		switch {
		case n.Sense == lexicon.Flat:
			return saying{sense: n.Sense, node: i}, true
		case to && (n.Sense == lexicon.Up || n.Sense == lexicon.Down):
			return saying{sense: n.Sense, node: i, negated: j.negated(i)}, true
		case to && n.Kind == prose.Word && n.Sense == lexicon.None:
			return saying{unknown: n.Text, node: i}, true
		}
	}
	return saying{}, false
}

// told judges a movement told by two levels of one thing at two times: a word of
// direction in the sentence must agree with them, and where there is none, no
// word may stand there that the lexicon does not know.
func (j *judge) told() {
	for k := 1; k < len(j.cited); k++ {
		a, b := j.fact[j.cited[k-1]], j.fact[j.cited[k]]
		sign, ok := j.overTime(a, b)
		if !ok {
			continue
		}
		said, agrees := false, false
		for i, n := range j.Nodes {
			if n.Sense == lexicon.Up || n.Sense == lexicon.Down || n.Sense == lexicon.Flat {
				said = true
				agrees = agrees || saying{sense: n.Sense, negated: j.negated(i)}.way() == sign
			}
		}
		t := j.cited[k]
		switch word := j.strangeAnywhere(); {
		case said && !agrees:
			j.block(V3, t, say("motion_path", "was", a.Display, "now", b.Display))
		case !said && word != "" && !j.has(lexicon.Change) && !j.Segments[j.Nodes[t].Seg].Side:
			j.block(V3, t, say("motion_path_word", "one", a.ID, "other", b.ID, "word", word))
		}
	}
}

// overTime is the sign of the later of two levels minus the earlier, if they are
// one measure at two times.
func (j *judge) overTime(a, b fact.Fact) (sign int, ok bool) {
	if j.ledger.Movement(a) != ledger.Level || j.ledger.Movement(b) != ledger.Level || !fact.SameUnit(a.Unit, b.Unit) ||
		len(a.Subject.IDs) != len(b.Subject.IDs) {
		return 0, false
	}
	order := 0
	for id, v := range a.Subject.IDs {
		other := b.Subject.IDs[id]
		switch {
		case v == other:
		case slices.Contains(fact.TimeIDs(), id) && other != "":
			order = strings.Compare(other, v)
		default:
			return 0, false
		}
	}
	return order * ledger.Number(b).Cmp(ledger.Number(a)), order != 0
}

func (j *judge) strangeAnywhere() string {
	for i := range j.Nodes {
		if j.strange(i) {
			return j.Nodes[i].Text
		}
	}
	return ""
}

// dangling judges words of direction that belong to no number: "while Transport
// rises". Where the book holds the change of what the clause names, it must agree
// (V3); a sentence without any number whose claim the book knows nothing of is for
// a person (V9).
func (j *judge) dangling() {
	for i, n := range j.Nodes {
		if n.Sense != lexicon.Up && n.Sense != lexicon.Down || j.used[i] || j.universalDim() != "" || j.has(lexicon.Only) ||
			j.has(lexicon.Except) {
			continue
		}
		said := saying{sense: n.Sense, negated: j.negated(i)}
		known := len(j.cited) > 0 || !j.hasMention(j.Segments[n.Seg])
		for _, ids := range j.namedAround(i) {
			known = known || len(j.ledger.Changes(ids)) > 0
			if j.contradicted(said, ids) {
				j.block(V3, i, say("contradicted", "word", n.Text))
				break
			}
		}
		if !known {
			j.find(V9, Ask, n.Start, n.End, "", say("unshown"))
		}
	}
}

// standing judges a comparing word that belongs to no number and names nobody on
// its other side: "below its usual level", "lower than the day before". What the
// book knows of the level cited must not all say the opposite.
func (j *judge) standing() {
	for i, n := range j.Nodes {
		way := saying{sense: n.Sense, negated: j.negated(i)}.way()
		if n.Sense != lexicon.More && n.Sense != lexicon.Less || j.used[i] || j.otherSide() {
			continue
		}
		t := j.numberOf(i)
		if t < 0 || j.ledger.Movement(j.fact[t]) != ledger.Level || j.tokenBetween(min(i, t), max(i, t)) {
			continue
		}
		agree, known := false, false
		for _, m := range j.ledger.Moves(j.fact[t].ID) {
			if sign, ok := j.ledger.Against(m); ok {
				known = true
				agree = agree || sign == way
			}
		}
		if known && !agree {
			j.block(V3, i, say("contradicted", "word", n.Text))
		}
	}
}

// otherSide reports whether somebody is named on the other side of a comparison.
func (j *judge) otherSide() bool {
	for _, n := range j.Nodes {
		if n.Side {
			return true
		}
	}
	return false
}

// contradicted reports whether the book knows the change of these members and it
// went another way.
func (j *judge) contradicted(said saying, ids map[string]string) bool {
	agree, against := 0, 0
	for _, f := range j.ledger.Changes(ids) {
		sign := ledger.Number(f).Sign()
		if sign == said.way() || said.negated && sign == 0 {
			agree++
		} else {
			against++
		}
	}
	return agree == 0 && against > 0
}

// namedAround lists the members that govern a word, one of each dimension: a list
// of members makes several.
func (j *judge) namedAround(i int) []map[string]string {
	out := []map[string]string{{}}
	for _, d := range j.profile.Dimensions {
		said := j.governing(i, d.Name)
		if len(said) == 0 {
			continue
		}
		if len(said)*len(out) > 64 {
			return nil
		}
		var next []map[string]string
		for _, ids := range out {
			for _, id := range said {
				m := maps.Clone(ids)
				m[d.Name] = id
				next = append(next, m)
			}
		}
		out = next
	}
	return out
}
