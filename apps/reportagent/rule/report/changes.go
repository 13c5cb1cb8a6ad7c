package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Changes is what other data do to a report.
type Changes struct {
	Numbers []Change   `json:"changed_numbers"` // cited, and not the same any more
	False   []Affected `json:"false_sentences"` // as they stand, they no longer hold
	Flipped []Affected `json:"flipped"`         // nor would they with today's numbers in them: the conclusion is another
}

// A Change is a number that a section cites and that is another today.
type Change struct {
	Section string            `json:"section_id"`
	Fact    fact.ID           `json:"fact"`
	About   map[string]string `json:"about"`
	Was     string            `json:"was"`
	Is      string            `json:"is,omitempty"` // empty where the data have it no longer
}

// An Affected sentence is shown as it stands in the report.
type Affected struct {
	Section string `json:"section_id"`
	Chart   string `json:"chart"`
	Rule    string `json:"rule_id"`
	Text    string `json:"text"`
	Now     string `json:"now,omitempty"` // with today's numbers; empty where one is gone
	Why     string `json:"why,omitempty"` // what the verifier says of that
	Hindi   string `json:"why_hi,omitempty"`
}

// None reports whether nothing changed.
func (c Changes) None() bool { return len(c.Numbers)+len(c.False)+len(c.Flipped) == 0 }

// Sections lists the sections that hold a sentence which is false.
func (c Changes) Sections() []string {
	seen := map[string]bool{}
	for _, a := range c.False {
		seen[a.Section] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Compare says what a catalogue changes about a report: which numbers, which sentences, which conclusions.
func Compare(l *Ledger, cat *catalogue.Catalogue) (Changes, error) {
	return newRedoer(cat).compare(l)
}

func (r *redoer) compare(l *Ledger) (Changes, error) {
	out := Changes{Numbers: []Change{}, False: []Affected{}, Flipped: []Affected{}}
	for _, e := range l.Sections {
		if r.same(e) {
			continue
		}
		old, err := e.Book()
		if err != nil {
			return out, err
		}
		c := comparison{redoer: r, entry: e, old: old, now: r.redo(e), seen: map[fact.ID]bool{}, out: &out}
		for _, p := range e.Paragraphs {
			for _, s := range p.Sentences {
				if err := c.sentence(p.Chart, s.Rule, s.Text); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// comparison is of one section.
type comparison struct {
	*redoer
	entry Entry
	old   *fact.Book
	now   redone
	seen  map[fact.ID]bool
	out   *Changes
}

func (c *comparison) sentence(chart, rule, template string) error {
	for _, t := range tokens(template) {
		c.number(t.ID)
	}
	stood, err := render.Renderer{Find: c.old.Latest}.Text(template)
	if err != nil {
		return err
	}
	a := Affected{Section: c.entry.ID, Chart: chart, Rule: rule, Text: stood}
	text, there := c.now.text(template)
	if !there {
		a.Why, a.Hindi = "the data no longer have it", "आँकड़ों में यह अब नहीं है"
		c.out.False, c.out.Flipped = append(c.out.False, a), append(c.out.Flipped, a)
		return nil
	}
	if a.Now, err = (render.Renderer{Find: c.now.book.Latest}).Text(text); err != nil {
		return err
	}
	rep, err := c.charts.Check(chart, text, c.now.book)
	if err != nil {
		return err
	}
	if rep.Blocked() {
		a.Why, a.Hindi = blocking(rep)
		c.out.Flipped = append(c.out.Flipped, a)
	}
	if rep.Blocked() || a.Now != stood {
		c.out.False = append(c.out.False, a)
	}
	return nil
}

// number notes a cited number that is another today.
func (c *comparison) number(id fact.ID) {
	if c.seen[id] {
		return
	}
	c.seen[id] = true
	was, _ := c.old.Latest(id)
	change := Change{Section: c.entry.ID, Fact: id, About: was.Subject.IDs, Was: was.Display}
	if now, ok := c.now.ids[id]; ok {
		is, _ := c.now.book.Latest(now)
		if is.Value == was.Value && is.Exact == was.Exact && fact.SameUnit(is.Unit, was.Unit) {
			return
		}
		change.Is = is.Display
	}
	c.out.Numbers = append(c.out.Numbers, change)
}

// blocking is what a verifier refuses, in a line of each language.
func blocking(r verify.Report) (en, hi string) {
	var words, hindi []string
	for _, f := range r.Findings {
		if f.Severity == verify.Block {
			words, hindi = append(words, f.Words), append(hindi, f.Hindi)
		}
	}
	return strings.Join(words, "; "), strings.Join(hindi, "; ")
}
