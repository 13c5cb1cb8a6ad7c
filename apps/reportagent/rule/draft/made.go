package draft

import (
	"cmp"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/platform/fact"
)

// Add puts a paragraph whose facts are in another book into the section. They come with it, and with everything they rest on, and
// get numbers of the section's own.
func (s *Section) Add(from *fact.Book, p Paragraph) error { return s.add(from, p) }

// TitleOf is what stands above a paragraph about a chart.
func TitleOf(ch *catalogue.Chart) string { return cmp.Or(plainTitle(ch.Title), plainTitle(ch.ID)) }
