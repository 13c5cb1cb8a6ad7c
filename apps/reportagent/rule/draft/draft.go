// Package draft is for the text of a section, made of facts by templates, with no model: leaves are told from their charts,
// parents from what their children say. A sentence types no digit; it cites facts, and what the platform's verifier does
// not let through is left out and listed.
//
// Read Charts first, which sums up each chart once, then Leaf and Parent, which choose sentences, and Section, whose book
// holds the facts it cites and what they rest on, and no others.
package draft

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Code names this way of writing. A section that another version wrote is written again.
const Code = "reportagent.draft.1"

// A Sentence is one sentence with tokens in place of numbers.
type Sentence struct {
	Rule  string    `json:"rule_id"`
	Text  string    `json:"text_template"`
	Facts []fact.ID `json:"fact_ids"` // those it cites, then those it rests on
}

// A Paragraph is what is said of one chart.
type Paragraph struct {
	Chart     string     `json:"chart"`
	Title     string     `json:"title"` // what stands above it: the chart's title, or that of the section it is taken from
	Sentences []Sentence `json:"sentences"`
}

// A Section is the draft of one section.
type Section struct {
	ID         string
	Book       *fact.Book
	Paragraphs []Paragraph
	Dropped    []Dropped
}

// A Dropped sentence did not pass the verifier, and why.
type Dropped struct {
	Chart    string           `json:"chart"`
	Sentence Sentence         `json:"sentence"`
	Findings []verify.Finding `json:"findings"`
}

// Empty reports whether there is nothing to say.
func (s *Section) Empty() bool { return len(s.Paragraphs) == 0 }

// Template is the section as Markdown with tokens.
func (s *Section) Template() string { return Markdown(s.Paragraphs) }

// Markdown is paragraphs as they stand in a file: each under its title.
func Markdown(paragraphs []Paragraph) string {
	var parts []string
	for _, p := range paragraphs {
		parts = append(parts, TitleLine(p.Title), p.Text())
	}
	return strings.Join(parts, "\n\n")
}

// TitleLine is the line above a paragraph.
func TitleLine(title string) string { return "**" + title + "**" }

// Text is the sentences of a paragraph, one after the other.
func (p Paragraph) Text() string {
	texts := make([]string, len(p.Sentences))
	for i, s := range p.Sentences {
		texts[i] = s.Text
	}
	return strings.Join(texts, " ")
}

// Markdown is the section with its numbers in it, as people read it.
func (s *Section) Markdown() (string, error) {
	return render.Renderer{Find: s.Book.Latest}.Text(s.Template())
}

// Scenarios lists those of some charts that a text must mention.
func (c *Charts) Scenarios(keys []string) []string {
	var out []string
	for _, key := range keys {
		ch, err := c.cat.Find(key)
		if err != nil || !ch.Citable() {
			continue
		}
		for _, s := range ch.Scenarios {
			if !slices.Contains(out, s) && named(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// plainTitle is a title from outside as it may stand in bold on a line of its own.
func plainTitle(title string) string {
	title = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_<>{}[]`\\#", r) {
			return ' '
		}
		return r
	}, title)), " ")
	if runes := []rune(title); len(runes) > 160 {
		title = string(runes[:160])
	}
	return title
}
