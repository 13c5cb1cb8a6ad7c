package console

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// notesPerPage bounds the sheet: a history is never loaded whole.
const notesPerPage = 100

// A caseFile is a case with one page of its history, oldest note first as on
// paper.
type caseFile struct {
	casefile.Case
	notes  []casefile.Entry
	before int64             // the page ends before this note; zero for the newest
	gates  []review.Proposal // what waits for a decision in the case
	form   form
}

// A form is what the acts show besides their fields: how the last act ended,
// and what was typed when it was refused.
type form struct {
	act   string // note or close; empty when nothing was sent
	done  bool
	fault error
	typed string
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
	if act := r.URL.Query().Get("done"); act == actNote || act == actClose {
		f.form = form{act: act, done: true}
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

// head, sheet and acts are the regions of the page; each keeps itself current.
func (c *Console) head(w http.ResponseWriter, r *http.Request) error {
	one, _, err := c.readCase(r)
	if err != nil {
		return err
	}
	p := c.filePage(r, one)
	return c.site.Region(w, r, p, headRegion(p, one))
}

func (c *Console) sheet(w http.ResponseWriter, r *http.Request) error {
	f, err := c.readFile(r)
	if err != nil {
		return err
	}
	p := c.filePage(r, f.Case)
	return c.site.Region(w, r, p, sheetRegion(p, f))
}

func (c *Console) acts(w http.ResponseWriter, r *http.Request) error {
	one, _, err := c.readCase(r)
	if err != nil {
		return err
	}
	p := c.filePage(r, one)
	return c.site.Region(w, r, p, actsRegion(p, caseFile{Case: one}))
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

func (c *Console) readFile(r *http.Request) (caseFile, error) {
	one, actor, err := c.readCase(r)
	if err != nil {
		return caseFile{}, err
	}
	f := caseFile{Case: one}
	if f.gates, err = c.openIn(r, string(one.ID)); err != nil {
		return f, err
	}
	if before := r.URL.Query().Get("before"); before != "" {
		f.before, err = strconv.ParseInt(before, 10, 64)
		if err != nil || f.before < 2 {
			return caseFile{}, fault.New(fault.Invalid, "the sheet has no page that ends before note %.20q", before)
		}
	}
	f.notes, err = c.cases.Entries(r.Context(), actor.Org, one.ID, casefile.EntryQuery{Before: f.before, Limit: notesPerPage})
	slices.Reverse(f.notes)
	return f, err
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

func headRegion(p *web.Page, one casefile.Case) web.Region {
	return web.Region{ID: "head", Object: string(one.ID), Version: one.Version, Src: caseAddress(one.ID, "/head"), Body: headBody(p, one)}
}

func sheetRegion(p *web.Page, f caseFile) web.Region {
	src := caseAddress(f.ID, "/sheet")
	if f.before > 0 {
		src += "?before=" + strconv.FormatInt(f.before, 10)
	}
	return web.Region{ID: "sheet", Object: string(f.ID), Version: f.Version, Src: src, Announce: true, Body: sheetBody(p, f)}
}

func actsRegion(p *web.Page, f caseFile) web.Region {
	return web.Region{ID: "acts", Object: string(f.ID), Version: f.Version, Src: caseAddress(f.ID, "/acts"), Body: actsBody(p, f)}
}
