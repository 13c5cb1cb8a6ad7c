package letter

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// FromHTML is the words of an HTML mail as plain text, with quoted parts marked
// as plain mail marks them. What a reader would not see is left out: scripts,
// styles, and what is hidden.
func FromHTML(source string) string {
	w := &page{}
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(1 << 20)
	for w.out.Len() < MaxText {
		switch z.Next() {
		case html.ErrorToken:
			return w.text()
		case html.TextToken:
			w.words(string(z.Text()))
		case html.StartTagToken:
			w.open(z.Token(), false)
		case html.SelfClosingTagToken:
			w.open(z.Token(), true)
		case html.EndTagToken:
			w.close(z.Token().DataAtom)
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return w.text()
}

// A page is HTML on its way to text. A tokenizer and a stack are enough, and
// unlike a tree have no depth that a mail could exhaust.
type page struct {
	out   strings.Builder
	line  strings.Builder
	space bool // before the next word
	gap   bool // before the next line
	stack []open
	quote int // how deep in quotations
	skip  int // how deep in what is not shown
	pre   int
}

type open struct {
	tag               atom.Atom
	quote, skip, prea bool
}

const (
	maxOpen  = 1000 // elements; deeper ones change nothing
	maxClose = 100  // elements that one end can close
)

// originalMark stands where Outlook begins what it quotes without marking it.
const originalMark = "-----Original Message-----"

func (p *page) open(t html.Token, alone bool) {
	tag := t.DataAtom
	switch {
	case tag == atom.Br:
		p.end()
	case tag == atom.P:
		p.fresh()
		p.gap = true
	case block(tag):
		p.fresh()
	case tag == atom.Td || tag == atom.Th:
		p.space = true
	}
	if alone || void(tag) {
		return
	}
	p.endImplied(tag)
	o := open{tag: tag, quote: tag == atom.Blockquote, skip: hidden(t), prea: tag == atom.Pre}
	if unmarkedQuote(t) && p.skip == 0 {
		p.fresh()
		p.words(originalMark)
		p.end()
	}
	if len(p.stack) >= maxOpen {
		return
	}
	p.stack = append(p.stack, o)
	p.count(o, 1)
}

// endImplied ends what a browser ends by itself when an element begins. Without
// that, all that follows something hidden and never closed would be hidden too.
func (p *page) endImplied(tag atom.Atom) {
	switch tag {
	case atom.Body:
		p.close(atom.Head)
	case atom.P, atom.Li, atom.Tr, atom.Td, atom.Th:
		if n := len(p.stack); n > 0 && p.stack[n-1].tag == tag {
			p.close(tag)
		}
	}
}

func (p *page) count(o open, by int) {
	if o.quote {
		p.quote += by
	}
	if o.skip {
		p.skip += by
	}
	if o.prea {
		p.pre += by
	}
}

// close ends the nearest element of a tag, and those that were left open in it.
func (p *page) close(tag atom.Atom) {
	if block(tag) {
		p.fresh()
		p.gap = p.gap || tag == atom.P
	}
	for i := len(p.stack) - 1; i >= max(0, len(p.stack)-maxClose); i-- {
		if p.stack[i].tag != tag || tag == 0 {
			continue
		}
		for _, o := range p.stack[i:] {
			p.count(o, -1)
		}
		p.stack = p.stack[:i]
		return
	}
}

// words adds text, with single spaces as a browser shows it.
func (p *page) words(s string) {
	if p.skip > 0 {
		return
	}
	s = html.UnescapeString(s)
	if p.pre > 0 {
		for line := range strings.Lines(lines(s)) {
			p.line.WriteString(strings.TrimSuffix(line, "\n"))
			if strings.HasSuffix(line, "\n") {
				p.end()
			}
		}
		return
	}
	for _, r := range s {
		switch r {
		case ' ', '\t', '\n', '\r', '\f', '\u00a0', '\u200b':
			p.space = true
			continue
		}
		if p.space && p.line.Len() > 0 {
			p.line.WriteByte(' ')
		}
		p.space = false
		p.line.WriteRune(r)
	}
}

// fresh begins a new line, unless one was begun already.
func (p *page) fresh() {
	if p.line.Len() > 0 {
		p.end()
	}
}

// end ends a line, which may be empty.
func (p *page) end() {
	if p.gap && p.out.Len() > 0 { // a paragraph stands apart
		p.out.WriteByte('\n')
	}
	p.gap = false
	text := strings.TrimRight(p.line.String(), " ")
	p.line.Reset()
	p.space = false
	if text != "" && p.quote > 0 {
		text = strings.Repeat(">", min(p.quote, 5)) + " " + text
	}
	if text != "" || p.out.Len() > 0 {
		p.out.WriteString(text + "\n")
	}
}

// text is the page with no more than one empty line at a time.
func (p *page) text() string {
	p.fresh()
	return strings.TrimSpace(squeeze(p.out.String()))
}

func void(tag atom.Atom) bool {
	switch tag {
	case atom.Br, atom.Hr, atom.Img, atom.Input, atom.Meta, atom.Link, atom.Base, atom.Col, atom.Wbr, atom.Area, atom.Source:
		return true
	}
	return false
}

func block(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Hr, atom.Blockquote, atom.Tr, atom.Table, atom.Ul, atom.Ol, atom.Li, atom.Pre, atom.Section, atom.Article,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Footer, atom.Body, atom.Dl, atom.Dt, atom.Dd, atom.Center:
		return true
	}
	return false
}

// noSize is a style, without white space, whose letters have no size at all; the
// small sizes below one do.
var noSize = regexp.MustCompile(`font-size:[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?(?:!important)?(?:;|$)`)

// hidden reports whether an element is not for readers.
func hidden(t html.Token) bool {
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Template, atom.Noscript, atom.Object, atom.Iframe, atom.Svg:
		return true
	}
	for _, a := range t.Attr {
		style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
		if a.Key == "hidden" || a.Key == "style" && (strings.Contains(style, "display:none") ||
			strings.Contains(style, "visibility:hidden") ||
			strings.Contains(style, "mso-hide:all") || noSize.MatchString(style)) {
			return true
		}
	}
	return false
}

// unmarkedQuote tells where a mail program begins what it quotes without putting
// it into a quotation.
func unmarkedQuote(t html.Token) bool {
	for _, a := range t.Attr {
		if a.Key != "id" && a.Key != "class" {
			continue
		}
		v := strings.ToLower(a.Val)
		for _, mark := range []string{"divrplyfwdmsg", "appendonsend", "yahoo_quoted", "zmail_extra", "oriequote", "gmail_extra_forward",
			"outlookmessageheader"} {
			if strings.Contains(v, mark) {
				return true
			}
		}
	}
	return false
}
