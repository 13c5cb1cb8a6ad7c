package manual

import (
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// A pageView is a document as a page shows it.
type pageView struct {
	page          *page
	text          string // HTML, as hand writes it
	before, after *page
}

// A searchView is what was searched for and what was found.
type searchView struct {
	text  string
	found found
	fault error
	small bool // the form stands beside something, without its hint
}

// headings are those the list beside a text has: two levels of them.
func (pg *page) headings() []section {
	var all []section
	for _, s := range pg.sections[1:] {
		if s.level <= 3 {
			all = append(all, s)
		}
	}
	return all
}

// shelfName is what people call a shelf.
func shelfName(p *web.Page, name string) string { return p.Word("manual.folder.", name) }

// placeAddress is where a place that was found stands.
func placeAddress(h hit, pl place) string {
	if pl.section.anchor == "" {
		return h.page.address()
	}
	return h.page.address() + "#" + pl.section.anchor
}

// faultText is what is wrong with what was typed.
func faultText(err error) string {
	text, next := fault.Words(err)
	return text + "; " + next
}

// countText says how many pages were found.
func countText(p *web.Page, f found) string {
	n, shown := strconv.Itoa(f.all), strconv.Itoa(len(f.pages))
	if f.all > len(f.pages) {
		return p.T("manual.best", "n", n, "shown", shown)
	}
	return p.T("manual.many", "n", n)
}
