// Package paper is for a report as people read it: one page of HTML that needs nothing from outside, in which every number leads to
// a card with its cell or formula, and every chart is drawn again from its table.
//
// Read HTML first. The page has no script; a card is reached by a link, so that it works offline and in ten years. Sheets is the same for
// a printer and Word for who goes on writing: there nothing opens, and an annex (annex.go) has a line for each number instead.
package paper

import (
	_ "embed"
	"html"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed paper.css
var style string

//go:embed sheets.css
var sheetStyle string

// HTML is the page of a report as it stands. The same report and data make the same bytes.
func HTML(document []byte, l *report.Ledger, cat *catalogue.Catalogue) ([]byte, error) {
	return write(document, &page{ledger: l, cat: cat})
}

// Sheets is the page to be printed on A4: what opens on a screen is in an annex.
func Sheets(document []byte, l *report.Ledger, cat *catalogue.Catalogue) ([]byte, error) {
	return write(document, &page{ledger: l, cat: cat, annex: &annex{cat: cat}})
}

func write(document []byte, p *page) ([]byte, error) {
	doc, err := outline.Parse(document)
	if err != nil {
		return nil, err
	}
	p.doc, p.drawn = doc, map[string]bool{}
	p.head()
	for _, s := range doc.Sections {
		if err := p.section(s); err != nil {
			return nil, err
		}
	}
	if err := p.appendix(); err != nil {
		return nil, err
	}
	p.cited()
	p.put("</main></body></html>\n")
	return []byte(p.out.String()), nil
}

// page is a page being written. put takes markup of ours; whatever came from outside goes through text.
type page struct {
	doc    *outline.Document
	ledger *report.Ledger
	cat    *catalogue.Catalogue
	out    strings.Builder
	drawn  map[string]bool
	charts int
	annex  *annex // nil for a screen, where numbers lead to cards
}

func (p *page) put(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// text is words from outside as they may stand in a page.
func text(s string) string { return html.EscapeString(chart.Plain(s)) }

func (p *page) head() {
	m := p.ledger.Meta
	looks := style + chart.Style() + chart.Paper()
	if p.annex != nil {
		looks += sheetStyle + "@page{@bottom-left{content:" + quoted("Draft, run "+m.RunID) + "}@bottom-right{content:counter(page) \" / \" counter(pages)}}"
	}
	name := ""
	if p.annex != nil { // the first sheet has the contents only
		name = `<p class="name">` + text(title(p.doc)) + `</p>`
	}
	p.put(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>`,
		text(title(p.doc)), `</title><style>`, looks, `</style></head><body><main>`, name, `<p class="meta">`, text(headline(m)),
		`</p><nav aria-label="Contents"><ol>`)
	for _, s := range p.doc.Sections {
		p.put(`<li class="l`, strconv.Itoa(s.Level), `"><a href="#`, anchor(s.ID), `">`, text(s.Title), `</a></li>`)
	}
	p.put(`</ol></nav>`)
}

// title is what the report is called.
func title(doc *outline.Document) string {
	if len(doc.Sections) == 0 {
		return "Report"
	}
	return doc.Sections[0].Title
}

// headline is what a report says of itself first.
func headline(m report.Meta) string {
	return "Draft. Run " + m.RunID + ", " + m.Generated.UTC().Format("2 January 2006, 15:04 UTC") + "; data " + short(m.Catalogue) +
		"; worded by " + worded(m.Model) + ". Figures are of scenarios, not forecasts. A number leads to where it comes from."
}

// quoted is a text as a style sheet quotes it: a run's name is letters, digits and a few signs.
func quoted(s string) string { return strconv.Quote(chart.Plain(s)) }

func worded(model string) string {
	if model == report.NoModel {
		return "templates, no model"
	}
	return model
}

func short(digest string) string { return digest[:min(len(digest), 12)] }

// anchor is the name of a section in the page: its id has letters of any script and slashes, which a page's names may have.
func anchor(id string) string { return text(strings.ReplaceAll(id, " ", "-")) }

func (p *page) section(s outline.Section) error {
	level := strconv.Itoa(min(s.Level, 6))
	p.put(`<section id="`, anchor(s.ID), `"><h`, level, `>`, text(s.Title), `</h`, level, `>`)
	e := p.ledger.Find(s.ID)
	if e == nil {
		e = &report.Entry{ID: s.ID}
	}
	if e.Hash != s.Hash() && s.Prose != "" {
		p.put(`<p class="meta">`, editedWords, `</p>`)
	}
	parts, err := report.Parts(p.doc, s, *e)
	if err != nil {
		return err
	}
	if words := unwritten(*e, parts); words != "" {
		p.put(`<p class="meta">`, text(words), `</p>`)
	}
	book, err := e.Book()
	if err != nil {
		return err
	}
	for i, part := range parts {
		if part.Title {
			p.put(`<p class="about">`, text(part.Text), `</p>`)
			continue
		}
		if err := p.paragraph(*e, book, part.Text); err != nil {
			return err
		}
		if last := i+1 == len(parts) || parts[i+1].Title; last && part.Chart != "" {
			p.figure(part.Chart)
		}
	}
	if p.annex == nil {
		p.cards(*e)
	}
	p.put(`</section>`)
	return nil
}

// paragraph writes a text; each number in it is a link to its card.
func (p *page) paragraph(e report.Entry, book *fact.Book, template string) error {
	r := render.Renderer{Find: book.Latest}
	p.put(`<p>`)
	for _, piece := range render.Parse(template) {
		if piece.Kind != render.Fact {
			p.put(text(piece.Text))
			continue
		}
		number, err := r.Number(piece.Token)
		if err != nil {
			return fault.From(fault.Invalid, err, "section %s", e.ID)
		}
		if p.annex != nil {
			p.annex.cite(e, book, piece.Token.ID)
		}
		p.put(`<a class="num" href="#`, card(e.ID, piece.Token.ID), `">`, number, `</a>`)
	}
	p.put(`</p>`)
	return nil
}

// card is the name of a fact's card in the page.
func card(section string, id fact.ID) string { return anchor(section) + "." + string(id) }
