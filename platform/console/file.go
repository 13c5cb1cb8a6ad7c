package console

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// notesPerPage bounds the sheet: a history is never loaded whole.
const notesPerPage = 100

// A caseFile is a case with one page of its history, oldest note first as on
// paper, and what it rests on beside it.
type caseFile struct {
	casefile.Case
	before   int64            // the page ends before this note; zero for the newest
	notes    []casefile.Entry // oldest first
	blocks   []block          // the sheet as it is drawn
	gates    []review.Proposal
	found    map[string]finding.Finding // what was found of those, by their ids
	drafts   []proposalView             // the gates with their words, as far as the sheet has room
	bar      *proposalView              // what the reader is asked to decide; nil for nothing
	asked    string                     // the proposal that the address names; empty for none
	lead     *leading                   // what was found last, where nothing waits; nil for nothing
	standing Standing
	opener   string // who opened it
	ground   ground
	strips   []strip // what came of acts
	letters  []letterView
	panels   []templ.Component
	heard    []concern.Objection // what the person concerned objected
	ask      *askBox             // where questions are asked; nil takes none
	byHand   bool                // people close it themselves
	form     form
}

// A form is what the acts show besides their fields: how the last act ended,
// and what was typed when it was refused.
type form struct {
	act      string       // note or close, or the verdict that was given; empty when nothing was sent
	proposal string       // of a verdict
	onRecord *audit.Entry // the record of it
	done     bool
	fault    error
	typed    string
}

// caseRoutes registers the page of a case, its regions and what is done on it.
func (c *Console) caseRoutes(m *web.Mux) {
	m.Handle("GET /cases/{id}", c.file, web.Needs("case.read"))
	for part, region := range c.caseRegions() {
		m.Handle("GET /cases/{id}/"+part, c.caseRegion(region), web.Needs("case.read"))
	}
	m.Handle("GET /cases/{id}/gates", c.gates, web.Needs("case.read"))
	m.Handle("GET /cases/{id}/letters/{mail}", c.letter, web.Needs("case.read"))
	m.Handle("GET /cases/{id}/facts", c.facts, web.Needs("case.read"))
	m.Handle("GET /cases/{id}/facts/{fact}", c.fact, web.Needs("case.read"))
	m.Handle("POST /cases/{id}/facts/{fact}/show", c.showFact, web.Needs("case.reveal"), web.MaxBody(maxForm))
	m.Handle("GET /cases/{id}/evidence/{n}", c.piece, web.Needs("case.read"))
	m.Handle("POST /cases/{id}/evidence/{n}/show", c.showPiece, web.Needs("case.reveal"), web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/notes", c.addNote, web.Needs("case.note"), web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/close", c.closeCase, web.Needs("case.close"), web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/bundle", c.takeAway, web.Needs("case.export"), web.MaxBody(maxForm), web.Streaming())
	c.concernRoutes(m)
}

// A regionOf reads one region of a case's page and draws it.
type regionOf struct {
	read func(*http.Request, identity.Actor, *caseFile) error
	draw func(*web.Page, caseFile) web.Region
}

// caseRegions are the parts of the page that keep themselves current, by the end
// of their addresses.
func (c *Console) caseRegions() map[string]regionOf {
	return map[string]regionOf{
		"head":           {c.readHead, headRegion},
		"stands":         {c.readHead, standsRegion},
		"after":          {c.readStrips, stripsRegion},
		"letters":        {c.readLetters, lettersRegion},
		"sheet":          {c.readSheet, sheetRegion},
		"correspondence": {c.readGround, groundRegion},
		"parts":          {c.readPanels, panelsRegion},
		"acts":           {func(*http.Request, identity.Actor, *caseFile) error { return nil }, actsRegion},
	}
}

func (c *Console) caseRegion(region regionOf) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		one, actor, err := c.readCase(r)
		if err != nil {
			return err
		}
		f := caseFile{Case: one, byHand: c.Cases.ByHand(one), asked: askedIn(r)}
		if err := region.read(r, actor, &f); err != nil {
			return err
		}
		p := c.filePage(r, one)
		return c.site.Region(w, r, p, region.draw(p, f))
	}
}

