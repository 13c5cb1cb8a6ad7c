// Package page is what people see of Pool Patrol: its pages, what it shows on the page
// of a case, and the page of somebody who was written to. Pages show and ask; the store
// and the casework decide.
package page

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework"
	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

//go:embed messages
var texts embed.FS

// Messages is the text of the pages, by language.
func Messages() fs.FS { return platform.Folder(texts, "messages") }

// The addresses of the pages.
const (
	homeAt     = "/poolpatrol"
	passesAt   = homeAt + "/passes"
	vansAt     = homeAt + "/vanpools"
	runsAt     = homeAt + "/runs"
	ridersAt   = homeAt + "/employees"
	gapsAt     = homeAt + "/gaps"
	importAt   = homeAt + "/import"
	simulateAt = homeAt + "/simulate"
)

// perPage is how many rows a list has on a page.
const perPage = 50

// maxSmallForm is the most a form without a file may send, in bytes.
const maxSmallForm = 16 << 10

// Nav is the application's line of the rail.
func Nav() []web.NavItem {
	return []web.NavItem{{Section: programme.Name, Key: "pool.title", Path: homeAt, Icon: "user", Act: programme.ActRead}}
}

// Pages are the pages of Pool Patrol. They show and ask; the store decides.
type Pages struct {
	store *store.Store
	work  *casework.Work
	door  *answer.Door
	site  *web.Site
	gate  *web.Turnstile // before the pages of riders, who have no account
}

// New makes them. What they stand on may be opened later, before the first request.
func New(s *store.Store, w *casework.Work, d *answer.Door) *Pages {
	return &Pages{store: s, work: w, door: d}
}

// Parts are what the page of a case shows of ours.
func (g *Pages) Parts() []console.Part {
	return []console.Part{g.part(), g.vanPart(), g.answersPart()}
}

// Routes registers every page, region and act.
func (g *Pages) Routes(m *web.Mux) {
	g = &Pages{store: g.store, work: g.work, door: g.door, site: m.Site(), gate: web.NewTurnstile()}
	m.Handle("GET "+homeAt, g.home, web.Needs(programme.ActRead))
	m.Handle("GET "+homeAt+"/last", g.homeLast, web.Needs(programme.ActRead))
	m.Handle("GET "+passesAt, g.passes, web.Needs(programme.ActRead))
	m.Handle("POST "+passesAt, g.startPass, web.Needs(programme.ActAudit), web.MaxBody(maxSmallForm))
	m.Handle("GET "+newPassAt, g.askPass, web.Needs(programme.ActAudit))
	m.Handle("GET "+passesAt+"/{id}", g.pass, web.Needs(programme.ActRead))
	m.Handle("GET "+passesAt+"/{id}/results", g.passResults, web.Needs(programme.ActRead))
	m.Handle("GET "+vansAt, g.vans, web.Needs(programme.ActRead))
	m.Handle("GET "+vansAt+"/{id}", g.van, web.Needs(programme.ActRead))
	m.Handle("GET "+runsAt+"/{id}", g.run, web.Needs(programme.ActRead))
	m.Handle("GET "+ridersAt+"/{id}", g.rider, web.Needs(programme.ActRead))
	m.Handle("GET "+gapsAt, g.gaps, web.Needs(programme.ActRead))
	m.Handle("GET "+simulateAt, g.simulate, web.Needs(programme.ActTry))
	g.importRoutes(m)
	g.settingRoutes(m)
	g.answerRoutes(m)
}

// whoAsks is who asks.
func whoAsks(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// page begins a page of the application.
func (g *Pages) page(r *http.Request, title string) *web.Page {
	p := g.site.Page(r)
	p.Title, p.Section = title, programme.Name
	return p
}

// headed is a page whose title is a text of ours.
func (g *Pages) headed(r *http.Request, key string) *web.Page {
	p := g.page(r, "")
	p.Title = p.T(key)
	return p
}

// poolTabs are the pages beside each other, as far as this reader may open them.
func poolTabs(p *web.Page, here string) []ui.Tab {
	var seen []ui.Tab
	for _, tab := range []web.NavItem{
		{Key: "pool.home", Path: homeAt, Act: programme.ActRead},
		{Key: "pool.cases", Path: casesAt, Act: programme.ActRead},
		{Key: "pool.passes", Path: passesAt, Act: programme.ActRead},
		{Key: "pool.vans", Path: vansAt, Act: programme.ActRead},
		{Key: "pool.gaps", Path: gapsAt, Act: programme.ActRead},
		{Key: "pool.simulate", Path: simulateAt, Act: programme.ActTry},
		{Key: "pool.import", Path: importAt, Act: programme.ActChange},
		{Key: "pool.settings", Path: settingsAt, Act: programme.ActRead},
	} {
		if p.May(tab.Act) {
			seen = append(seen, ui.Tab{Text: p.T(tab.Key), Href: p.Href(tab.Path), Here: tab.Path == here})
		}
	}
	return seen
}

// crumbs lead from the programme to a page below it.
func crumbs(p *web.Page, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: p.T("pool.title"), Href: p.Href(homeAt)}}, more...)
}

// nextPager leads on through a list, and back to its beginning.
func nextPager(p *web.Page, label, after, first, next string) ui.Pager {
	g := ui.Pager{Label: label}
	if after != "" {
		g.Back = ui.Link{Text: p.T("pool.first_page"), Href: p.Href(first)}
	}
	if next != "" {
		g.Next = ui.Link{Text: p.T("pool.next_page"), Href: p.Href(next)}
	}
	return g
}

// numeral is a number as people here write it.
func numeral(n int) string { return web.Numeral(int64(n)) }

// manyWords say how many there are of something.
func manyWords(p *web.Page, what string, n int) string {
	return p.T("pool.many."+what, "n", numeral(n))
}

// dayOf is a day of the records, which belongs to a site and is in no zone: "6 Jan",
// and "6 Jan 2025" in another year than the page's. The month is a word, so that
// nobody takes it for the day.
func dayOf(p *web.Page, d fleet.Date) string {
	if d == 0 {
		return ""
	}
	t := d.Day()
	text := fmt.Sprintf("%d %s", t.Day(), p.T(fmt.Sprintf("month.%02d", int(t.Month()))))
	if t.Year() != p.Now.Year() {
		text += fmt.Sprintf(" %d", t.Year())
	}
	return text
}

// mends reports whether the person can do something about an error on the form.
func mends(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.Unconfirmed:
		return true
	}
	return false
}

// byWords is who did something: the reader, Gavel itself, or somebody by their id.
func byWords(p *web.Page, id string) string {
	switch id {
	case p.Actor.ID:
		return p.T("pool.by_you")
	case identity.Gavel(p.Actor.Org).ID:
		return p.T("pool.by_gavel")
	}
	return id
}
