package report

import (
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

// A Part is one paragraph of a section, or the title above one, as it stands in the file.
type Part struct {
	Title bool
	Chart string // whose it is; "" where nobody can say
	Text  string // with tokens in the place of the numbers that are facts
}

// Parts leads the text of a section back to its facts, for a page. Numbers that are none stay as somebody typed them.
func Parts(doc *outline.Document, s outline.Section, e Entry) ([]Part, error) {
	book, err := e.Book()
	if err != nil {
		return nil, err
	}
	lead, err := newLeader(e, book)
	if err != nil {
		return nil, err
	}
	titles := map[string]draft.Paragraph{}
	for _, p := range e.Paragraphs {
		titles[draft.TitleLine(p.Title)] = p
	}
	var out []Part
	chart := ""
	for _, b := range blocks(doc, s) {
		if p, is := titles[b.text]; is {
			chart = p.Chart
			out = append(out, Part{true, chart, p.Title})
			continue
		}
		out = append(out, Part{false, chart, lead.back(b.text)[0]})
	}
	return out, nil
}
