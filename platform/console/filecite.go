package console

import (
	"regexp"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/web"
)

// A citation is a part of a note: plain words, a number that is a fact, or the
// name of something that the file holds.
type citation struct {
	text string
	href string // where it leads; empty for plain words
	kind string // chip for a name; the class of a fact for a number
}

var nameForm = regexp.MustCompile(`\b(?:E[1-9][0-9]{0,4}|F[1-9][0-9]{0,8}|P-[1-9][0-9]{0,17})\b`)

// spans takes a note apart. A token of a fact becomes its number; the name of a
// piece, a fact or a proposal leads there. What names nothing stays as it is.
func (f caseFile) spans(p *web.Page, text string) []citation {
	var all []citation
	for _, piece := range render.Parse(text) {
		if piece.Kind == render.Fact {
			if one, ok := f.ground.facts[piece.Token.ID]; ok {
				all = append(all, citation{text: fact.Style{}.Show(one, piece.Token.Options), href: "#" + string(one.ID),
					kind: factClass(one)})
				continue
			}
		}
		all = append(all, f.named(p, piece.Text)...)
	}
	return all
}

// named finds names in plain words.
func (f caseFile) named(p *web.Page, text string) []citation {
	var all []citation
	from := 0
	for _, at := range nameForm.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		href := f.placeOf(p, name)
		if href == "" {
			continue
		}
		if at[0] > from {
			all = append(all, citation{text: text[from:at[0]]})
		}
		all = append(all, citation{text: name, href: href, kind: "chip"})
		from = at[1]
	}
	if from < len(text) {
		all = append(all, citation{text: text[from:]})
	}
	return all
}

// placeOf is where a name leads: a place on this page, or a proposal's. Empty for
// a word that only looks like a name.
func (f caseFile) placeOf(p *web.Page, name string) string {
	switch {
	case f.ground.has(name):
		return "#" + name
	case name[0] == 'P' && p.May("proposal.read"):
		return web.ProposalPath(name, "")
	}
	return ""
}

// factClass is the class by which a fact's underline tells its kind.
func factClass(f fact.Fact) string {
	if f.Kind == fact.Observed {
		return "fact"
	}
	return "fact " + string(f.Kind)
}
