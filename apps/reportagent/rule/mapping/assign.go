package mapping

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

// A Plan is the charts of every section.
type Plan struct {
	Sections    []Assignment    `json:"sections"`
	Unmapped    []string        `json:"unmapped_charts"` // charts that no section has
	Dead        []string        `json:"dead_ids"`        // charts that the map names and nobody has
	Diagnostics diagnostic.List `json:"diagnostics"`
}

// An Assignment is the charts of one section, the first the most important.
type Assignment struct {
	Section string `json:"section_id"`
	Charts  []Pick `json:"charts"`
	Blocked string `json:"blocked,omitempty"` // why it cannot be written
}

// A Pick is a chart, and why it is there.
type Pick struct {
	Chart   string   `json:"chart"`
	Why     Why      `json:"why"`
	Score   int      `json:"score,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// A Why is how a chart came to a section.
type Why string

// The ways.
const (
	Static    Why = "static"    // the map names it
	Pattern   Why = "pattern"   // a pattern of the map matches it
	Auto      Why = "auto"      // it matches the section
	Inherited Why = "inherited" // it is the first chart of a section below
)

// How many charts a section is given where nobody said.
const (
	fewest   = 3
	mostAuto = 5
	goodFit  = 2 // the score that is enough by itself
)

// Lint says what is wrong with a map, for an outline and a catalogue. A chart that does not exist is an error here; at a run
// it is a warning, and the section is written from the others.
func Lint(m *Map, doc *outline.Document, cat *catalogue.Catalogue) diagnostic.List {
	a := &assigner{doc: doc, cat: cat, severity: diagnostic.Error}
	told := slices.Clone(m.Diagnostics)
	for _, e := range m.Entries {
		a.told = nil
		if _, err := doc.Find(e.Section); err != nil {
			a.told.Add("M007", diagnostic.Warning, e.Line, "the outline has no section %q", e.Section)
		}
		seen := map[string]bool{}
		for _, i := range e.Items {
			for _, p := range a.named(e, i) {
				if seen[p.Chart] && i.ID != "" {
					a.told.Add("M009", diagnostic.Info, e.Line, "section %q names %s twice", e.Section, p.Chart)
				}
				seen[p.Chart] = true
			}
		}
		told = append(told, a.told...)
	}
	return told
}

// Assign gives every section its charts.
func Assign(m *Map, doc *outline.Document, cat *catalogue.Catalogue, aliases Aliases) Plan {
	a := &assigner{doc: doc, cat: cat, severity: diagnostic.Warning, entries: map[string]Entry{}, done: map[string][]Pick{},
		scorer: newScorer(cat, aliases)}
	for _, e := range m.Entries {
		if s, err := doc.Find(e.Section); err == nil {
			a.entries[s.ID] = e
		} else {
			a.told.Add("M007", diagnostic.Warning, e.Line, "the outline has no section %q", e.Section)
		}
	}
	a.children()
	p := Plan{}
	used := map[string]bool{}
	for _, s := range doc.Sections {
		as := Assignment{Section: s.ID, Charts: a.picks(s)}
		citable := false
		for _, pick := range as.Charts {
			used[pick.Chart] = true
			ch, err := cat.Find(pick.Chart)
			citable = citable || err == nil && ch.Citable()
		}
		if !citable {
			as.Blocked = "no data"
		}
		p.Sections = append(p.Sections, as)
	}
	for _, ch := range cat.Charts {
		if !used[ch.Key] {
			p.Unmapped = append(p.Unmapped, ch.Key)
		}
	}
	p.Dead, p.Diagnostics = a.dead, append(slices.Clone(m.Diagnostics), a.told...)
	return p
}

// An assigner is one assignment.
type assigner struct {
	doc      *outline.Document
	cat      *catalogue.Catalogue
	severity diagnostic.Severity // of a chart that is not there
	entries  map[string]Entry    // by section id
	below    map[string][]outline.Section
	scorer   *scorer
	done     map[string][]Pick
	dead     []string
	told     diagnostic.List
}

func (a *assigner) children() {
	a.below = map[string][]outline.Section{}
	for _, s := range a.doc.Sections {
		if s.Parent != "" {
			a.below[s.Parent] = append(a.below[s.Parent], s)
		}
	}
}

// picks is the charts of a section: the map's, those of the sections below it, or those that match.
func (a *assigner) picks(s outline.Section) []Pick {
	if p, ok := a.done[s.ID]; ok {
		return p
	}
	var out []Pick
	if e, ok := a.entries[s.ID]; ok {
		out = a.curated(s, e)
	} else {
		out = a.inherited(s)
		if len(out) == 0 {
			out = a.scorer.best(s, mostAuto)
		}
	}
	a.done[s.ID] = out
	return out
}

// curated is what the map gives a section, each chart once.
func (a *assigner) curated(s outline.Section, e Entry) []Pick {
	var out []Pick
	for _, i := range e.Items {
		more := a.named(e, i)
		if i.Auto {
			more = a.scorer.best(s, cmp.Or(i.Max, mostAuto))
		}
		for _, p := range more {
			if !slices.ContainsFunc(out, func(o Pick) bool { return o.Chart == p.Chart }) {
				out = append(out, p)
			}
		}
	}
	if e.Max > 0 && len(out) > e.Max {
		out = out[:e.Max]
	}
	return out
}

// named is the charts that an item of the map names.
func (a *assigner) named(e Entry, i Item) []Pick {
	switch {
	case i.ID != "":
		ch, err := a.cat.Find(i.ID)
		if err != nil {
			a.told.Add("M005", a.severity, e.Line, "section %q: %v", e.Section, err)
			a.dead = append(a.dead, i.ID)
			return nil
		}
		return []Pick{{Chart: ch.Key, Why: Static}}
	case i.Pattern != "":
		out := a.matching(i)
		if len(out) == 0 {
			a.told.Add("M008", diagnostic.Warning, e.Line, "section %q: no chart matches %q", e.Section, i.Pattern)
		}
		return out
	}
	return nil
}

// matching is the charts that a pattern matches: by category/id if it has a slash, else by id.
func (a *assigner) matching(i Item) []Pick {
	var found []catalogue.Chart
	for _, ch := range a.cat.Charts {
		name := ch.ID
		if strings.Contains(i.Pattern, "/") {
			name = ch.Key
		}
		if ok, err := path.Match(i.Pattern, name); ok && err == nil {
			found = append(found, ch)
		}
	}
	if i.Sort == "title" {
		slices.SortStableFunc(found, func(x, y catalogue.Chart) int { return cmp.Compare(x.Title, y.Title) })
	}
	var out []Pick
	for _, ch := range found {
		if i.Max == 0 || len(out) < i.Max {
			out = append(out, Pick{Chart: ch.Key, Why: Pattern, Reasons: []string{i.Pattern}})
		}
	}
	return out
}

// inherited is the first chart of each section below.
func (a *assigner) inherited(s outline.Section) []Pick {
	var out []Pick
	for _, child := range a.below[s.ID] {
		below := a.picks(child)
		if len(below) == 0 || len(out) == mostAuto || slices.ContainsFunc(out, func(p Pick) bool { return p.Chart == below[0].Chart }) {
			continue
		}
		out = append(out, Pick{Chart: below[0].Chart, Why: Inherited, Reasons: []string{"first chart of " + child.ID}})
	}
	return out
}
