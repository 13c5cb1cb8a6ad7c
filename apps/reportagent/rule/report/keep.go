package report

import (
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/fault"
)

// Whose words a section holds.
type whose uint8

const (
	nobodys whose = iota // it is empty
	ours                 // what we wrote last time, and nobody touched since
	theirs               // a person's
)

// standing is the words that a section has now, and whose they are: those in the outline, or else those in the report
// as it stands. Only what hashes to what we wrote is ours.
func (g *run) standing(s outline.Section) (text string, by whose) {
	was := g.was(s.ID)
	mine := func(hash string) whose {
		if was != nil && was.Hash == hash {
			return ours
		}
		return theirs
	}
	if s.Prose != "" {
		return s.Prose, mine(s.Hash())
	}
	if old := g.stood(s.ID); old != nil && old.Prose != "" {
		return old.Prose, mine(old.Hash())
	}
	return "", nobodys
}

// was is the entry of a section last time.
func (g *run) was(id string) *Entry {
	if g.Before == nil {
		return nil
	}
	return g.Before.Ledger.Find(id)
}

// stood is the section in the report as it stands.
func (g *run) stood(id string) *outline.Section {
	if g.before == nil {
		return nil
	}
	for i := range g.before.Sections {
		if g.before.Sections[i].ID == id {
			return &g.before.Sections[i]
		}
	}
	return nil
}

// fill puts text into every section.
func (g *run) fill() (err error) {
	texts := map[string]string{}
	for _, s := range g.doc.Sections {
		e := g.entries[s.ID]
		text, err := g.settle(s, e)
		if err != nil {
			return err
		}
		g.traced[s.ID].Status, g.traced[s.ID].Why = e.Status, e.Why
		if text != s.Prose {
			texts[s.ID] = text
		}
	}
	if g.doc, err = g.doc.Fill(texts); err != nil {
		return err
	}
	for _, s := range g.doc.Sections {
		if e := g.entries[s.ID]; e != nil { // nil: a heading below one that a person wrote
			e.hash(s)
		}
	}
	g.lost()
	return nil
}

// hash notes what was written, so that it is known again.
func (e *Entry) hash(s outline.Section) {
	if e.Status == Written || e.Status == Unchanged || e.Status == Left && e.Hash != "" {
		e.Hash = s.Hash()
	}
}

// settle decides what a section is to hold, and as what it is entered.
func (g *run) settle(s outline.Section, e *Entry) (string, error) {
	text, by := g.standing(s)
	was := g.was(s.ID)
	if g.Section != "" && s.ID != g.Section {
		*e = Entry{ID: s.ID, Title: s.Title, Level: s.Level, Charts: []string{}}
		if was != nil {
			*e = *was
		}
		if by == theirs {
			e.Hash = ""
		}
		e.Status = Left
		return text, nil
	}
	draft := g.drafted[s.ID]
	switch {
	case by == theirs:
		if was != nil && len(was.Facts) > 0 { // the facts their words were made of
			*e = *was
		}
		e.Status, e.Hash, e.Why = Kept, "", "it holds a person's words"
		return text, nil
	case draft == nil:
		return "", nil // blocked; what we wrote before rested on data that are gone
	case by == ours && g.OnlyChanged && was.Inputs == e.Inputs:
		*e = *was
		e.Status = Unchanged
		return text, nil
	}
	e.Status = Written
	if was != nil {
		e.History = was.History
	}
	if old := g.stood(s.ID); old != nil && len(old.Reviews) > 0 {
		e.History = append(e.History, Reviewed{g.Before.Ledger.Meta.RunID, old.Reviews})
	}
	return draft.Markdown()
}

// lost tells of words that a person wrote into a section which the outline no longer has.
func (g *run) lost() {
	if g.before == nil {
		return
	}
	for _, old := range g.before.Sections {
		if _, there := g.entries[old.ID]; there || old.Prose == "" {
			continue
		}
		if was := g.was(old.ID); was == nil || was.Hash != old.Hash() {
			g.problem(AboutOutline, old.ID,
				"it holds a person's words, and the outline has no such section: they stay in the version before")
		}
	}
}

// result gathers everything in the order of the outline.
func (g *run) result() (*Result, error) {
	document, err := withMeta(g.doc.Render(), g.Meta)
	if err != nil {
		return nil, err
	}
	out := &Result{Document: document, Problems: g.problems, Told: g.told,
		Ledger: Ledger{Format: Format, Version: 1, Meta: g.Meta, Sections: []Entry{}},
		Trace:  Trace{Meta: g.Meta, Unmapped: g.plan.Unmapped, Dead: g.plan.Dead, Told: g.told}}
	if g.Before != nil && g.Before.Ledger != nil {
		out.Ledger.Version, out.Ledger.Previous = g.Before.Ledger.Version+1, g.Before.SHA256
	}
	for _, s := range g.plan.Sections {
		e, t := g.entries[s.Section], g.traced[s.Section]
		if e.Status == "" {
			return nil, fault.New(fault.Internal, "section %s was forgotten", e.ID)
		}
		if e.Status == Blocked {
			out.Problems = append(out.Problems, Problem{AboutData, e.ID, "it cannot be written: " + e.Why})
		}
		out.Ledger.Sections, out.Trace.Sections = append(out.Ledger.Sections, *e), append(out.Trace.Sections, *t)
	}
	return out, nil
}
