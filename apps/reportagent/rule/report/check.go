package report

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// A Checked report is what became of checking one again, as it stands.
type Checked struct {
	Meta      Meta      `json:"meta"`
	Sections  int       `json:"sections"`
	Numbers   int       `json:"numbers"`  // in texts, led back to facts
	Edited    []string  `json:"edited"`   // sections whose text is not what was written
	Findings  []Finding `json:"findings"` // what is wrong
	Catalogue bool      `json:"same_data"`
	Changes   Changes   `json:"changes"`
}

// A Finding is something wrong with a section.
type Finding struct {
	Section string      `json:"section_id"`
	Line    int         `json:"line"`
	Rule    verify.Rule `json:"rule,omitempty"`
	Asks    bool        `json:"asks,omitempty"` // a person must judge; it does not fail the check
	Text    string      `json:"text"`
	Code    string      `json:"code"`  // what is wrong, by a code
	Words   string      `json:"words"` // the same in English and in Hindi
	Hindi   string      `json:"words_hi"`
}

// OK reports whether nothing is wrong: no finding that blocks, and no number that the data say otherwise.
func (c *Checked) OK() bool {
	for _, f := range c.Findings {
		if !f.Asks {
			return false
		}
	}
	return c.Changes.None()
}

// Check judges a report as it stands, perhaps edited: every number must be one that a fact of its section shows, where the
// words around it say what the fact is about, and every fact must still be what the data say.
func Check(document []byte, l *Ledger, cat *catalogue.Catalogue) (*Checked, error) {
	doc, err := outline.Parse(document)
	if err != nil {
		return nil, err
	}
	r := newRedoer(cat)
	changes, err := r.compare(l)
	if err != nil {
		return nil, err
	}
	out := &Checked{Meta: l.Meta, Edited: []string{}, Findings: []Finding{}, Catalogue: cat.Version == l.Meta.Catalogue, Changes: changes}
	for _, s := range doc.Sections {
		if s.Prose == "" {
			continue
		}
		out.Sections++
		e := l.Find(s.ID)
		if e == nil {
			e = &Entry{ID: s.ID}
		}
		if e.Hash != s.Hash() {
			out.Edited = append(out.Edited, s.ID)
		}
		c, err := newChecker(r.charts, *e)
		if err != nil {
			return nil, err
		}
		if err := c.section(doc, s, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checker judges the text of one section.
type checker struct {
	charts *draft.Charts
	entry  Entry
	book   *fact.Book
	lead   *leader
	titles map[string]string // chart by the line above its paragraph
}

func newChecker(charts *draft.Charts, e Entry) (*checker, error) {
	book, err := e.Book()
	if err != nil {
		return nil, err
	}
	c := &checker{charts: charts, entry: e, book: book, titles: map[string]string{}}
	for _, p := range e.Paragraphs {
		c.titles[draft.TitleLine(p.Title)] = p.Chart
	}
	c.lead, err = newLeader(e, book)
	return c, err
}

// section judges the blocks of a section.
func (c *checker) section(doc *outline.Document, s outline.Section, out *Checked) error {
	chart := ""
	for _, b := range blocks(doc, s) {
		if key, is := c.titles[b.text]; is {
			chart = key
			continue
		}
		if err := c.block(chart, b, out); err != nil {
			return err
		}
	}
	return nil
}

// block judges one paragraph: about the chart whose title stands above it, or else about any of the section's.
func (c *checker) block(chart string, b block, out *Checked) error {
	keys := []string{chart}
	if chart == "" {
		keys = c.entry.Charts
	}
	var best *verify.Report
	for _, text := range c.lead.back(b.text) {
		for _, key := range keys {
			rep, err := c.charts.Check(key, text, c.book)
			if err != nil {
				return err
			}
			if best == nil || worth(rep) < worth(*best) {
				best = &rep
			}
			if !rep.Blocked() {
				break
			}
		}
	}
	if best == nil { // no chart is known: whatever has digits has no source
		if strings.ContainsAny(b.text, "0123456789") {
			out.Findings = append(out.Findings, Finding{Section: c.entry.ID, Line: b.line, Rule: verify.V2, Text: short(b.text),
				Code: "no_facts", Words: "the section has no facts, and this holds digits",
				Hindi: "इस अनुभाग में कोई तथ्य नहीं है, और यहाँ अंक हैं"})
		}
		return nil
	}
	out.Numbers += best.Numbers
	for _, f := range best.Findings {
		out.Findings = append(out.Findings, Finding{Section: c.entry.ID, Line: b.line, Rule: f.Rule, Asks: f.Severity == verify.Ask,
			Text: short(c.lead.show(f.Text)), Code: f.Code, Words: f.Words, Hindi: f.Hindi})
	}
	return nil
}

// worth is how bad a report is: what blocks weighs more than what asks.
func worth(r verify.Report) int {
	n := 0
	for _, f := range r.Findings {
		n++
		if f.Severity == verify.Block {
			n += 1000
		}
	}
	return n
}

func short(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

// A block is lines between blank lines.
type block struct {
	text string
	line int
}

// blocks splits the text of a section.
func blocks(doc *outline.Document, s outline.Section) []block {
	var out []block
	for _, p := range s.Pieces {
		if p.Kind != outline.Text {
			continue
		}
		open := false
		for i, line := range strings.Split(doc.Text(p), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
				open = false
			case open:
				out[len(out)-1].text += " " + line
			default:
				out, open = append(out, block{line, p.Line + i}), true
			}
		}
	}
	return out
}

// String is the finding in a line.
func (f Finding) String() string {
	return fmt.Sprintf("line %d, section %s: %s %s: %q", f.Line, f.Section, f.Rule, f.Words, f.Text)
}
