package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/casework/signing"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/web"
)

// A reportView is a report with its sections, and how far it is.
type reportView struct {
	casework.View

	job      job.Job // the newest drafting; zero where there was none
	asked    map[string]signing.Asked
	read     map[string]int // by section: up to which version the reader has read it
	rows     []sectionRow
	assumed  report.Assumptions
	changed  *report.Changes // nil where every text rests on the run that counts
	partial  error           // why the files of the run cannot be read
	fault    error           // why something was not done
	notDone  string          // what: the end of a message
	narrowed string          // a state that the list is narrowed to
}

// A sectionRow is one section of the list.
type sectionRow struct {
	id, title string
	level     int
	state     state
	version   store.Version
	outcome   store.Outcome
	unread    bool // the newest version is new to the reader
}

// A state says how a section stands, in a word.
type state string

// The states, by what a person has to do about them.
const (
	stateSigned  state = "signed"
	stateAsked   state = "asked"   // somebody is asked to sign it
	stateBlocked state = "blocked" // it cannot be written
	stateMarked  state = "marked"  // a sentence was dropped, and a mark stands for it
	statePerson  state = "person"  // a person wrote in it
	stateDraft   state = "draft"
	stateNone    state = "none" // nobody has written it
)

// look is the badge of a state.
func (s state) look() (class, icon string) {
	switch s {
	case stateSigned:
		return "ok", "lock"
	case stateAsked:
		return "info", "clock"
	case stateBlocked:
		return "bad", "slash"
	case stateMarked:
		return "warn", "warn"
	case statePerson:
		return "plain", "user"
	case stateNone:
		return "plain", "ring"
	}
	return "draft", "draft"
}

func (g *Pages) report(w http.ResponseWriter, r *http.Request) error {
	return g.showReport(w, r, http.StatusOK, reportView{})
}

func (g *Pages) showReport(w http.ResponseWriter, r *http.Request, status int, v reportView) error {
	p := g.page(r)
	if err := g.readReport(r, &v); err != nil {
		return err
	}
	p.Title = v.Title
	return g.site.Render(w, r, status, p, reportScreen(p, v))
}

// reportNow is the part of it that moves by itself.
func (g *Pages) reportNow(w http.ResponseWriter, r *http.Request) error {
	p := g.page(r)
	v := reportView{}
	if err := g.readReport(r, &v); err != nil {
		return err
	}
	p.Title = v.Title
	return g.site.Region(w, r, p, v.region(p))
}

func (v reportView) region(p *web.Page) web.Region {
	src := web.Address(reportAt(v.ID, "/now"), "state", v.narrowed)
	return web.Region{ID: "report", Object: store.DraftJob.Live("*"), Src: src, Announce: v.job.State == job.Running,
		Body: reportBody(p, v)}
}

// readReport reads a report as it is now.
func (g *Pages) readReport(r *http.Request, v *reportView) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if v.View, err = g.overview(r, actor); err != nil {
		return err
	}
	if v.job, err = g.store.NewestDraft(ctx, actor, v.ID); err != nil {
		return err
	}
	if v.asked, err = g.clerk.AskedOf(ctx, actor, v.Case); err != nil {
		return err
	}
	if v.read, err = g.store.Readings(ctx, actor, v.ID); err != nil {
		return err
	}
	if v.narrowed = r.URL.Query().Get("state"); web.Plain(v.narrowed) != nil {
		v.narrowed = ""
	}
	v.list()
	cat, err := g.desk.Catalogue(ctx, actor.Org, v.Data.Pack)
	if fault.Is(err, fault.Unavailable) { // the sections are there, the files of the run are not
		v.partial = err
		return nil
	}
	if err != nil {
		return err
	}
	v.assumed = report.Assume(v.Ledger, cat)
	return g.readChanges(r, actor, v)
}

