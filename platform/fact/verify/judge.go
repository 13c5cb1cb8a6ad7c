package verify

import (
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// A judge looks at one sentence.
type judge struct {
	*check
	*prose.Sentence
	part    int
	cited   []int             // nodes that cite a fact that was found
	fact    map[int]fact.Fact // by node
	aligned map[int]map[string]string
	used    map[int]bool // direction words that belong to a number
}

func (j *judge) find(rule Rule, severity Severity, start, end int, id fact.ID, why remark) {
	j.check.find(j.part, rule, severity, start, end, id, why)
}

// block is a finding at a node that stops the draft.
func (j *judge) block(rule Rule, node int, why remark) {
	n := j.Nodes[node]
	id := fact.ID("")
	if n.Kind == prose.Cited {
		id = n.Token.ID
	}
	j.find(rule, Block, n.Start, n.End, id, why)
}

// facts finds the fact of every token (V1) and remembers how it is shown (V8).
func (j *judge) facts() {
	j.fact, j.used = map[int]fact.Fact{}, map[int]bool{}
	j.particles()
	for i, n := range j.Nodes {
		switch n.Kind {
		case prose.Broken:
			j.block(V1, i, say("token_form"))
		case prose.Cited:
			j.tokens++
			j.token(i, n)
		}
	}
}

// particles takes the direction from "up" and "down" after a verb the lexicon does
// not know: what dries up does not rise.
func (j *judge) particles() {
	for i := 1; i < len(j.Nodes); i++ {
		if n := &j.Nodes[i]; (n.Text == "up" || n.Text == "down") && n.Sense != lexicon.None && n.Sense != lexicon.Bound && j.strange(i-1) {
			n.Sense = lexicon.None
		}
	}
}

func (j *judge) token(i int, n prose.Node) {
	f, ok := j.ledger.Book().Latest(n.Token.ID)
	if !ok {
		j.block(V1, i, say("no_fact", "fact", n.Token.ID))
		return
	}
	if j.doc.Pins != nil {
		version, pinned := j.doc.Pins[n.Token.ID]
		at, exists := j.ledger.Book().At(fact.Ref{ID: n.Token.ID, Version: version})
		switch {
		case !pinned:
			j.block(V1, i, say("no_version", "fact", n.Token.ID))
			return
		case !exists:
			j.block(V1, i, say("version_missing", "version", version, "fact", n.Token.ID))
			return
		case version != f.Version:
			j.block(V1, i, say("changed", "fact", n.Token.ID, "version", version, "was", at.Display, "newest", f.Version, "now", f.Display))
		}
	}
	if old, fresh := j.ledger.Fresh(f.Ref()); !fresh {
		j.block(V1, i, say("input_old", "fact", n.Token.ID, "input", old))
	}
	if missing := len(j.ledger.Inputs(f)); f.Calc != nil && missing != len(f.Calc.Inputs) {
		j.block(V1, i, say("input_missing", "fact", n.Token.ID))
	}
	j.cited = append(j.cited, i)
	j.fact[i] = f
	j.display(i, n, f)
}

// display refuses a fact shown with different digits in two places (V8).
func (j *judge) display(i int, n prose.Node, f fact.Fact) {
	o := n.Token.Options
	o.Abs, o.NoUnit = true, true
	shown := fact.Style{}.Show(f, o)
	if before, seen := j.shown[f.ID]; seen && before != shown {
		j.block(V8, i, say("shown_twice", "fact", f.ID, "here", shown, "before", before))
		return
	}
	j.shown[f.ID] = shown
}

// numbers refuses typed numbers, in digits or words (V2), and references to
// figures that do not exist (V7).
func (j *judge) numbers() {
	for i, n := range j.Nodes {
		switch {
		case n.Kind == prose.Number:
			j.block(V2, i, say("typed"))
		case n.Kind == prose.Figure && !j.figures[n.Text]:
			j.block(V7, i, say("no_figure"))
		case n.Sense == lexicon.Count && !j.counts(i):
			j.block(V2, i, say("typed_words"))
		case n.Sense == lexicon.Zero && !j.zeroLine(i):
			j.block(V2, i, say("typed_zero"))
		case n.Kind == prose.Punct && n.Text == "&" && j.reference(i):
			j.block(V2, i, say("character_reference"))
		}
	}
}

// counts reports whether a number word counts the members of a dimension, "the
// three scenarios", and there are that many or more.
func (j *judge) counts(i int) bool {
	n := j.Nodes[i]
	for k := i + 1; k < len(j.Nodes) && k <= i+3; k++ {
		m := j.Nodes[k]
		if m.Kind == prose.Noun {
			return n.Arg >= 2 && n.Arg <= j.members(m.Dim)
		}
		if m.Kind != prose.Word || m.HasUnit {
			break
		}
	}
	// "million" in "{{F1|nounit}} million tonnes" is part of a unit.
	return i > 0 && n.HasUnit && n.UnitEnd > n.End && j.Nodes[i-1].Kind == prose.Cited
}

func (c *check) members(dim string) int { return len(c.ids(dim)) }

// ids lists the members of a dimension.
func (c *check) ids(dim string) []string {
	for _, d := range c.profile.Dimensions {
		if d.Name == dim {
			out := make([]string, len(d.Members))
			for i, m := range d.Members {
				out[i] = m.ID
			}
			return out
		}
	}
	return nil
}

// zeroLine reports whether zero is spoken of as a line to cross: net zero, below
// zero, शून्य तक.
func (j *judge) zeroLine(i int) bool {
	if i > 0 {
		switch j.Nodes[i-1].Text {
		case "net", "below", "above", "near", "to", "reach", "reaches", "reached", "-", "शुद्ध", "नेट":
			return true
		}
	}
	return i+1 < len(j.Nodes) && (j.Nodes[i+1].Text == "तक" || j.Nodes[i+1].Text == "से")
}

// reference reports whether an HTML character reference starts here.
func (j *judge) reference(i int) bool {
	if i+2 >= len(j.Nodes) || j.Nodes[i].End != j.Nodes[i+1].Start {
		return false
	}
	for k := i + 1; k < len(j.Nodes) && k < i+4; k++ {
		if j.Nodes[k].Text == ";" {
			return true
		}
	}
	return false
}

// before is the last node before i that is not a word like "about" or "only".
func (j *judge) before(i int) int {
	for k := i - 1; k >= 0; k-- {
		switch j.Nodes[k].Sense {
		case lexicon.Bound, lexicon.Only:
			continue
		}
		if t := j.Nodes[k].Text; j.Nodes[k].Kind == prose.Word && (t == "a" || t == "the" || t == "an" || t == "further" || t == "still") {
			continue
		}
		return k
	}
	return -1
}
