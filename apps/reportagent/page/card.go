package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/web"
)

// A card is where one number is from.
type card struct {
	id      string // of its element
	fact    fact.Fact
	value   string
	about   []string // what it is about, name and value
	chart   string
	formula []branch // what it was computed from, down to cells; empty where it was read itself
	left    int      // branches that are left out
	where   place
}

// A branch is one fact of a formula, so many steps below the number.
type branch struct {
	depth int
	fact  fact.ID
	value string
	about string
	op    fact.Op // it was computed; empty: it was read
	where place
}

// A place is where a value stands in a file.
type place struct {
	file   string
	record string // and column
	digest string
}

// mostBranches is how many facts a card opens; the ledger has all.
const mostBranches = 40

func cardID(id fact.ID) string { return "fact-" + string(id) }

// cardOf makes the card of a fact.
func cardOf(p *web.Page, cat *catalogue.Catalogue, book *fact.Book, f fact.Fact) card {
	c := card{id: cardID(f.ID), fact: f, value: f.Display, chart: chartTitle(cat, f), where: placeOf(p, cat, f)}
	for _, name := range slices.Sorted(maps.Keys(f.Subject.IDs)) {
		if name != summary.ChartID {
			c.about = append(c.about, p.Word("rp.about.", name)+": "+f.Subject.IDs[name])
		}
	}
	if f.Calc != nil {
		c.open(p, cat, book, f, 0)
	}
	return c
}

// open lists what a fact was computed from, depth first.
func (c *card) open(p *web.Page, cat *catalogue.Catalogue, book *fact.Book, f fact.Fact, depth int) {
	for _, in := range f.Calc.Inputs {
		from, ok := book.At(in)
		if !ok {
			continue
		}
		if len(c.formula) == mostBranches {
			c.left++
			continue
		}
		b := branch{depth: min(depth, 3), fact: from.ID, value: from.Display, about: aboutOf(from), where: placeOf(p, cat, from)}
		if from.Calc != nil {
			b.op = from.Calc.Op
		}
		c.formula = append(c.formula, b)
		if from.Calc != nil {
			c.open(p, cat, book, from, depth+1)
		}
	}
}

// aboutOf is what a fact is about, in a line.
func aboutOf(f fact.Fact) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f.Subject.IDs)) {
		if name != summary.ChartID {
			out = append(out, f.Subject.IDs[name])
		}
	}
	return strings.Join(out, ", ")
}

func chartTitle(cat *catalogue.Catalogue, f fact.Fact) string {
	key := f.Subject.IDs[summary.ChartID]
	if cat == nil {
		return key
	}
	ch, err := cat.Find(key)
	if err != nil {
		return key
	}
	return ch.Title
}

// placeOf is where a value was read.
func placeOf(p *web.Page, cat *catalogue.Catalogue, f fact.Fact) (at place) {
	if f.Source == nil {
		return at
	}
	at.digest = f.Source.Snapshot
	at.file = f.Subject.IDs[summary.ChartID]
	if cat != nil {
		if ch, err := cat.Find(at.file); err == nil {
			at.file = ch.CSV
		}
	}
	switch s := f.Source.Selector; {
	case s.CSV != nil:
		at.record = p.T("rp.card.cell", "row", strconv.Itoa(s.CSV.Row), "column", s.CSV.Column)
	case s.JSON != nil:
		at.record = s.JSON.Pointer
	case s.Row != nil:
		at.file, at.record = s.Row.Table, s.Row.PK
	}
	return at
}

// exactly is a value as it is kept, with its unit.
func (c card) exactly() string {
	if c.fact.Unit == "" {
		return c.fact.Value
	}
	return c.fact.Value + " " + c.fact.Unit
}

func kindIcon(k fact.Kind) string {
	switch k {
	case fact.Computed:
		return "eval"
	case fact.Quoted:
		return "chat"
	case fact.Assumed:
		return "user"
	}
	return "eye"
}

// comma lists words.
func comma(all []string) string { return strings.Join(all, ", ") }
