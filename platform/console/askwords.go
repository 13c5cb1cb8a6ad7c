package console

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/web"
)

// lookWords is a look-up in one line.
func lookWords(p *web.Page, l ask.Look) string {
	return p.T("ask.look."+string(l.Topic), "n", strconv.Itoa(l.Found))
}

// A saying is a piece of a line: words, or a number with its fact.
type saying struct {
	text string
	fact *fact.Fact
}

// sayings is a line in the page's words. A fact that is no longer there leaves
// its number out, and never another in its place.
func sayings(p *web.Page, l ask.Line, facts map[fact.Ref]fact.Fact) []saying {
	byID := map[fact.ID]fact.Fact{}
	for _, ref := range l.Facts {
		if f, ok := facts[ref]; ok {
			byID[ref.ID] = f
		}
	}
	if l.Key == "fact" {
		for _, f := range byID {
			return []saying{{text: subjectWords(p, f.Subject) + ": "}, {text: f.Display, fact: &f}}
		}
	}
	if l.Text == "" {
		return []saying{{text: keyWords(p, l)}}
	}
	var out []saying
	for _, piece := range render.Parse(l.Text) {
		f, ok := byID[piece.Token.ID]
		switch {
		case piece.Kind != render.Fact:
			out = append(out, saying{text: piece.Text})
		case ok:
			shown, err := render.Renderer{Find: func(fact.ID) (fact.Fact, bool) { return f, true }}.Text(piece.Text)
			if err != nil {
				shown = f.Display
			}
			out = append(out, saying{text: shown, fact: &f})
		default:
			out = append(out, saying{text: p.T("ask.gone")})
		}
	}
	return out
}

// keyWords is a sentence of ours.
func keyWords(p *web.Page, l ask.Line) string {
	pairs := []string{"zone", p.Zone()}
	if !l.At.IsZero() {
		pairs = append(pairs, "time", p.Moment(l.At))
	}
	if says := cmp.Or(l.Args[string(p.Lang)], l.Args["en"]); says != "" {
		pairs = append(pairs, "says", says)
	} else {
		pairs = append(pairs, "says", p.Word("proposal.kind.", l.Args["kind"]))
	}
	for k, v := range l.Args {
		switch {
		case k == "state" || k == "status":
			v = p.Word(k+".", v)
		case k == "kind":
			v = p.Word("proposal.kind.", v)
		case k == "for" && l.Key == "state":
			v = p.Word("waiting.", v)
		}
		pairs = append(pairs, k, v)
	}
	key := "ask.say." + l.Key
	if l.Key == "state" && l.Args["for"] == "" || l.Key == "waiting" && l.At.IsZero() {
		key += ".plain"
	}
	return p.T(key, pairs...)
}

// lineWords is a line as plain text.
func lineWords(p *web.Page, l ask.Line, facts map[fact.Ref]fact.Fact) string {
	var out strings.Builder
	for _, s := range sayings(p, l, facts) {
		out.WriteString(s.text)
	}
	return out.String()
}

// lineAddress is where what a line speaks of can be opened; facts are opened by
// their numbers.
func lineAddress(b askBox, l ask.Line) string {
	switch {
	case strings.HasPrefix(l.Link, "P-"):
		return web.ProposalPath(l.Link, "")
	case strings.HasPrefix(l.Link, "E"):
		return caseAddress(b.ID, "#"+l.Link)
	}
	return ""
}

func lineName(b askBox, l ask.Line) string {
	if title := b.pieces[l.Link]; title != "" {
		return title
	}
	return l.Link
}
