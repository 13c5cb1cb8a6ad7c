// Package wording is for the text of a section as a model words it: what it may cite, what of its words holds, and what is left of
// them in the end. A model types no number: it puts the token of a fact in its place, and each sentence is judged against the
// facts of the one chart that it cites.
//
// Read Lay first, which gathers everything that may be cited; then Judge, and Settle, which makes a section of what holds.
package wording

import (
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// Code names this way of wording, and of computing what a model asks for.
const Code = "reportagent.wording.1"

// A Formula is a number that a model asked for.
type Formula struct {
	Op    fact.Op   `json:"op"`
	Facts []fact.ID `json:"fact_ids"`
}

// A Child is a section below another, as it was written.
type Child struct {
	Title string
	report.Entry
}

// A Told sentence is one of a section below, with the tokens of this one.
type Told struct {
	Section string `json:"section_id"`
	Title   string `json:"title"`
	Chart   string `json:"chart_id"`
	Text    string `json:"text_template"`
}

// A Bench is everything that one section may be worded from. The same charts, children and formulas give the same bench, with the
// same numbers of facts: a model is shown it in one turn, and judged by it in another.
type Bench struct {
	Section string
	Book    *fact.Book // every fact that may be cited
	Told    []Told     // what the sections below say
	Charts  []*Chart
}

// A Chart is one that the section is about, or that one below it speaks of.
type Chart struct {
	*catalogue.Chart
	Summary *summary.Summary // nil where only what a section below says of it may be cited

	check *verify.Verifier
	read  *prose.Reader
}

// Lay gathers the facts of charts, of the sections below, and of what a model asked for: formulas, and questions about raw tables, each
// where it was asked among the formulas.
func Lay(cat *catalogue.Catalogue, section string, keys []string, below []Child, derived []Formula, asked ...Asked) (*Bench, error) {
	b := &Bench{Section: section, Book: fact.NewBook(section)}
	for _, key := range keys {
		ch, err := b.chart(cat, key)
		if err != nil {
			return nil, err
		}
		if ch.Summary, err = summary.Summarise(b.Book, ch.Chart); err != nil {
			return nil, err
		}
	}
	for _, child := range below {
		if err := b.below(cat, child); err != nil {
			return nil, err
		}
	}
	for i, f := range derived {
		if err := b.answers(asked, i); err != nil {
			return nil, err
		}
		if _, err := b.Derive(f); err != nil {
			return nil, err
		}
	}
	return b, b.answers(asked, len(derived))
}

// chart is a chart of the bench, which is added if it is not there.
func (b *Bench) chart(cat *catalogue.Catalogue, key string) (*Chart, error) {
	if ch := b.Chart(key); ch != nil {
		return ch, nil
	}
	meta, err := cat.Find(key)
	if err != nil {
		return nil, err
	}
	p := summary.Profile(meta.Key, meta)
	ch := &Chart{Chart: meta}
	if ch.check, err = verify.New(p); err != nil {
		return nil, err
	}
	if ch.read, err = prose.NewReader(prose.Vocabulary{Dimensions: p.Dimensions, Units: p.Units, Allow: p.Allow}); err != nil {
		return nil, err
	}
	b.Charts = append(b.Charts, ch)
	return ch, nil
}

// Chart is a chart of the bench by its key, nil where it has none.
func (b *Bench) Chart(key string) *Chart {
	if i := slices.IndexFunc(b.Charts, func(c *Chart) bool { return c.Key == key }); i >= 0 {
		return b.Charts[i]
	}
	return nil
}

// below takes what a section below says, with the facts it cites.
func (b *Bench) below(cat *catalogue.Catalogue, child Child) error {
	book, err := child.Book()
	if err != nil {
		return err
	}
	for _, p := range child.Paragraphs {
		view, raw := summary.RawName(p.Chart)
		if !raw {
			if _, err := b.chart(cat, p.Chart); err != nil {
				return err
			}
		}
		for _, s := range p.Sentences {
			if len(s.Facts) == 0 { // a mark for the analyst says nothing
				continue
			}
			for _, id := range s.Facts { // also those that it rests on without a token: ranks
				if _, err := b.Book.Take(book, id); err != nil {
					return err
				}
			}
			text, err := b.take(book, s.Text)
			if err != nil {
				return err
			}
			b.Told = append(b.Told, Told{Section: child.ID, Title: child.Title, Chart: p.Chart, Text: text})
		}
		if raw { // it is judged by what its facts are about, and those are there now
			if err := b.raw(view); err != nil {
				return err
			}
		}
	}
	return nil
}

// take is a text of another book in the numbers of the bench.
func (b *Bench) take(from *fact.Book, text string) (string, error) {
	out := ""
	for _, p := range render.Parse(text) {
		if p.Kind != render.Fact {
			out += p.Text
			continue
		}
		f, err := b.Book.Take(from, p.Token.ID)
		if err != nil {
			return "", err
		}
		t := p.Token
		t.ID = f.ID
		out += t.String()
	}
	return out, nil
}

// Derive computes a number out of facts of one chart.
func (b *Bench) Derive(f Formula) (fact.Fact, error) {
	var chart string
	for _, id := range f.Facts {
		one, ok := b.Book.Latest(id)
		if !ok {
			return fact.Fact{}, fault.New(fault.NotFound, "there is no fact %.40s", id)
		}
		of := one.Subject.IDs[summary.ChartID]
		if chart != "" && of != chart {
			return fact.Fact{}, fault.New(fault.Invalid, "%s is of %s and %s of %s: a number is computed within one chart", f.Facts[0],
				chart, id, of)
		}
		chart = of
	}
	return b.Book.Derive(f.Op, Code, f.Facts...)
}

// Scenarios are those that the section has to mention: of the charts it is about.
func (b *Bench) Scenarios() (all []string) {
	for _, ch := range b.Charts {
		for _, s := range ch.Scenarios {
			if s != table.AllScenario && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Title is what stands above a paragraph about a chart.
func (c *Chart) Title() string { return draft.TitleOf(c.Chart) }
