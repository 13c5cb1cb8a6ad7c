package draft

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
)

// How much is said.
const (
	mostOfLeaf   = 10 // sentences on a chart in the section that is about it
	mostOfParent = 6  // on a chart in a section that has others below it
)

// Leaf is the draft of a section without others below it: everything of its charts that weighs, chart by chart.
func (c *Charts) Leaf(id string, keys []string) (*Section, error) {
	s := &Section{ID: id, Book: fact.NewBook(id)}
	for _, key := range keys {
		if err := c.paragraph(s, key, mostOfLeaf); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// A Child is a section below another: its title and its draft.
type Child struct {
	Title string
	*Section
}

// Parent is the draft of a section with others below it: in short what its own charts say, then one sentence from each
// child, and as many more as it takes to mention every scenario of the charts it speaks of.
func (c *Charts) Parent(id string, own []string, children []Child) (*Section, error) {
	s := &Section{ID: id, Book: fact.NewBook(id)}
	for _, key := range own {
		if err := c.paragraph(s, key, mostOfParent); err != nil {
			return nil, err
		}
	}
	for _, child := range children {
		if child.Section == nil || child.Empty() {
			continue
		}
		from := child.Paragraphs[0]
		lead := from.Sentences[leading(from.Sentences)]
		if err := s.add(child.Book, Paragraph{Chart: from.Chart, Title: under(child.Title, from.Title),
			Sentences: []Sentence{lead}}); err != nil {
			return nil, err
		}
	}
	return s, c.complete(s)
}

// under is the title of a sentence that is taken from a section below: that section's, and the chart's where it is another.
func under(section, chart string) string {
	section = plainTitle(section)
	if section == "" || section == chart {
		return chart
	}
	return section + ": " + chart
}

// leading is the sentence that speaks for a paragraph: one that sets the scenarios side by side, else the first.
func leading(all []Sentence) int {
	for _, rule := range []string{"K3", "K6", "K2"} {
		if i := slices.IndexFunc(all, func(s Sentence) bool { return s.Rule == rule }); i >= 0 {
			return i
		}
	}
	return 0
}

// complete adds, to the paragraph where it is missing first, what the whole does in a scenario that nobody mentions.
func (c *Charts) complete(s *Section) error {
	for i := range s.Paragraphs {
		ch, err := c.Open(s.Paragraphs[i].Chart)
		if err != nil {
			return err
		}
		for _, scenario := range c.Scenarios([]string{ch.Key}) {
			if s.mentions(scenario) {
				continue
			}
			k := slices.IndexFunc(ch.Tells, func(t Sentence) bool { return strings.HasPrefix(t.Text, in(scenario)) })
			if k < 0 {
				continue
			}
			more, err := s.take(ch.Book, ch.Tells[k])
			if err != nil {
				return err
			}
			s.Paragraphs[i].Sentences = append(s.Paragraphs[i].Sentences, more)
		}
	}
	return nil
}

func (s *Section) mentions(scenario string) bool {
	return slices.ContainsFunc(s.Paragraphs, func(p Paragraph) bool { return strings.Contains(p.Text(), scenario) })
}

// Missing lists the scenarios of the section's charts that it does not mention.
func (c *Charts) Missing(s *Section) []string {
	var keys, out []string
	for _, p := range s.Paragraphs {
		keys = append(keys, p.Chart)
	}
	for _, name := range c.Scenarios(keys) {
		if !s.mentions(name) {
			out = append(out, name)
		}
	}
	return out
}

// paragraph tells of one chart. One that has no table, or of which nothing can be said, is passed over.
func (c *Charts) paragraph(s *Section, key string, most int) error {
	meta, err := c.cat.Find(key)
	if err != nil {
		return err
	}
	if !meta.Citable() {
		return nil
	}
	ch, err := c.Open(key)
	if err != nil {
		return err
	}
	s.Dropped = append(s.Dropped, ch.Dropped...)
	if len(ch.Tells) == 0 {
		return nil
	}
	p := Paragraph{Chart: ch.Key, Title: cmp.Or(plainTitle(ch.Title), plainTitle(ch.ID)), Sentences: ch.Tells[:min(len(ch.Tells), most)]}
	return s.add(ch.Book, p)
}

// add puts a paragraph of another book into the section: its facts come with it and get numbers of the section's own.
func (s *Section) add(from *fact.Book, p Paragraph) error {
	sentences := make([]Sentence, len(p.Sentences))
	for i, one := range p.Sentences {
		var err error
		if sentences[i], err = s.take(from, one); err != nil {
			return err
		}
	}
	p.Sentences = sentences
	if slices.ContainsFunc(s.Paragraphs, func(o Paragraph) bool { return o.Title == p.Title }) {
		p.Title += " (" + plainTitle(p.Chart) + ")" // a title says which chart is meant
	}
	s.Paragraphs = append(s.Paragraphs, p)
	return nil
}

// take is a sentence of another book in the numbers of this one.
func (s *Section) take(from *fact.Book, one Sentence) (Sentence, error) {
	out := Sentence{Rule: one.Rule}
	ids := map[fact.ID]fact.ID{}
	for _, id := range one.Facts {
		f, err := s.Book.Take(from, id)
		if err != nil {
			return out, err
		}
		ids[id] = f.ID
		out.Facts = append(out.Facts, f.ID)
	}
	var b strings.Builder
	for _, piece := range render.Parse(one.Text) {
		if piece.Kind != render.Fact {
			b.WriteString(piece.Text)
			continue
		}
		t := piece.Token
		now, ok := ids[t.ID]
		if !ok {
			return out, fault.New(fault.Internal, "the sentence %.60q cites %s and does not list it", one.Text, t.ID)
		}
		t.ID = now
		b.WriteString(t.String())
	}
	out.Text = b.String()
	return out, nil
}
