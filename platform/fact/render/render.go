package render

import (
	"html"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxText is the longest text that is rendered, in bytes.
const MaxText = 1 << 20

// A Finder finds the fact a token names: the version the text pins.
type Finder func(fact.ID) (fact.Fact, bool)

// A Renderer substitutes tokens. The same facts and style always give the same
// bytes.
type Renderer struct {
	Find  Finder
	Style fact.Style
}

// HTML is the text with everything escaped and every token a tagged number:
//
//	<data class="fact computed" value="-128.92" data-fact="F17" data-version="2" data-show="|abs|1">128.9 Mt CO₂-e</data>
//
// A token that names no fact, or is none, is refused: a page is never made with a
// dead number in it.
func (r Renderer) HTML(text string) (string, error) {
	return r.each(text, html.EscapeString, r.Number)
}

// Text is the text with every token shown, for mail and for the command line.
func (r Renderer) Text(text string) (string, error) {
	show := func(t Token) (string, error) {
		f, err := r.find(t)
		return r.Style.Show(f, t.Options), err
	}
	return r.each(text, func(s string) string { return s }, show)
}

func (r Renderer) each(text string, words func(string) string, number func(Token) (string, error)) (string, error) {
	if len(text) > MaxText {
		return "", fault.New(fault.TooLarge, "a text of %d bytes: at most %d are rendered", len(text), MaxText)
	}
	var b strings.Builder
	for _, p := range Parse(text) {
		switch p.Kind {
		case Words:
			b.WriteString(words(p.Text))
		case Broken:
			return "", fault.New(fault.Invalid, "%.40q at byte %d is not a token; write {{F17}} or {{F17|abs|1|nounit}}", p.Text, p.Start)
		case Fact:
			s, err := number(p.Token)
			if err != nil {
				return "", err
			}
			b.WriteString(s)
		}
	}
	return b.String(), nil
}

// Number is the tagged number of one token, for a caller that lays out the words
// around it itself.
func (r Renderer) Number(t Token) (string, error) {
	f, err := r.find(t)
	if err != nil {
		return "", err
	}
	class := "fact"
	if f.Kind != fact.Observed {
		class += " " + string(f.Kind)
	}
	var b strings.Builder
	attr := func(name, value string) {
		b.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
	}
	b.WriteString("<data")
	attr("class", class)
	attr("value", f.Value)
	attr("data-fact", string(t.ID))
	attr("data-version", strconv.Itoa(f.Version))
	if s := t.suffix(); s != "" {
		attr("data-show", s)
	}
	b.WriteString(">" + html.EscapeString(r.Style.Show(f, t.Options)) + "</data>")
	return b.String(), nil
}

func (r Renderer) find(t Token) (fact.Fact, error) {
	f, ok := r.Find(t.ID)
	if !ok {
		return fact.Fact{}, fault.New(fault.Invalid, "the text cites %s, which is not among its facts", t.ID)
	}
	return f, nil
}

// Tokens leads text made by HTML back to the text it was made from, and lists
// the version each token showed. It reads only what HTML writes; anything else is
// refused.
func Tokens(rendered string) (text string, shown []fact.Ref, err error) {
	if len(rendered) > 8*MaxText {
		return "", nil, fault.New(fault.TooLarge, "a page of %d bytes is too long to read back", len(rendered))
	}
	var b strings.Builder
	for {
		words, rest, found := strings.Cut(rendered, "<data ")
		if strings.ContainsAny(words, "<>") {
			return "", nil, fault.New(fault.Invalid, "the page holds markup that is not a tagged number")
		}
		b.WriteString(html.UnescapeString(words))
		if !found {
			return b.String(), shown, nil
		}
		tag, after, closed := strings.Cut(rest, "</data>")
		t, ref, ok := readTag(tag)
		if !closed || !ok {
			return "", nil, fault.New(fault.Invalid, "a tagged number on the page names no fact")
		}
		b.WriteString(t.String())
		shown = append(shown, ref)
		rendered = after
	}
}

func readTag(tag string) (Token, fact.Ref, bool) {
	attrs, number, ok := strings.Cut(tag, ">")
	id := attribute(attrs, "data-fact")
	version, err := strconv.Atoi(attribute(attrs, "data-version"))
	t, well := ParseToken("{{" + id + attribute(attrs, "data-show") + "}}")
	if !ok || !well || err != nil || version < 1 || strings.ContainsAny(number, "<>") {
		return Token{}, fact.Ref{}, false
	}
	return t, fact.Ref{ID: t.ID, Version: version}, true
}

func attribute(attrs, name string) string {
	_, after, found := strings.Cut(attrs, name+`="`)
	value, _, closed := strings.Cut(after, `"`)
	if !found || !closed {
		return ""
	}
	return html.UnescapeString(value)
}
