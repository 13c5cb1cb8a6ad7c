package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

// A Request is what a report is made of.
type Request struct {
	Outline     []byte
	Catalogue   *catalogue.Catalogue
	Map         *mapping.Map
	Aliases     mapping.Aliases
	Plan        *mapping.Plan // which charts each section has, where it was worked out of the same before; nil where it was not
	Meta        Meta
	Before      *Before // what was made of this outline last time; nil where nothing was
	OnlyChanged bool    // leave sections whose inputs are those of last time
	Section     string  // write this one only; all where it is empty
	Strict      bool    // warnings count as errors
	Progress    func(done, of int, section string)
}

// Before is a report as it stands now, perhaps edited, with its ledger.
type Before struct {
	Document []byte
	Ledger   *Ledger
	SHA256   string // of the ledger's file
}

// A Result is a report.
type Result struct {
	Document []byte
	Ledger   Ledger
	Trace    Trace
	Problems []Problem
	Told     diagnostic.List // everything there is to tell, of every severity
}

// Generate writes a report: leaves first, parents from what their children say. What a person wrote stays.
func Generate(r Request) (*Result, error) {
	g, err := newRun(r)
	if err != nil {
		return nil, err
	}
	if err := g.drafts(); err != nil {
		return nil, err
	}
	if err := g.fill(); err != nil {
		return nil, err
	}
	return g.result()
}

// run is one making of a report.
type run struct {
	Request
	doc      *outline.Document // the outline, as it is filled
	before   *outline.Document
	charts   *draft.Charts
	plan     *mapping.Plan
	drafted  map[string]*draft.Section
	entries  map[string]*Entry
	traced   map[string]*Traced
	problems []Problem
	told     diagnostic.List
}

func newRun(r Request) (*run, error) {
	sum := sha256.Sum256(r.Outline)
	r.Meta.Outline, r.Meta.Catalogue = hex.EncodeToString(sum[:]), r.Catalogue.Version
	if err := r.Meta.Check(); err != nil {
		return nil, err
	}
	doc, err := outline.Parse(r.Outline)
	if err != nil {
		return nil, err
	}
	g := &run{Request: r, doc: doc, charts: draft.NewCharts(r.Catalogue), drafted: map[string]*draft.Section{},
		entries: map[string]*Entry{}, traced: map[string]*Traced{}}
	if r.Section != "" {
		s, err := doc.Find(r.Section)
		if err != nil {
			return nil, err
		}
		g.Section = s.ID
	}
	if r.Before != nil {
		if g.before, err = outline.Parse(r.Before.Document); err != nil {
			return nil, err
		}
	}
	if g.plan = r.Plan; g.plan == nil {
		p := mapping.Assign(r.Map, doc, r.Catalogue, r.Aliases)
		g.plan = &p
	}
	g.note(AboutOutline, doc.Diagnostics.In("outline"))
	g.note(AboutData, r.Catalogue.All())
	g.note(AboutData, g.plan.Diagnostics.In("map"))
	for _, id := range g.plan.Dead {
		g.problem(AboutData, "", "the map names chart "+id+", which is not there")
	}
	return g, nil
}

// note keeps diagnostics; errors among them are problems.
func (g *run) note(code string, list diagnostic.List) {
	if g.Strict {
		list = list.Strict()
	}
	g.told = append(g.told, list...)
	for _, d := range list {
		if d.Severity == diagnostic.Error {
			g.problem(code, "", d.String())
		}
	}
}

func (g *run) problem(code, section, text string) {
	g.problems = append(g.problems, Problem{code, section, text})
}

// wants reports whether a section is to be written: it, or for its sake one below it.
func (g *run) wants(id string) bool {
	for at := id; g.Section != "" && at != ""; {
		if at == g.Section {
			return true
		}
		i := slices.IndexFunc(g.doc.Sections, func(s outline.Section) bool { return s.ID == at })
		at = g.doc.Sections[i].Parent
	}
	return g.Section == ""
}

// drafts writes the drafts, the last section first: what stands below another comes after it in the file.
func (g *run) drafts() error {
	total := len(g.doc.Sections)
	for i := range g.doc.Sections {
		s := g.doc.Sections[total-1-i]
		as := g.plan.Sections[total-1-i]
		e := &Entry{ID: s.ID, Title: s.Title, Level: s.Level, Charts: []string{}}
		g.entries[s.ID], g.traced[s.ID] = e, &Traced{ID: s.ID, Picks: as.Charts}
		if g.wants(s.ID) {
			if err := g.draft(s, as, e); err != nil {
				return err
			}
		}
		if g.Progress != nil {
			g.Progress(i+1, total, s.ID)
		}
	}
	return nil
}

// draft writes one draft.
func (g *run) draft(s outline.Section, as mapping.Assignment, e *Entry) error {
	var own []string
	for _, p := range as.Charts {
		if ch, err := g.Catalogue.Find(p.Chart); err == nil && ch.Citable() {
			e.Charts = append(e.Charts, p.Chart)
			if p.Why != mapping.Inherited {
				own = append(own, p.Chart)
			}
		}
	}
	var children []draft.Child
	for _, c := range g.doc.Children(s.ID) {
		children = append(children, draft.Child{Title: c.Title, Section: g.drafted[c.ID]})
	}
	own = slices.DeleteFunc(own, func(key string) bool {
		_, err := g.charts.Open(key)
		if err != nil {
			g.problem(AboutData, s.ID, err.Error())
		}
		return err != nil
	})
	var d *draft.Section
	var err error
	if len(children) == 0 {
		d, err = g.charts.Leaf(s.ID, own)
	} else {
		d, err = g.charts.Parent(s.ID, own, children)
	}
	if err != nil {
		return err
	}
	if d.Empty() {
		e.Status, e.Why = Blocked, "no data"
		return nil
	}
	g.drafted[s.ID] = d
	e.Paragraphs, e.Facts, e.Dropped = d.Paragraphs, d.Book.All(), len(d.Dropped)
	e.Inputs, err = g.inputs(s, d)
	g.judge(s.ID, d)
	return err
}

// judge notes what the verifier took out, and who is not mentioned.
func (g *run) judge(id string, d *draft.Section) {
	t := g.traced[id]
	t.Dropped, t.Missing = d.Dropped, g.charts.Missing(d)
	for _, p := range d.Paragraphs {
		for _, s := range p.Sentences {
			t.Numbers += len(tokens(s.Text))
		}
	}
	for _, one := range d.Dropped {
		g.problem(AboutVerifier, id, fmt.Sprintf("a sentence about %s was left out: %s", one.Chart, one.Findings[0]))
	}
	for _, name := range t.Missing {
		g.problem(AboutVerifier, id, "scenario "+name+" is not mentioned")
	}
}

// inputs names what a draft rests on: the way of writing, the instructions, the sentences and the values they cite.
func (g *run) inputs(s outline.Section, d *draft.Section) (string, error) {
	text, err := d.Markdown()
	if err != nil {
		return "", err
	}
	var digests []string
	for _, p := range d.Paragraphs {
		ch, err := g.Catalogue.Find(p.Chart)
		if err != nil {
			return "", err
		}
		digests = append(digests, ch.Key+" "+ch.Digest)
	}
	b, err := json.Marshal([]any{draft.Code, s.Instructions, digests, text})
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}
