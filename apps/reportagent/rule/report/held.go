package report

import (
	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

// Held is what is kept of a section where a report is kept in parts: its text as people read it, and its entry.
type Held struct {
	Text  string
	Entry Entry
}

// Assemble is a report out of its outline and what is held of its sections: the file, and the ledger beside it. Sections of
// which nothing is held say what the outline says.
func Assemble(file []byte, meta Meta, held map[string]Held) (*outline.Document, *Ledger, error) {
	doc, err := outline.Parse(file)
	if err != nil {
		return nil, nil, err
	}
	l := &Ledger{Format: Format, Version: 1, Meta: meta, Sections: []Entry{}}
	texts := map[string]string{}
	for _, s := range doc.Sections {
		if h, kept := held[s.ID]; kept {
			texts[s.ID] = h.Text
			l.Sections = append(l.Sections, h.Entry)
		}
	}
	doc, err = doc.Fill(texts)
	return doc, l, err
}

// CheckSection judges the text of one section as Check judges all of them. Its facts are taken as they are: whether the data
// still say so is Compare's to tell.
func CheckSection(doc *outline.Document, id string, e Entry, cat *catalogue.Catalogue) ([]Finding, error) {
	s, err := doc.Find(id)
	if err != nil {
		return nil, err
	}
	c, err := newChecker(draft.NewCharts(cat), e)
	if err != nil {
		return nil, err
	}
	out := &Checked{Findings: []Finding{}}
	if s.Prose == "" {
		return out.Findings, nil
	}
	err = c.section(doc, s, out)
	return out.Findings, err
}
