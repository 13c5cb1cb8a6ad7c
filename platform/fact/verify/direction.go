package verify

import (
	"math/big"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// directions is V3: what the words say of a number's direction agrees with its
// sign. A change must be said to rise, fall or change by a word the lexicon
// knows; a word it does not know is refused, because it may say the opposite.
func (j *judge) directions() {
	for _, t := range j.cited {
		switch j.ledger.Movement(j.fact[t]) {
		case ledger.Moved:
			j.change(t)
		case ledger.Level:
			j.levelMove(t)
		}
	}
}

// A saying is what the words around a number say of its direction.
type saying struct {
	sense   lexicon.Sense // Up, Down, Flat, Change, or None
	node    int
	negated bool
	direct  bool   // the word stands right before the number or its "by" or "of"
	unknown string // a word in the place of a direction that the lexicon does not know
}

func (s saying) way() int {
	d := 0
	switch s.sense {
	case lexicon.Up, lexicon.More:
		d = 1
	case lexicon.Down, lexicon.Less:
		d = -1
	}
	if s.negated {
		return -d
	}
	return d
}

// change judges a signed number.
func (j *judge) change(t int) {
	f, n := j.fact[t], j.Nodes[t]
	sign := ledger.Number(f).Sign()
	s := j.said(t)
	if s.sense != lexicon.None {
		j.used[s.node] = true
	}
	word := ""
	if s.sense != lexicon.None {
		word = j.Nodes[s.node].Text
	}
	hides := n.Token.Abs && sign < 0
	switch {
	case s.unknown != "":
		j.block(V3, t, say("change_unknown_word", "fact", f.ID, "value", f.Display, "word", s.unknown))
	case s.sense == lexicon.None && (hides || sign >= 0 || j.preposition(t) == lexicon.By):
		j.block(V3, t, say("change_no_word", "fact", f.ID, "value", f.Display))
	case s.sense == lexicon.Change && hides:
		j.block(V3, t, say("change_hidden", "fact", f.ID, "value", f.Display))
	case s.sense == lexicon.Flat && sign != 0 && !s.negated:
		j.block(V3, t, say("change_flat", "fact", f.ID, "value", f.Display))
	case s.way() != 0 && s.negated && s.way() == -sign, s.way() != 0 && !s.negated && s.way() != sign:
		j.block(V3, t, say("change_contradicted", "fact", f.ID, "value", f.Display, "word", word))
	case j.turned(t, s.way()):
		j.block(V3, t, say("change_turned", "word", word, "other", j.Nodes[t+1].Text, "fact", f.ID))
	case s.way() < 0 && !n.Token.Abs && s.direct && !s.negated:
		j.block(V3, t, say("minus_twice", "word", word, "fact", f.ID))
	}
	j.bound(t)
}

// turned reports whether the word right after a number turns round what another
// word said of it: "bucks the decline with {{F1}} more".
func (j *judge) turned(t, way int) bool {
	if t+1 >= len(j.Nodes) || way == 0 {
		return false
	}
	after := saying{sense: j.Nodes[t+1].Sense}.way()
	return after == -way
}

// bound judges "by more than {{F1|0}}": the value must lie on that side of what
// is shown.
func (j *judge) bound(t int) {
	if t < 2 || j.Nodes[t-1].Sense != lexicon.Bound || j.Nodes[t-2].Sense != lexicon.By && j.Nodes[t-2].Sense != lexicon.Of {
		return
	}
	f, n := j.fact[t], j.Nodes[t]
	decimals := f.Rounding.Decimals
	if n.Token.Set {
		decimals = n.Token.Decimals
	}
	exact := new(big.Rat).Abs(ledger.Number(f))
	side := exact.Cmp(fact.RoundAt(exact, decimals))
	switch word := j.Nodes[t-1]; {
	case side < 0 && word.Arg > 0, side > 0 && word.Arg < 0:
		j.block(V3, t, say("bound", "fact", f.ID, "value", f.Value, "word", word.Text))
	}
}

// said finds the word that gives a number its direction: in its own clause, else,
// where that clause has no verb of its own, in the clause it continues.
func (j *judge) said(t int) saying {
	own := j.Segments[j.Nodes[t].Seg]
	if s, ok := j.near(t, own); ok {
		return s
	}
	if word := j.strangeWord(t, own); word != "" {
		return saying{unknown: word}
	}
	return j.inherited(t)
}

// rankOf orders the words that can give direction: plain ones before comparing
// ones before those that only name a change.
func rankOf(s lexicon.Sense) int {
	switch s {
	case lexicon.Up, lexicon.Down, lexicon.Flat:
		return 1
	case lexicon.More, lexicon.Less:
		return 2
	case lexicon.Change:
		return 3
	}
	return 0
}

// near is the best word of direction in the number's own segment. Words before
// the number come first in English, words after it in Hindi; a word right beside
// it wins.
func (j *judge) near(t int, own prose.Segment) (saying, bool) {
	best, score := -1, 1<<30
	for i := own.From; i < own.To; i++ {
		r := rankOf(j.Nodes[i].Sense)
		if r == 0 || r == 2 && i < t && !j.comparesBy(i, t) {
			continue
		}
		d := i - t
		far := d < 0 == j.Hindi
		if d < 0 {
			d = -d
		}
		if j.tokenBetween(min(i, t), max(i, t)) {
			d += 50
		}
		if far && d > 2 {
			d += 20
		}
		if s := r*200 + d; s < score {
			best, score = i, s
		}
	}
	if best < 0 {
		return saying{}, false
	}
	return saying{sense: j.Nodes[best].Sense, node: best, negated: j.negated(best), direct: j.direct(best, t)}, true
}

func (j *judge) tokenBetween(a, b int) bool {
	for k := a + 1; k < b; k++ {
		if j.Nodes[k].Kind == prose.Cited {
			return true
		}
	}
	return false
}

// comparesBy reports whether a comparing word before the number governs it:
// "lower by {{F1}}".
func (j *judge) comparesBy(i, t int) bool {
	b := j.before(t)
	return b == i || b > i && j.Nodes[b].Sense == lexicon.By
}

// direct reports whether the word at i leads straight to the number.
func (j *judge) direct(i, t int) bool {
	if i > t {
		return i-t <= 2
	}
	b := j.before(t)
	if b == i {
		return true
	}
	return b > i && (j.Nodes[b].Sense == lexicon.By || j.Nodes[b].Sense == lexicon.Of)
}

// preposition is the sense of the word that leads to the number.
func (j *judge) preposition(t int) lexicon.Sense {
	b := j.before(t)
	if b < 0 || j.Nodes[b].Seg != j.Nodes[t].Seg && j.Nodes[b].Kind == prose.Punct {
		return lexicon.None
	}
	return j.Nodes[b].Sense
}

// negated reports whether the word at i is denied: by a word shortly before it in
// its segment, or in Hindi shortly after it.
func (j *judge) negated(i int) bool {
	seg := j.Segments[j.Nodes[i].Seg]
	for k := i - 1; k >= seg.From && k >= i-5; k-- {
		n := j.Nodes[k]
		if n.Sense == lexicon.Not || n.Sense == lexicon.Nothing || strings.HasPrefix(n.Text, "avoid") {
			return true // what avoids a fall does not fall
		}
		if n.Kind == prose.Cited || rankOf(n.Sense) == 1 {
			break
		}
	}
	for k := i + 1; k < seg.To && k <= i+3; k++ {
		if j.Nodes[k].Sense == lexicon.NotBefore {
			return true
		}
	}
	return false
}

// strangeWord is the word that stands where a direction should and is not in the
// lexicon: to the left of the number in English, to the right in Hindi.
func (j *judge) strangeWord(t int, own prose.Segment) string {
	if next := t + 1; !j.Hindi && next < own.To && j.strange(next) {
		return j.Nodes[next].Text // "{{F1}} richer"
	}
	step, end := -1, own.From-1
	if j.Hindi {
		step, end = 1, own.To
	}
	for i := t + step; i != end; i += step {
		n := j.Nodes[i]
		if n.Kind == prose.Cited {
			return ""
		}
		if j.strange(i) {
			return n.Text
		}
	}
	return ""
}

// strange reports whether the lexicon does not know a word that is no unit.
func (j *judge) strange(i int) bool {
	n := j.Nodes[i]
	return n.Kind == prose.Word && n.Sense == lexicon.None && !n.HasUnit && !adverb(n.Text) && !j.insideUnit(i)
}

// insideUnit reports whether a word is part of a unit's name: the CO2 of "million
// tonnes of CO2-e".
func (j *judge) insideUnit(i int) bool {
	for k := i - 1; k >= 0 && k >= i-6; k-- {
		if j.Nodes[k].HasUnit && j.Nodes[k].UnitEnd >= j.Nodes[i].End {
			return true
		}
	}
	return false
}

// adverb reports whether a word only colours a verb.
func adverb(w string) bool {
	return len(w) > 4 && w[len(w)-2:] == "ly"
}
