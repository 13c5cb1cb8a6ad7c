// Package page is what people see of reports: the list, a report with its sections, the editor of a section, what a newer run
// changes, what is not told, and what draftings were worth.
//
// Read page.go, which lists every address, then report.go and section.go; deeds.go takes forms, card.go says where a number is
// from, draw.go has the drawings. Pages run no SQL: they ask casework and the store.
package page

import (
	"embed"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/casework/signing"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

//go:embed messages
var messages embed.FS

//go:embed static
var files embed.FS

// Messages is the text, by language.
func Messages() fs.FS { return platform.Folder(messages, "messages") }

// Assets are the files of the pages: their part of the stylesheet.
func Assets() fs.FS { return platform.Folder(files, "static") }

// Nav is the application's line of the rail.
func Nav() []web.NavItem {
	return []web.NavItem{{Section: store.Name, Key: "app.reportagent", Path: HomeAt, Icon: "report", Act: store.ActRead}}
}

// The addresses of the pages.
const (
	HomeAt    = "/reportagent"
	ReportsAt = HomeAt + "/reports"
)

// Pages are the pages. They show; casework and the store decide.
type Pages struct {
	store *store.Store
	desk  *casework.Desk
	clerk *signing.Clerk
	site  *web.Site // once the pages are registered
}

// New makes the pages.
func New(s *store.Store, d *casework.Desk, c *signing.Clerk) *Pages {
	return &Pages{store: s, desk: d, clerk: c}
}

// The most a form may send, in bytes: a text, and the files of a run.
const (
	maxText = 8 << 20
	maxRun  = 96 << 20
)

// maxSending is how long sending a run and keeping it may take.
const maxSending = 10 * time.Minute

// Routes registers every page and form.
func (g *Pages) Routes(m *web.Mux) {
	g.site = m.Site()
	read, write, review := web.Needs(store.ActRead), web.Needs(store.ActWrite), web.Needs(store.ActReview)
	one, section := ReportsAt+"/{id}", ReportsAt+"/{id}/sections/{section}"
	m.Handle("GET "+HomeAt, g.list, read)
	m.Handle("GET "+HomeAt+"/newest", g.newest, read)
	m.Handle("POST "+ReportsAt, g.bring, write, web.MaxBody(maxRun), web.Streaming())
	m.Handle("GET "+HomeAt+"/drafts/{id}", g.draft, read)
	m.Handle("GET "+one, g.report, read)
	m.Handle("GET "+one+"/now", g.reportNow, read)
	m.Handle("GET "+one+"/paper", g.paper, read)
	m.Handle("GET "+one+"/evidence", g.evidence, read)
	m.Handle("GET "+one+"/changes", g.changes, read)
	m.Handle("GET "+one+"/coverage", g.coverage, read)
	m.Handle("GET "+one+partContradictions, g.contradictions, read)
	m.Handle("GET "+one+"/evaluation", g.worth, read)
	m.Handle("POST "+one+"/drafts", g.startDraft, write)
	m.Handle("POST "+one+"/data", g.giveData, write, web.MaxBody(maxRun), web.Streaming())
	m.Handle("GET "+section, g.section, read)
	m.Handle("POST "+section+"/text", g.write, write, web.MaxBody(maxText))
	m.Handle("POST "+section+"/unsent", g.keep, write, web.MaxBody(maxText))
	m.Handle("POST "+section+"/unsent/rebase", g.rebase, write, web.MaxBody(maxText))
	m.Handle("POST "+section+"/unsent/discard", g.discard, write)
	m.Handle("POST "+section+"/read", g.markRead, web.Needs(store.ActMark))
	m.Handle("POST "+section+"/rating", g.rate, review)
	m.Handle("POST "+section+"/notes", g.note, review)
	m.Handle("POST "+section+"/notes/answer", g.answer, write)
	m.Handle("POST "+section+"/notes/verdict", g.judge, review)
	m.Handle("POST "+section+"/checks", g.makeCheck, review)
	m.Handle("POST "+section+"/checks/end", g.endCheck, review)
	m.Handle("POST "+section+"/sign-off", g.signOff, write)
}

// page begins a page of the application.
func (g *Pages) page(r *http.Request) *web.Page {
	p := g.site.Page(r)
	p.Section = store.Name
	return p
}

// who is who asks for a page.
func who(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// reportAt is the page of a report, or what lies under it.
func reportAt(id, under string) string { return ReportsAt + "/" + url.PathEscape(id) + under }

// sectionAt is the page of a section, or what lies under it. A slash in its id is written %2F.
func sectionAt(report, section, under string) string {
	return reportAt(report, "/sections/"+url.PathEscape(section)) + under
}

// The parts of a report, each with a page.
const (
	partSections       = ""
	partChanges        = "/changes"
	partContradictions = "/contradictions"
	partCoverage       = "/coverage"
	partWorth          = "/evaluation"
)

// tabs lead from one part of a report to another.
func tabs(p *web.Page, report, here string) ui.Tabs {
	t := ui.Tabs{Label: p.T("rp.parts")}
	for _, one := range []struct{ part, key string }{{partSections, "rp.sections"}, {partChanges, "rp.changes"},
		{partContradictions, "rp.contradictions"}, {partCoverage, "rp.coverage"}, {partWorth, "rp.worth"}} {
		t.List = append(t.List, ui.Tab{Text: p.T(one.key), Href: p.Href(reportAt(report, one.part)), Here: one.part == here})
	}
	return t
}

// crumbs lead from the list to a page below it.
func crumbs(p *web.Page, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: p.T("app.reportagent"), Href: p.Href(HomeAt)}}, more...)
}

// mends reports whether the person can do something about an error on the form.
func mends(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.NotFound:
		return true
	}
	return false
}

// stamp is a moment for machines.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// by is who did something, as a page says it: its reader, the platform itself, or an id.
func by(p *web.Page, id string) string {
	switch id {
	case p.Actor.ID:
		return p.T("rp.by_you")
	case "gavel":
		return p.T("rp.by_gavel")
	}
	return id
}

// inTongue is what the rules say, as a sentence in the reader's language.
func inTongue(p *web.Page, en, hi string) string {
	if p.Lang == web.Hindi && hi != "" {
		return hi + "।"
	}
	return web.Sentence(en)
}
