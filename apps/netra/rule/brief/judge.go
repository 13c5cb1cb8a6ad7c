package brief

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds on what a model hands in.
const (
	MaxSentences = 8
	maxSentence  = 300 // characters
)

// A Finding is something wrong with a sentence, in words for who wrote it.
type Finding struct {
	Sentence string `json:"sentence"`
	Words    string `json:"words"`
}

// A Judgement is what of a model's sentences holds.
type Judgement struct {
	Held  []string // in tokens of the bench
	Found []Finding
}

// Clean reports whether everything holds.
func (j Judgement) Clean() bool { return len(j.Held) > 0 && len(j.Found) == 0 }

// Judge reads sentences as a model wrote them. A model places facts and connects words: each sentence cites one fact, names what that
// fact is and nothing that is another's, and is made of the words of a list. So it cannot say of a district what no fact says, nor name a
// person, a community or another place; what it cannot place it refuses.
func (b *Bench) Judge(lang reason.Lang, sentences []string) (j Judgement) {
	said := map[string]bool{}
	for i, s := range sentences {
		s = strings.TrimSpace(s)
		why := "there are too many sentences"
		switch {
		case i >= MaxSentences:
		case said[s]:
			why = "it is said already"
		default:
			why = b.sentence(lang, s)
		}
		said[s] = true
		if why == "" {
			j.Held = append(j.Held, s)
			continue
		}
		j.Found = append(j.Found, Finding{short(s), why})
	}
	return j
}

// short is the beginning of a sentence, for who wrote it.
func short(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}

// sentence is what is wrong with one; nothing where it holds.
func (b *Bench) sentence(lang reason.Lang, s string) string {
	if len([]rune(s)) > maxSentence || !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "।") {
		return "write one short sentence that ends with a full stop"
	}
	id, words, why := b.cited(s)
	if why != "" {
		return why
	}
	switch RefuseWorded(s, b.places()...) {
	case Typed:
		return "a number is typed: put the token of a fact in its place"
	case Personal:
		return "it names a person, or holds their data"
	case Community:
		return "it names a community"
	}
	found, why := b.read(lang, words)
	if why != "" {
		return why
	}
	if why := b.means(lang, id, found); why != "" {
		return why
	}
	return b.verified(s)
}

// cited is the one fact of a sentence, and the words around its token.
func (b *Bench) cited(s string) (id fact.ID, words, why string) {
	for _, p := range render.Parse(s) {
		switch {
		case p.Kind == render.Broken:
			return "", "", "it holds something that looks like a token and is none"
		case p.Kind == render.Words:
			words += p.Text
		case id != "":
			return "", "", "it cites two numbers: write a sentence for each"
		case b.names[p.Token.ID] == "":
			return "", "", "there is no fact " + string(p.Token.ID)
		case !Citable(b.names[p.Token.ID]):
			return "", "", "code says what " + string(p.Token.ID) + " says"
		default:
			id, words = p.Token.ID, words+" "
		}
	}
	if id == "" {
		return "", "", "it cites no fact: put a token into it, or leave it out"
	}
	return id, words, ""
}

// Citable reports whether a model may place a fact. What single signals do is said by code, beside their words, and so is the trend.
func Citable(name string) bool {
	return !strings.HasPrefix(name, "top.") && !strings.HasPrefix(name, "without.") && name != "recent" && name != "older"
}

// read is what the words of a sentence are about; why says which of them is on no list.
func (b *Bench) read(lang reason.Lang, words string) (found map[mark]bool, why string) {
	found = map[mark]bool{}
	for _, place := range b.places() {
		if place != "" {
			words = strings.ReplaceAll(words, place, " ")
		}
	}
	words = bare(strings.ToLower(words))
	for _, band := range score.Bands() {
		name := bare(strings.ToLower(reason.Band(lang, band)))
		if strings.Contains(words, name) {
			found[bandMark(band)] = true
			words = strings.ReplaceAll(words, name, " ")
		}
	}
	if strings.ContainsFunc(words, strange) {
		return nil, "it holds a sign that no plain sentence needs"
	}
	l := lexicon[lang]
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		m, known := l[w]
		if !known {
			return nil, "the word “" + w + "” is not among those that may stand between facts"
		}
		if m != "" {
			found[m] = true
		}
	}
	return found, ""
}

// strange reports whether a sign is neither of a word nor between words.
func strange(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" ,.।:;'’()-", r)
}

// means holds what a sentence is about against the fact that it cites.
func (b *Bench) means(lang reason.Lang, id fact.ID, found map[mark]bool) string {
	must, may := b.meaning(b.names[id])
	for _, m := range must {
		if !found[m] {
			return "name what " + string(id) + " is: " + l10n(lang, m)
		}
	}
	for m := range found {
		if !slices.Contains(must, m) && !slices.Contains(may, m) {
			return string(id) + " is not about “" + l10n(lang, m) + "”"
		}
	}
	return ""
}

// meaning is what a sentence about a fact must be about, and what else it may be about.
func (b *Bench) meaning(name string) (must, may []mark) {
	r := b.Result
	switch {
	case name == "score":
		return []mark{aScore}, []mark{bandMark(r.Band)}
	case strings.HasPrefix(name, "layer."):
		return []mark{mark(strings.TrimPrefix(name, "layer."))}, nil
	case name == "before":
		return []mark{aScore, earlier}, []mark{bandMark(b.Was)}
	case name == "change" && b.Change.Value > 0:
		return []mark{up}, []mark{aScore, earlier}
	case name == "change" && b.Change.Value < 0:
		return []mark{down}, []mark{aScore, earlier}
	case name == "falls_in" && b.Falls != nil:
		return []mark{hours, quiet}, []mark{down, aScore, heard, signals, bandMark(b.Falls.Band)}
	case name == "ahead":
		return []mark{hours, quiet}, []mark{aScore, heard, signals, bandMark(r.Band)}
	case name == "window":
		return []mark{hours}, []mark{signals, heard}
	case name == "signals":
		return []mark{signals}, []mark{heard}
	case name == "left_out":
		return []mark{police}, []mark{signals}
	case name == "heard":
		return []mark{heard}, []mark{signals}
	case name == "usual":
		return []mark{usual}, []mark{signals, heard}
	}
	return []mark{nobodys}, nil
}

// profile is what the house's own verifier holds texts to: no advice and no names, beside its rules on numbers and directions.
func profile() verify.Profile {
	return verify.Profile{Name: "netra briefing", Forbid: []verify.Forbidden{{Kind: verify.Recommendation}, {Kind: verify.Naming}}}
}

// verified is what the house's verifier finds in a sentence. What it would ask a person about does not hold either.
func (b *Bench) verified(s string) string {
	r, err := b.check.Check(verify.Document{Parts: []verify.Part{{Name: "briefing", Text: s}}}, b.book)
	if err != nil {
		words, _ := fault.Words(err)
		return words
	}
	if len(r.Findings) > 0 {
		return r.Findings[0].Words
	}
	return ""
}
