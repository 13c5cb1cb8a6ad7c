package page

import (
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/casework/signing"
	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A sectionView is a section with everything that its writers and reviewers go by.
type sectionView struct {
	casework.View

	section  outline.Section
	state    state
	newest   store.Version // zero: nobody has written it
	outcome  store.Outcome
	asked    signing.Asked
	allAsked map[string]signing.Asked
	cat      *catalogue.Catalogue // nil: the files of the run cannot be read
	parts    []part
	cards    []card
	figures  []figure
	findings []report.Finding
	history  store.History
	compare  comparison
	told     typed
	done     string // what was just done; empty where nothing was
}

// typed is what somebody sent that was not taken, and why.
type typed struct {
	what   string // the end of a message
	fault  error
	text   string // of the section
	rating store.Rating
	note   string
}

// A part is a paragraph of the text, or the title above one.
type part struct {
	title  bool
	pieces []piece
}

// A piece is words, or a number that is a fact.
type piece struct {
	words  string
	number string // as it is shown
	card   string // of the number
	kind   fact.Kind
	mark   bool // a sentence was dropped here
}

// mostVersions is how many versions the page compares.
const mostVersions = 50

// section is the editor of a section.
func (g *Pages) section(w http.ResponseWriter, r *http.Request) error {
	done := r.URL.Query().Get("done")
	if web.Plain(done) != nil {
		done = ""
	}
	return g.showSection(w, r, http.StatusOK, sectionView{done: done})
}

func (g *Pages) showSection(w http.ResponseWriter, r *http.Request, status int, v sectionView) error {
	p := g.page(r)
	if err := g.readSection(r, p, &v); err != nil {
		return err
	}
	p.Title = v.section.Title
	return g.site.Render(w, r, status, p, sectionScreen(p, v))
}

func (g *Pages) readSection(r *http.Request, p *web.Page, v *sectionView) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	id, err := reportIn(r)
	if err != nil {
		return err
	}
	var s outline.Section
	if v.View, s, err = g.desk.Section(ctx, actor, id, r.PathValue("section")); err != nil {
		return err
	}
	v.section, v.newest, v.outcome = s, v.Newest[s.ID], v.Drafted[s.ID]
	if v.allAsked, err = g.clerk.AskedOf(ctx, actor, v.Case); err != nil {
		return err
	}
	v.asked = v.allAsked[s.ID]
	v.state = stateOf(v.View, v.allAsked, s.ID, s.Prose)
	if v.history, err = g.store.History(ctx, actor, v.ID, s.ID, mostVersions); err != nil {
		return err
	}
	v.compare = compareIn(r, v.history.Versions, v.history.Read)
	if err := g.readData(r, p, actor, v); err != nil {
		return err
	}
	return v.lay(p)
}

