package wording

import (
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/platform/fact"
)

// Settle is the section that is left of a judgement: the sentences that hold, with the facts they cite, and a mark where one was
// dropped. It is empty where nothing holds.
func (b *Bench) Settle(j *Judgement) (*draft.Section, error) {
	s := &draft.Section{ID: b.Section, Book: fact.NewBook(b.Section)}
	lost := j.holes[""]
	for i, p := range j.Paragraphs {
		holes := j.holes[p.Chart]
		if i == len(j.Paragraphs)-1 {
			holes += lost + b.unplaced(j)
		}
		if holes > 0 {
			p.Sentences = append(p.Sentences[:len(p.Sentences):len(p.Sentences)], draft.Sentence{Rule: Marked, Text: Mark})
		}
		if err := s.Add(b.Book, p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unplaced counts what was dropped about charts of which nothing else is said.
func (b *Bench) unplaced(j *Judgement) (n int) {
	for chart, holes := range j.holes {
		if chart == "" {
			continue
		}
		said := false
		for _, p := range j.Paragraphs {
			said = said || p.Chart == chart
		}
		if !said {
			n += holes
		}
	}
	return n
}
