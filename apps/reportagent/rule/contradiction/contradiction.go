// Package contradiction finds where a report says one thing in one place and another elsewhere: two sections about one number, two charts
// about one quantity, and this report and an earlier one. It lists; which side is right is for a person.
//
// Read Find. Numbers are compared exactly; sums of rounded cells within what rounding can do.
package contradiction

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A Kind says between what a contradiction is.
type Kind string

// The kinds.
const (
	Sections Kind = "sections" // two sections show one number with two values
	Shown    Kind = "shown"    // two sections show one value in two ways
	Charts   Kind = "charts"   // two charts that agree nearly everywhere do not here
	Before   Kind = "before"   // an earlier report says another value
)

// An Item is one contradiction.
type Item struct {
	Kind  Kind   `json:"kind"`
	About string `json:"about"` // what both speak of
	Left  Side   `json:"left"`
	Right Side   `json:"right"`
}

// A Side is one of the two places.
type Side struct {
	Where string `json:"where"` // a section's id, or a chart's key
	Says  string `json:"says"`
}

// Most is how many of each kind are listed.
const Most = 100

// Find lists what contradicts what in a report, in the charts it was written from, and between it and an earlier report, which may be nil.
func Find(l *report.Ledger, cat *catalogue.Catalogue, before *report.Ledger) []Item {
	here := citations(l)
	out := slices.Concat(within(here), between(cat))
	if before != nil {
		out = append(out, since(here, citations(before))...)
	}
	slices.SortStableFunc(out, func(a, b Item) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	return capped(out)
}

// rank is the order of the kinds: what a reader would trip over comes first.
func rank(k Kind) int { return slices.Index([]Kind{Sections, Charts, Before, Shown}, k) }

func capped(all []Item) []Item {
	n := map[Kind]int{}
	return slices.DeleteFunc(all, func(i Item) bool {
		n[i.Kind]++
		return n[i.Kind] > Most
	})
}

// A citation is a number as a section shows it.
type citation struct {
	section string
	fact    fact.Fact
	shown   string
}

// citations are all numbers of a report, in its order.
func citations(l *report.Ledger) (out []citation) {
	for _, e := range l.Sections {
		for _, p := range e.Paragraphs {
			for _, s := range p.Sentences {
				for _, piece := range render.Parse(s.Text) {
					n := piece.Token.ID.Number()
					if piece.Kind != render.Fact || n < 1 || n > len(e.Facts) {
						continue
					}
					f := e.Facts[n-1]
					out = append(out, citation{e.ID, f, fact.Style{}.Show(f, piece.Token.Options)})
				}
			}
		}
	}
	return out
}

// within compares sections: what one number is called is its key, whichever section cites it.
func within(all []citation) (out []Item) {
	first := map[string]citation{}
	told := map[string]bool{}
	for _, c := range all {
		was, seen := first[c.fact.Key]
		if !seen {
			first[c.fact.Key] = c
			continue
		}
		if was.section == c.section || told[c.fact.Key] {
			continue
		}
		kind := Kind("")
		switch {
		case !same(was.fact, c.fact):
			kind = Sections
		case amount(was.shown) != amount(c.shown):
			kind = Shown
		}
		if kind != "" {
			told[c.fact.Key] = true
			out = append(out, Item{kind, about(c.fact), Side{was.section, was.shown}, Side{c.section, c.shown}})
		}
	}
	return out
}

// since compares a report with an earlier one.
func since(now, before []citation) (out []Item) {
	then := map[string]citation{}
	for _, c := range before {
		if _, seen := then[c.fact.Key]; !seen {
			then[c.fact.Key] = c
		}
	}
	for _, c := range now {
		was, there := then[c.fact.Key]
		if !there || same(was.fact, c.fact) {
			continue
		}
		delete(then, c.fact.Key)
		out = append(out, Item{Before, about(c.fact), Side{was.section, was.shown}, Side{c.section, c.shown}})
	}
	return out
}

// same reports whether two facts have one value in one unit.
func same(a, b fact.Fact) bool {
	x, err := a.Number()
	y, bad := b.Number()
	return err == nil && bad == nil && x.Cmp(y) == 0 && fact.SameUnit(a.Unit, b.Unit)
}

// amount is a number as it is shown without its sign: "falls by 3" and "−3" are one way.
func amount(shown string) string { return strings.TrimLeft(shown, "−-+") }

// about is what a number is of.
func about(f fact.Fact) string {
	var out []string
	for _, name := range []string{summary.ChartID, summary.ScenarioID} {
		if v := f.Subject.IDs[name]; v != "" {
			out = append(out, v)
		}
	}
	var rest []string
	for name, v := range f.Subject.IDs {
		if name != summary.ChartID && name != summary.ScenarioID {
			rest = append(rest, v)
		}
	}
	slices.Sort(rest)
	return strings.Join(append(out, rest...), ", ")
}
