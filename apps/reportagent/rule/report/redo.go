package report

import (
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// tokens lists the tokens of a text.
func tokens(text string) []render.Token {
	var out []render.Token
	for _, p := range render.Parse(text) {
		if p.Kind == render.Fact {
			out = append(out, p.Token)
		}
	}
	return out
}

// A redoer reads and computes facts of a ledger again, from the data as they are now.
type redoer struct {
	cat    *catalogue.Catalogue
	charts *draft.Charts
	cells  map[string]map[string]fact.Fact // by chart, then key
	bytes  map[string][]string             // by chart: the digests of what it is read from
}

func newRedoer(cat *catalogue.Catalogue) *redoer {
	return &redoer{cat: cat, charts: draft.NewCharts(cat), cells: map[string]map[string]fact.Fact{}, bytes: digests(cat)}
}

func digests(cat *catalogue.Catalogue) map[string][]string {
	out := map[string][]string{}
	for _, ch := range cat.Charts {
		out[ch.Key] = []string{ch.Digest}
		if ch.Spec != nil {
			out[ch.Key] = append(out[ch.Key], ch.Spec.SHA256())
		}
	}
	for _, v := range cat.Views {
		out[summary.RawKey(v.Name())] = []string{v.SHA256}
	}
	return out
}

// same reports whether everything that a section rests on was read from the bytes that are there today.
func (r *redoer) same(e Entry) bool {
	for _, f := range e.Facts {
		if f.Source != nil && !slices.Contains(r.bytes[f.Subject.IDs[summary.ChartID]], f.Source.Snapshot) {
			return false
		}
	}
	return true
}

// now is what a cell that was read holds today; ok is false where it is no longer there. What a raw table was asked holds as long as the
// table is the same; of another one it would have to be asked anew.
func (r *redoer) now(f fact.Fact) (fact.Fact, bool) {
	key := f.Subject.IDs[summary.ChartID]
	if _, raw := summary.RawName(key); raw {
		return f, f.Source != nil && slices.Contains(r.bytes[key], f.Source.Snapshot)
	}
	if _, known := r.cells[key]; !known {
		r.cells[key] = map[string]fact.Fact{}
		if ch, err := r.charts.Open(key); err == nil {
			for _, c := range ch.Book.Newest() {
				r.cells[key][c.Key] = c
			}
		}
	}
	g, ok := r.cells[key][f.Key]
	return g, ok && g.Calc == nil
}

// A redone book is a section's facts as they are today: under the numbers they had, or gone.
type redone struct {
	book *fact.Book
	ids  map[fact.ID]fact.ID // from the number in the ledger to that in the book
}

// redo does all facts of a section again.
func (r *redoer) redo(e Entry) redone {
	out := redone{fact.NewBook(e.ID), map[fact.ID]fact.ID{}}
	for _, f := range e.Facts {
		var now fact.Fact
		if f.Calc == nil {
			cell, ok := r.now(f)
			if !ok {
				continue
			}
			cell.Case, cell.ID, cell.Version = "", "", 0
			var err error
			if now, err = out.book.Add(cell); err != nil {
				continue
			}
		} else if again, ok := out.derive(f); ok {
			now = again
		} else {
			continue
		}
		out.ids[f.ID] = now.ID
	}
	return out
}

// derive computes a fact again; ok is false where an input is gone, or where it can no longer be computed.
func (r redone) derive(f fact.Fact) (fact.Fact, bool) {
	ids := make([]fact.ID, len(f.Calc.Inputs))
	for i, in := range f.Calc.Inputs {
		id, ok := r.ids[in.ID]
		if !ok {
			return fact.Fact{}, false
		}
		ids[i] = id
	}
	now, err := r.book.Derive(f.Calc.Op, f.Calc.Code, ids...)
	return now, err == nil
}

// text is a text of the ledger in today's numbers; ok is false where a fact it cites is gone.
func (r redone) text(template string) (string, bool) {
	out := ""
	for _, p := range render.Parse(template) {
		if p.Kind != render.Fact {
			out += p.Text
			continue
		}
		id, ok := r.ids[p.Token.ID]
		if !ok {
			return "", false
		}
		t := p.Token
		t.ID = id
		out += t.String()
	}
	return out, true
}
