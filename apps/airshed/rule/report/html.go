package report

import (
	"embed"
	"html"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

//go:embed page.css
var style embed.FS

// A page is a report on its way to HTML. Everything that is written into it is
// escaped by the function that writes it; the first error is kept.
type page struct {
	*speaker
	r       Report
	texts   Texts
	show    render.Renderer
	records []lawbook.Record // for the certificate and the annex
	out     strings.Builder
}

// HTML is a report as a page that needs nothing from outside: made to be printed on
// A4, and read on a screen.
func HTML(r Report, lang Lang) ([]byte, error) {
	s, err := newSpeaker(lang, r.Facts)
	if err != nil {
		return nil, err
	}
	css, err := style.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	records, err := r.records()
	if err != nil {
		return nil, err
	}
	p := &page{speaker: s, r: r, texts: r.Texts.In(lang), show: r.renderer(lang), records: records}
	p.raw(pageStart(lang) + `<head><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width, initial-scale=1">` +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`)
	p.raw("<title>", p.word(p.label("title")), " ", p.word(r.ID), "</title><style>\n", string(css), p.margins(), "</style></head><body>\n")
	p.header()
	p.raw("<main>\n")
	for _, part := range []func(){p.summary, p.finding, p.shares, p.surge, p.fires, p.reasoning, p.others, p.forecast, p.missing, p.circle,
		p.law, p.certificate, p.annex} {
		part()
	}
	p.raw("</main>\n<footer><p>", p.word(p.label("footer")), " ", p.word(p.label("id")), " ", p.word(r.ID),
		"</p></footer>\n</body></html>\n")
	if p.err != nil {
		return nil, p.err
	}
	return []byte(p.out.String()), nil
}

// pageStart is how a page in a language begins.
func pageStart(lang Lang) string {
	return "<!doctype html>\n" + `<html lang="` + string(lang) + `">`
}

// raw writes markup: literals of this package and what word, text and number made.
func (p *page) raw(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// word is a string from anywhere, escaped.
func (p *page) word(s string) string { return html.EscapeString(plainLine(s)) }

// plainLine is s without characters that steer a page or turn its direction.
func plainLine(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return ' '
		case c < ' ' || c == 0x7f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069:
			return -1
		}
		return c
	}, s)
}

// label is a fixed word of the page.
func (p *page) label(key string) string { return p.say("page."+key, nil) }

// text is a text with its tokens shown and tagged.
func (p *page) text(s string) string {
	out, err := p.show.HTML(s)
	if err != nil {
		p.keep(err)
	}
	return out
}

func (p *page) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

// number is a fact by its name, shown and tagged; a dash where there is none.
func (p *page) number(name string) string {
	id, ok := p.ids[name]
	if !ok {
		return "–"
	}
	out, err := p.show.Number(render.Token{ID: id})
	if err != nil {
		p.keep(err)
	}
	return out
}

func (p *page) heading(key string) { p.raw("<h2>", p.word(p.label(key)), "</h2>\n") }

func (p *page) paragraphs(texts []string) {
	for _, t := range texts {
		p.raw("<p>", p.text(t), "</p>\n")
	}
}

func (p *page) list(tag string, items []string) {
	if len(items) == 0 {
		return
	}
	p.raw("<", tag, ">")
	for _, t := range items {
		p.raw("<li>", t, "</li>\n")
	}
	p.raw("</", tag, ">\n")
}

// A table is rows of cells that are markup already. The first cell of a row names
// it; columns from Numbers on hold numbers, none where it is 0.
type table struct {
	caption string
	heads   []string
	rows    [][]string
	class   string
	numbers int
}

func (p *page) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	// one that is wider than a phone is scrolled, with keys too
	p.raw(`<table class="`, t.class, `" tabindex="0"><caption>`, t.caption, "</caption><thead><tr>")
	for i, h := range t.heads {
		p.raw(`<th scope="col"`, t.align(i), ">", h, "</th>")
	}
	p.raw("</tr></thead><tbody>\n")
	for _, row := range t.rows {
		for i, cell := range row {
			if i == 0 {
				p.raw(`<tr><th scope="row">`, cell, "</th>")
				continue
			}
			p.raw("<td", t.align(i), ">", cell, "</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table>\n")
}

func (t table) align(column int) string {
	if t.numbers > 0 && column >= t.numbers {
		return ` class="n"`
	}
	return ""
}

// heads are labels as column heads.
func (p *page) heads(keys ...string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = p.word(p.label(k))
	}
	return out
}

// bar draws a range and its median between 0 and 100 percent. The figures stand
// beside it as text, so that it is hidden from whoever cannot see it.
func bar(low, median, high float64) string {
	n := func(v float64) string { return strconv.FormatFloat(min(max(v, 0), 100), 'f', 1, 64) }
	return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">` +
		`<rect x="0" y="3" width="100" height="4" fill="#e3e6ea"/>` +
		`<rect x="` + n(low) + `" y="2" width="` + n(max(high-low, 0.4)) + `" height="6" fill="#7f9fc4"/>` +
		`<rect x="` + n(median-0.6) + `" y="0" width="1.2" height="10" fill="#12355b"/></svg>`
}

// digest is a SHA-256 that may break over lines.
func (p *page) digest(sum string) string { return "<code>" + p.word(sum) + "</code>" }

// shown is a fact as the annex lists it, its unit beside it.
func (p *page) shown(f Named) string {
	out, err := p.show.Number(render.Token{ID: f.ID, Options: fact.Options{NoUnit: true}})
	if err != nil {
		p.keep(err)
	}
	return out
}

// unit is what a fact counts in, as people write it; a dash where it counts things.
func (p *page) unit(f Named) string {
	style := Style(p.lang)
	bare, whole := style.Show(f.Fact, fact.Options{NoUnit: true}), style.Show(f.Fact, fact.Options{})
	if unit := strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(whole, bare), "\u00a0", " ")); unit != "" {
		return unit
	}
	return "–"
}
