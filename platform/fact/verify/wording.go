package verify

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// wording looks for causes (V9) and forbidden sentences (V10).
func (j *judge) wording() {
	for i, n := range j.Nodes {
		if n.Sense == lexicon.Cause && !j.supported() {
			j.find(V9, Ask, n.Start, n.End, "", say("cause"))
		}
		for _, f := range j.profile.Forbid {
			if why := j.forbidden(i, f); why.found() {
				j.forbid(i, why)
			}
		}
	}
}

// supported reports whether a stated cause rests on a quotation or on a relation
// the profile allows.
func (j *judge) supported() bool {
	for _, t := range j.cited {
		if j.fact[t].Kind == fact.Quoted {
			return true
		}
	}
	for _, c := range j.profile.Causes {
		if j.mentioned(c.Dimension, c.ID) && j.mentioned(c.OfDimension, c.OfID) {
			return true
		}
	}
	return false
}

func (j *judge) forbid(i int, why remark) {
	switch j.profile.Forbidding {
	case Blocks:
		j.block(V10, i, why)
	case Asks:
		j.find(V10, Ask, j.Nodes[i].Start, j.Nodes[i].End, "", why)
	}
}

func (j *judge) forbidden(i int, f Forbidden) remark {
	n := j.Nodes[i]
	switch f.Kind {
	case Recommendation:
		if n.Sense == lexicon.Advice && !j.registered() {
			return say("recommends")
		}
	case Forecast:
		if j.beyond(i) {
			return say("forecast")
		}
	case Naming:
		if n.Sense == lexicon.Honorific && j.capital(i+1) {
			return say("names_person")
		}
		for _, w := range f.Words {
			if j.startsWith(i, w) {
				return say("names_community")
			}
		}
	}
	return remark{}
}

// registered reports whether the sentence repeats a phrase of the registry.
func (j *judge) registered() bool {
	text := lexicon.Fold(j.doc.Parts[j.part].Text[j.Start:j.End])
	for _, r := range j.profile.Registry {
		if r != "" && strings.Contains(text, lexicon.Fold(r)) {
			return true
		}
	}
	return false
}

// beyond reports whether a node leads past the final year.
func (j *judge) beyond(i int) bool {
	n, last := j.Nodes[i], j.profile.FinalYear
	if last == 0 {
		return false
	}
	if n.Kind == prose.Number && len(n.Text) == 4 && n.Text > strconv.Itoa(last) && n.Text < "2200" {
		return true
	}
	if n.Kind == prose.Year && n.Arg > last {
		return true
	}
	if n.Sense != lexicon.Beyond {
		return false
	}
	for _, k := range []int{i - 1, i + 1, i + 2} {
		if k >= 0 && k < len(j.Nodes) && j.Nodes[k].Kind == prose.Year && j.Nodes[k].Arg >= last && (k > i || j.Hindi) {
			return true
		}
	}
	return false
}

func (j *judge) capital(i int) bool {
	for ; i < len(j.Nodes) && j.Nodes[i].Kind == prose.Punct; i++ {
	}
	if i >= len(j.Nodes) {
		return false
	}
	for _, c := range j.doc.Parts[j.part].Text[j.Nodes[i].Start:j.Nodes[i].End] {
		return unicode.IsUpper(c) || unicode.Is(unicode.Devanagari, c)
	}
	return false
}

// startsWith reports whether the words of a name stand at node i.
func (j *judge) startsWith(i int, name string) bool {
	name = lexicon.Fold(name)
	start := j.Nodes[i].Start
	end := min(j.End, start+4*len(name)+8) // folding shortens, at most to a quarter
	text := lexicon.Fold(j.doc.Parts[j.part].Text[start:end])
	if name == "" || !strings.HasPrefix(text, name) {
		return false
	}
	for _, c := range text[len(name):] {
		return !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsNumber(c)
	}
	return true
}

// mentions remembers who is named, for V6.
func (j *judge) mentions() {
	for _, n := range j.Nodes {
		if n.Kind == prose.Mention {
			j.name(n.Dim, n.ID)
		}
	}
}

func (c *check) name(dim, id string) {
	if c.named[dim] == nil {
		c.named[dim] = map[string]bool{}
	}
	c.named[dim][id] = true
}

// complete is V6: everything the profile asks for is named somewhere.
func (c *check) complete() {
	if c.profile.Completeness == Ignores || len(c.doc.Parts) == 0 {
		return
	}
	severity := Block
	if c.profile.Completeness == Asks {
		severity = Ask
	}
	last := len(c.doc.Parts) - 1
	end := len(c.doc.Parts[last].Text)
	for _, m := range c.profile.Must {
		ids := m.IDs
		if len(ids) == 0 {
			ids = c.ids(m.Dimension)
		}
		for _, id := range ids {
			if !c.named[m.Dimension][id] && !slices.Contains(m.Waived, id) {
				c.find(last, V6, severity, end, end, "", say("unmentioned", "dim", m.Dimension, "one", id))
			}
		}
	}
}