// file is the page of one case.
func (c *Console) file(w http.ResponseWriter, r *http.Request) error {
	f, err := c.readFile(r)
	if err != nil {
		return err
	}
	if r.PathValue("id") != string(f.ID) { // called by its ref; the page has one address
		http.Redirect(w, r, withQuery(caseAddress(f.ID, ""), r.URL.RawQuery), http.StatusSeeOther)
		return nil
	}
	q := r.URL.Query()
	if act := q.Get("done"); slices.Contains(append(answers(), actNote, actClose), act) {
		f.form = form{act: act, done: true}
		if id := q.Get("proposal"); proposalForm.MatchString(id) {
			f.form.proposal = id
			if f.form.onRecord, err = c.made(r, id); err != nil {
				return err
			}
		}
	}
	return c.showFile(w, r, http.StatusOK, f)
}

func (c *Console) showFile(w http.ResponseWriter, r *http.Request, status int, f caseFile) error {
	p := c.filePage(r, f.Case)
	return c.site.Render(w, r, status, p, fileBody(p, f))
}

func (c *Console) filePage(r *http.Request, one casefile.Case) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = one.Ref+" "+one.Title, "cases"
	return p
}

func (c *Console) readCase(r *http.Request) (casefile.Case, identity.Actor, error) {
	actor, err := c.reader(r)
	if err != nil {
		return casefile.Case{}, actor, err
	}
	one, err := c.cases.Lookup(r.Context(), actor.Org, r.PathValue("id"))
	return one, actor, err
}

// reader is who asks, and may read cases.
func (c *Console) reader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return actor, err
	}
	return actor, c.Rules.May(actor, "case.read")
}

// readFile reads all that the page shows.
func (c *Console) readFile(r *http.Request) (f caseFile, err error) {
	one, actor, err := c.readCase(r)
	if err != nil {
		return f, err
	}
	f.Case, f.byHand, f.asked = one, c.Cases.ByHand(one), askedIn(r)
	for _, read := range []func(*http.Request, identity.Actor, *caseFile) error{
		c.readHead, c.readSheet, c.readStrips, c.readLetters, c.readPanels, c.readBar, c.readAsk,
	} {
		if err := read(r, actor, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// readNotes reads the page of the history that is asked for.
func (c *Console) readNotes(r *http.Request, actor identity.Actor, f *caseFile) (err error) {
	if before := r.URL.Query().Get("before"); before != "" {
		f.before, err = strconv.ParseInt(before, 10, 64)
		if err != nil || f.before < 2 {
			return fault.New(fault.Invalid, "the sheet has no page that ends before note %.20q", before).Because("no_such_page_of_list")
		}
	}
	f.notes, err = c.cases.Entries(r.Context(), actor.Org, f.ID, casefile.EntryQuery{Before: f.before, Limit: notesPerPage})
	slices.Reverse(f.notes)
	return err
}

// older is the number of the first note shown when there are older ones, zero
// when the sheet begins here. Notes are numbered from one.
func (f caseFile) older() int64 {
	if len(f.notes) == 0 || f.notes[0].Seq <= 1 {
		return 0
	}
	return f.notes[0].Seq
}

func caseAddress(id casefile.CaseID, part string) string { return "/cases/" + string(id) + part }

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// region is a part of the page that is fetched again when the case moves.
func (f caseFile) region(id, part string, body templ.Component) web.Region {
	return web.Region{ID: id, Object: string(f.ID), Version: f.Version, Src: caseAddress(f.ID, part), Body: body}
}

func headRegion(p *web.Page, f caseFile) web.Region { return f.region("head", "/head", headBody(p, f)) }

func standsRegion(p *web.Page, f caseFile) web.Region {
	return f.region("stands", web.Address("/stands", "proposal", f.asked), standsBody(p, f))
}

func stripsRegion(p *web.Page, f caseFile) web.Region {
	reg := f.region("after", "/after", stripsBody(p, f))
	for _, s := range f.strips {
		if s.Run != "" && !s.State.Ended() { // the run moves when its act does
			reg.Object, reg.Version = s.Run, 0
		}
	}
	return reg
}

func sheetRegion(p *web.Page, f caseFile) web.Region {
	part := "/sheet"
	if f.before > 0 {
		part += "?before=" + strconv.FormatInt(f.before, 10)
	}
	reg := f.region("sheet", part, sheetBody(p, f))
	reg.Announce = true
	return reg
}

func groundRegion(p *web.Page, f caseFile) web.Region {
	part := web.Address("/correspondence", "side", string(f.ground.side), "proposal", f.asked)
	return f.region("correspondence", part, groundBody(p, f))
}

func panelsRegion(p *web.Page, f caseFile) web.Region {
	return f.region("parts", "/parts", panelsBody(p, f))
}

func actsRegion(p *web.Page, f caseFile) web.Region { return f.region("acts", "/acts", actsBody(p, f)) }
