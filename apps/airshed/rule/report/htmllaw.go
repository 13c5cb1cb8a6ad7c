package report

import (
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

func (p *page) law() {
	p.heading("law")
	p.raw("<h3>", p.word(p.label("request")), "</h3>\n<p>", p.text(p.texts.Request), "</p>\n<h3>", p.word(p.label("recommendations")),
		"</h3>\n")
	var items []string
	for _, t := range p.texts.Recommendations {
		items = append(items, p.text(t))
	}
	p.list("ol", items)
	var rows [][]string
	for _, c := range p.r.Law.Cited {
		rows = append(rows, []string{p.word(p.title(c)), p.word(c.Date), p.said(c), p.word(c.VerifiedOn)})
	}
	p.table(table{caption: p.word(p.label("law.caption")), heads: p.heads("provision", "dated", "says", "verified"), rows: rows,
		class: "words law"})
	if len(p.r.Law.Refused) == 0 {
		return
	}
	p.raw("<h3>", p.word(p.label("refused")), "</h3>\n")
	items = nil
	for _, f := range p.r.Law.Refused {
		items = append(items, p.refusal(f))
	}
	p.list("ul", items)
}

// The reasons there are for not citing a provision, each with its words under refused.
func reasons() []string {
	return []string{"reach", "none", "inquiry", "early", "ended", "renewed", "season"}
}

// refusal is a provision that is not cited, and why. The reason is kept in English: it is
// found again among those there are, and said in the page's language.
func (p *page) refusal(f Refusal) string {
	title, why, named := strings.Cut(f.Why, ": ")
	if !named { // a report that was made before its refusals had titles
		title, why = string(f.ID), f.Why
	}
	if p.lang == English {
		return p.word(title + ": " + why)
	}
	english, err := catalogue(English)
	if err != nil {
		p.keep(err)
		return ""
	}
	for _, reason := range reasons() {
		if in, ok := holds(english["refused."+reason], why); ok {
			if state, ok := in["state"]; ok {
				in["state"] = p.state(strings.Trim(state, `"`))
			}
			return p.line(title) + ": " + p.word(p.say("refused."+reason, in))
		}
	}
	return p.line(title) + `: <span lang="en">` + p.word(why) + "</span>"
}

var placeIn = regexp.MustCompile(`\\[{]([a-z]+)\\[}]`)

// holds reads what stands in the places of a text that was said.
func holds(text, said string) (with, bool) {
	form := regexp.MustCompile("^" + placeIn.ReplaceAllString(regexp.QuoteMeta(text), "(?P<$1>.*)") + "$")
	found := form.FindStringSubmatch(said)
	if found == nil {
		return nil, false
	}
	in := with{}
	for i, name := range form.SubexpNames() {
		if name != "" {
			in[name] = found[i]
		}
	}
	return in, true
}

// said is what a provision says and what must be said with it.
func (p *page) said(c lawbook.Cited) string {
	out := p.line(c.Says)
	for _, caution := range c.Cautions {
		out += " <small>" + p.line(caution) + "</small>"
	}
	return out
}

// line is a line of the law or of its form in the page's language, or the English
// it came in, marked as that.
func (p *page) line(english string) string {
	if p.lang == English {
		return p.word(english)
	}
	if own := p.lines[english]; own != "" {
		return p.word(own)
	}
	return `<span lang="en">` + p.word(english) + "</span>"
}

// certificate is the form of section 63, both parts, filled in as far as a machine
// may. Boxes are drawn empty.
func (p *page) certificate() {
	c, err := p.r.certify(p.records)
	if err != nil {
		p.keep(err)
		return
	}
	p.raw(`<section class="sheet">`)
	p.heading("certificate")
	p.raw(`<p class="unsigned">`, p.word(p.label("unsigned")), "</p>\n")
	var items []string
	for _, n := range c.Notices {
		items = append(items, p.line(n))
	}
	p.list("ul", items)
	p.form("part_a", c.PartA)
	p.raw(`</section><section class="sheet">`)
	p.form("part_b", c.PartB)
	p.raw("</section>\n")
}

func (p *page) form(part string, fields []lawbook.Field) {
	p.raw("<h3>", p.word(p.label(part)), "</h3>\n")
	var rows [][]string
	for _, f := range fields {
		var cell strings.Builder
		for _, choice := range f.Choices {
			cell.WriteString(`<span class="choice"><span class="box" role="img" aria-label="` + p.word(p.label("box")) + `"></span> ` +
				p.line(choice) + "</span> ")
		}
		if f.Value != "" {
			for line := range strings.SplitSeq(f.Value, "\n") {
				cell.WriteString(`<span class="hash">` + p.word(line) + "</span>")
			}
		}
		if f.Value == "" && len(f.Choices) == 0 {
			cell.WriteString(`<span class="blank"></span>`)
		}
		rows = append(rows, []string{p.line(f.Label), cell.String()})
	}
	p.table(table{caption: p.word(p.label(part + ".caption")), heads: p.heads("field", "entry"), rows: rows, class: "form"})
}

// annex lists the digests, the rules and every fact with the place it was read at.
func (p *page) annex() {
	p.raw(`<section class="sheet">`)
	p.heading("annex")
	p.checking()
	var rows [][]string
	for _, r := range p.records {
		rows = append(rows, []string{p.word(r.Name), p.digest(r.SHA256)})
	}
	p.table(table{caption: p.word(p.label("digests.caption")), heads: p.heads("input", "sha256"), rows: rows, class: "digests"})
	rows = nil
	for _, r := range p.r.Rules {
		rows = append(rows, []string{p.word(r.Name), p.word(r.Version)})
	}
	p.table(table{caption: p.word(p.label("rules.caption")), heads: p.heads("rule", "version"), rows: rows, class: "figures"})
	rows = nil
	for _, f := range p.r.Facts {
		rows = append(rows, []string{p.word(string(f.ID)), p.shown(f), p.word(p.unit(f)),
			"<code>" + p.word(f.Source.Selector.JSON.Pointer) + "</code>"})
	}
	p.raw("<p>", p.word(p.label("facts.mean")), " ", p.digest(p.r.Custody.Analysis), "</p>\n")
	p.table(table{caption: p.word(p.label("facts.caption")), heads: p.heads("fact", "value", "unit", "pointer"), rows: rows,
		class: "facts"})
	p.raw("</section>\n")
}
