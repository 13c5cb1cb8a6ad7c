package outline

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
)

// Slug is a title as an id: "CO₂ emissions" is co2-emissions. It keeps letters and numbers of every script, and is empty
// where a title has none.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(title)) {
		switch {
		case r == '-' || r == '_' || unicode.IsSpace(r):
			gap = b.Len() > 0
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			if gap {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// identify gives every section its parent, slug and id. A slug that several sections have is no id of any of them: each is
// called by its path, so that a section that is added later cannot take over the drafts and charts of another.
func (d *Document) identify() {
	explicit, taken, uses := d.slugs()
	d.name(explicit, taken, uses)
}

// slugs gives every section its slug, and says which ids are pinned and how often each slug is used.
func (d *Document) slugs() (explicit []bool, taken map[string]bool, uses map[string]int) {
	taken, uses = map[string]bool{}, map[string]int{}
	explicit = make([]bool, len(d.Sections))
	for i := range d.Sections {
		s := &d.Sections[i]
		if explicit[i] = s.ID != ""; explicit[i] {
			taken[s.ID] = true
		} else if s.Slug = Slug(s.Title); s.Slug == "" {
			s.Slug = "section-" + strconv.Itoa(i+1)
			d.Diagnostics.Add("R018", diagnostic.Warning, s.Line,
				"the title %q gives no id: the section is called %s, until sections move. Write {#id} behind it", s.Title, s.Slug)
		}
		uses[s.Slug]++
	}
	return explicit, taken, uses
}

// name gives every section its parent and its id.
func (d *Document) name(explicit []bool, taken map[string]bool, uses map[string]int) {
	pinned := map[string]bool{} // explicit ids that were met
	var open []int              // the headings above the one being looked at
	for i := range d.Sections {
		s := &d.Sections[i]
		d.jump(i)
		for len(open) > 0 && d.Sections[open[len(open)-1]].Level >= s.Level {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.Parent = d.Sections[open[len(open)-1]].ID
		}
		open = append(open, i)
		switch {
		case explicit[i] && !pinned[s.ID]:
			pinned[s.ID] = true
			continue
		case explicit[i]: // pinned twice
		case uses[s.Slug] > 1:
			s.ID = s.Parent + "/" + s.Slug
		default:
			s.ID = s.Slug
		}
		if s.ID = free(s.ID, taken); s.ID != s.Slug {
			d.Diagnostics.Add("R017", diagnostic.Warning, s.Line, "several sections are called %s: this one is %s", s.Slug, s.ID)
		}
		taken[s.ID] = true
	}
}

// jump tells of a heading that skips a level.
func (d *Document) jump(i int) {
	if i > 0 && d.Sections[i].Level > d.Sections[i-1].Level+1 {
		s := d.Sections[i]
		d.Diagnostics.Add("R015", diagnostic.Warning, s.Line,
			"%q is a heading of level %d below one of level %d", s.Title, s.Level, d.Sections[i-1].Level)
	}
}

// free is the id itself, or with the first number behind it that nobody has.
func free(id string, taken map[string]bool) string {
	name := id
	for n := 2; taken[name]; n++ {
		name = id + "-" + strconv.Itoa(n)
	}
	return name
}
