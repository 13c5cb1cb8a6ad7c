package poolpatrol

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

//go:embed messages
var texts embed.FS

// messages is the text of the pages, by language.
func messages() fs.FS { return platform.Folder(texts, "messages") }

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

// nav is the application's line of the rail.
func nav() []web.NavItem {
	return []web.NavItem{{Section: Name, Key: "pool.title", Path: homeAt, Icon: "user", Act: actRead}}
}

// pages are the pages of Pool Patrol. They show and ask; the store decides.
type pages struct {
	app  *app
	site *web.Site
	gate *web.Turnstile // before the pages of riders, who have no account
}

// routes registers every page, region and act.
func (a *app) routes(m *web.Mux) {
	g := &pages{app: a, site: m.Site(), gate: web.NewTurnstile()}
	m.Handle("GET "+homeAt, g.home, web.Needs(actRead))
	m.Handle("GET "+homeAt+"/last", g.homeLast, web.Needs(actRead))
	m.Handle("GET "+passesAt, g.passes, web.Needs(actRead))
	m.Handle("POST "+passesAt, g.startPass, web.Needs(actAudit), web.MaxBody(maxSmallForm))
	m.Handle("GET "+passesAt+"/{id}", g.pass, web.Needs(actRead))
	m.Handle("GET "+passesAt+"/{id}/results", g.passResults, web.Needs(actRead))
	m.Handle("GET "+vansAt, g.vans, web.Needs(actRead))
	m.Handle("GET "+vansAt+"/{id}", g.van, web.Needs(actRead))
	m.Handle("GET "+runsAt+"/{id}", g.run, web.Needs(actRead))
	m.Handle("GET "+ridersAt+"/{id}", g.rider, web.Needs(actRead))
	m.Handle("GET "+gapsAt, g.gaps, web.Needs(actRead))
	m.Handle("GET "+simulateAt, g.simulate, web.Needs(actTry))
	g.importRoutes(m)
	g.settingRoutes(m)
	g.answerRoutes(m)
	(&provisioning{app: a, site: m.Site()}).routes(m)
}

// whoAsks is who asks.
func whoAsks(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// page begins a page of the application.
func (g *pages) page(r *http.Request, title string) *web.Page {
	p := g.site.Page(r)
	p.Title, p.Section = title, Name
	return p
}

// headed is a page whose title is a text of ours.
func (g *pages) headed(r *http.Request, key string) *web.Page {
	p := g.page(r, "")
	p.Title = p.T(key)
	return p
}

// poolTabs are the pages beside each other, as far as this reader may open them.
func poolTabs(p *web.Page, here string) []ui.Tab {
	var seen []ui.Tab
	for _, tab := range []web.NavItem{
		{Key: "pool.home", Path: homeAt, Act: actRead},
		{Key: "pool.cases", Path: casesAt, Act: actRead},
		{Key: "pool.passes", Path: passesAt, Act: actRead},
		{Key: "pool.vans", Path: vansAt, Act: actRead},
		{Key: "pool.gaps", Path: gapsAt, Act: actRead},
		{Key: "pool.simulate", Path: simulateAt, Act: actTry},
		{Key: "pool.import", Path: importAt, Act: actChange},
		{Key: "pool.settings", Path: settingsAt, Act: actRead},
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