// readChanges reads what the newest run changes, where a text rests on an older one.
func (g *Pages) readChanges(r *http.Request, actor identity.Actor, v *reportView) error {
	for _, one := range v.Newest {
		if one.Dataset < v.Data.N {
			c, err := g.desk.Changes(r.Context(), actor, v.View)
			v.changed = &c
			return err
		}
	}
	return nil
}

// view reads the report that an address names, with every fact; overview reads it without.
func (g *Pages) view(r *http.Request, actor identity.Actor) (v casework.View, err error) {
	id, err := reportIn(r)
	if err == nil {
		v, err = g.desk.View(r.Context(), actor, id)
	}
	return v, err
}

func (g *Pages) overview(r *http.Request, actor identity.Actor) (v casework.View, err error) {
	id, err := reportIn(r)
	if err == nil {
		v, err = g.desk.Overview(r.Context(), actor, id)
	}
	return v, err
}

// reportIn is the report that an address names.
func reportIn(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !store.IsID(id) {
		return "", fault.New(fault.NotFound, "no report is called %.40q", id).WithNext("see the list of reports").
			Because("report_unknown", "id", id)
	}
	return id, nil
}

// list makes the rows of the sections.
func (v *reportView) list() {
	for _, s := range v.Document.Sections {
		row := sectionRow{id: s.ID, title: s.Title, level: s.Level, version: v.Newest[s.ID], outcome: v.Drafted[s.ID]}
		row.state = stateOf(v.View, v.asked, s.ID, s.Prose)
		row.unread = row.version.N > v.read[s.ID] && v.read[s.ID] > 0
		v.rows = append(v.rows, row)
	}
}

// stateOf is how a section stands.
func stateOf(v casework.View, asked map[string]signing.Asked, id, prose string) state {
	newest := v.Newest[id]
	_, signed := v.Signed[id]
	switch {
	case signed:
		return stateSigned
	case asked[id].Open:
		return stateAsked
	case prose == "" && v.Drafted[id].Status == report.Blocked:
		return stateBlocked
	case prose == "":
		return stateNone
	case strings.Contains(prose, wording.Mark):
		return stateMarked
	case newest.N == 0 || newest.How == store.Person:
		return statePerson
	}
	return stateDraft
}

// shown are the rows of the state that the list is narrowed to.
func (v reportView) shown() (out []sectionRow) {
	for _, row := range v.rows {
		if v.narrowed == "" || string(row.state) == v.narrowed {
			out = append(out, row)
		}
	}
	return out
}

// A stateCount is how many sections stand in a state.
type stateCount struct {
	state state
	n     int
}

// counts are how many sections stand in each state that one stands in.
func (v reportView) counts() (out []stateCount) {
	for _, s := range []state{stateBlocked, stateMarked, stateNone, stateDraft, statePerson, stateAsked, stateSigned} {
		n := 0
		for _, row := range v.rows {
			if row.state == s {
				n++
			}
		}
		if n > 0 {
			out = append(out, stateCount{s, n})
		}
	}
	return out
}

// doingWords are what a drafting is at, and how far.
func doingWords(p *web.Page, j job.Job) string {
	if j.Doing == "" {
		return p.T("rp.doing.waiting")
	}
	if j.Total == 0 { // nobody has counted yet
		return p.T("rp.doing." + j.Doing)
	}
	return p.T("rp.doing."+j.Doing) + " · " + p.T("rp.of_sections", "done", strconv.Itoa(j.Done), "all", strconv.Itoa(j.Total))
}

// draft leads from a drafting to its report.
func (g *Pages) draft(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if !store.DraftJob.IsID(id) {
		return fault.New(fault.NotFound, "no drafting is called %.40q", id).WithNext("see the list of reports").
			Because("report_unknown", "id", id)
	}
	j, err := g.store.Job(r.Context(), actor, id)
	if err != nil {
		return err
	}
	http.Redirect(w, r, g.site.Page(r).Href(reportAt(j.About, "")), http.StatusSeeOther)
	return nil
}