// readData reads what needs the files of the run: findings and drawings. Where they are away, the text is shown all the same.
func (g *Pages) readData(r *http.Request, p *web.Page, actor identity.Actor, v *sectionView) error {
	cat, err := g.desk.Catalogue(r.Context(), actor.Org, v.Data.Pack)
	if fault.Is(err, fault.Unavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	v.cat = cat
	if v.findings, err = g.desk.Check(r.Context(), actor, v.View, v.section.ID); err != nil {
		return err
	}
	v.figures = figuresOf(p, cat, v.entry())
	return nil
}

// entry is what the ledger has of the section.
func (v sectionView) entry() report.Entry {
	if e := v.Ledger.Find(v.section.ID); e != nil {
		return *e
	}
	return report.Entry{ID: v.section.ID, Title: v.section.Title, Level: v.section.Level}
}

// lay leads the text back to its facts, with a card for each that it cites.
func (v *sectionView) lay(p *web.Page) error {
	e := v.entry()
	book, err := e.Book()
	if err != nil {
		return err
	}
	all, err := report.Parts(v.Document, v.section, e)
	if err != nil {
		return err
	}
	shown := map[fact.ID]bool{}
	for _, one := range all {
		laid := part{title: one.Title}
		if one.Title {
			laid.pieces = []piece{{words: one.Text}}
		}
		for _, t := range render.Parse(one.Text) {
			if one.Title {
				break
			}
			if t.Kind != render.Fact {
				laid.pieces = append(laid.pieces, marked(t.Text)...)
				continue
			}
			f, ok := book.Latest(t.Token.ID)
			if !ok {
				return fault.New(fault.Internal, "section %s cites %s, which is not among its facts", e.ID, t.Token.ID)
			}
			laid.pieces = append(laid.pieces, piece{number: fact.Style{}.Show(f, t.Token.Options), card: cardID(f.ID), kind: f.Kind})
			if !shown[f.ID] {
				shown[f.ID] = true
				v.cards = append(v.cards, cardOf(p, v.cat, book, f))
			}
		}
		v.parts = append(v.parts, laid)
	}
	return nil
}

// marked splits words at the marks that stand for sentences which were dropped.
func marked(words string) (out []piece) {
	for i, one := range strings.Split(words, wording.Mark) {
		if i > 0 {
			out = append(out, piece{mark: true})
		}
		if one != "" {
			out = append(out, piece{words: one})
		}
	}
	return out
}

// numbers counts the numbers of the text that are facts.
func (v sectionView) numbers() (n int) {
	for _, one := range v.parts {
		for _, x := range one.pieces {
			if x.card != "" {
				n++
			}
		}
	}
	return n
}

// mine is what the reader thinks of the newest version; false where they have not scored it.
func (v sectionView) mine(p *web.Page) (store.Rating, bool) {
	for _, r := range v.history.Ratings {
		if r.Author == p.Actor.ID {
			return r, true
		}
	}
	return store.Rating{}, false
}

// others are what others think of it. Who may score sees them once they have scored themselves: nobody is led by another's number.
func (v sectionView) others(p *web.Page) (out []store.Rating, hidden int) {
	_, scored := v.mine(p)
	for _, r := range v.history.Ratings {
		switch {
		case r.Author == p.Actor.ID:
		case scored || !p.May(store.ActReview):
			out = append(out, r)
		default:
			hidden++
		}
	}
	return out, hidden
}

// blocking counts the findings that keep the section from being signed.
func (v sectionView) blocking() (n int) {
	for _, f := range v.findings {
		if !f.Asks {
			n++
		}
	}
	return n
}

// openNotes counts the notes that nobody has answered.
func (v sectionView) openNotes() (n int) {
	for _, one := range v.history.Notes {
		if one.Became == "open" {
			n++
		}
	}
	return n
}

// signable reports whether the section may be put before somebody who signs.
func (v sectionView) signable() bool {
	return v.newest.N > 0 && v.section.Prose != "" && v.cat != nil && v.blocking() == 0 &&
		(v.state == stateDraft || v.state == statePerson)
}

// fewSections is up to how many sections all are led to from each.
const fewSections = 24

// nearby are the sections that the page leads to: all of a short report; of a long one those at the top, and those around this one.
func (v sectionView) nearby() (out []outline.Section) {
	all := v.Document.Sections
	if len(all) <= fewSections {
		return all
	}
	above := map[string]bool{}
	for at := v.section.Parent; at != ""; {
		above[at] = true
		one, err := v.Document.Find(at)
		if err != nil {
			break
		}
		at = one.Parent
	}
	for _, s := range all {
		if s.ID == v.section.ID || s.Parent == "" || above[s.ID] || s.Parent == v.section.ID || s.Parent == v.section.Parent {
			out = append(out, s)
		}
	}
	return out
}

// checks are what every text of the section has to mention.
func (v sectionView) checks() (out []store.Check) {
	for _, c := range v.Checks {
		if c.Section == v.section.ID {
			out = append(out, c)
		}
	}
	return out
}
