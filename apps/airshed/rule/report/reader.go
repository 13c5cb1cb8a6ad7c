package report

import (
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A Section is one part of a report as the page to print has it, for a page around it
// that has a style of its own. Its HTML is escaped.
type Section struct {
	Name string // summary, finding …; certificate and annex are long
	HTML string
}

// Sections are the parts of a report in their order. Every number in them is a button
// that opens the card of its fact, which the page around them has under CardID.
func Sections(r Report, lang Lang) ([]Section, error) {
	s, err := newSpeaker(lang, r.Facts)
	if err != nil {
		return nil, err
	}
	records, err := r.records()
	if err != nil {
		return nil, err
	}
	p := &page{speaker: s, r: r, texts: r.Texts.In(lang), show: r.renderer(lang), records: records}
	var out []Section
	for _, part := range []struct {
		name  string
		write func()
	}{
		{"summary", p.summary}, {"finding", p.finding}, {"shares", p.shares}, {"surge", p.surge}, {"fires", p.fires},
		{"reasoning", p.reasoning}, {"others", p.others},
		{"forecast", p.forecast}, {"missing", p.missing}, {"circle", p.circle}, {"law", p.law}, {"certificate", p.certificate},
		{"annex", p.annex},
	} {
		p.out.Reset()
		part.write()
		out = append(out, Section{part.name, opening(p.out.String())})
	}
	return out, p.err
}

var taggedNumber = regexp.MustCompile(`<data [^>]*data-fact="(F[0-9]+)"[^>]*>[^<]*</data>`)

// opening makes a button of every tagged number.
func opening(html string) string {
	return taggedNumber.ReplaceAllStringFunc(html, func(tag string) string {
		id := taggedNumber.FindStringSubmatch(tag)[1]
		return `<button type="button" class="number" popovertarget="` + CardID(fact.ID(id)) + `">` + tag + `</button>`
	})
}

// CardID is the id of the element that holds the card of a fact.
func CardID(id fact.ID) string { return "card-" + string(id) }

// Value is a fact as the report shows it.
func (r Report) Value(f Named, lang Lang) string {
	out, err := r.renderer(lang).Text(render.Token{ID: f.ID}.String())
	if err != nil {
		return f.Display
	}
	return out
}

// A Speech is the words of the reports in one language, for pages that speak of the
// same things.
type Speech struct{ s *speaker }

// Speak gives the words of a language.
func Speak(lang Lang) (Speech, error) {
	s, err := newSpeaker(lang, nil)
	return Speech{s}, err
}

// Likely is the word for a probability.
func (w Speech) Likely(word likelihood.Word) string { return w.s.likely(word) }

// Grade is how good data are.
func (w Speech) Grade(g likelihood.Grade) string { return w.s.words["grade."+string(g)] }

// Lack is why they are no better.
func (w Speech) Lack(l likelihood.Lack) string { return w.s.words["lack."+string(l)] }

// State is what a state is called.
func (w Speech) State(name string) string { return w.s.state(name) }

// Station is what a station is called, without the city after it.
func (w Speech) Station(name string) string { return w.s.station(name) }

// Gap is what is missing and what that costs, where that can be said without numbers;
// own is false where the words are the analysis' own, which are English.
func (w Speech) Gap(g analysis.Gap) (text, costs string, own bool) {
	text, ok := w.s.words["gap."+string(g.Code)]
	costs, ok2 := w.s.words["cost."+string(g.Code)]
	if !ok || !ok2 || strings.Contains(text+costs, "{") {
		return plain(g.Text), plain(g.Costs), false
	}
	return text, costs, true
}
