package airshed

import (
	"embed"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
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
	homeAt     = "/airshed"
	episodesAt = homeAt + "/episodes"
	scansAt    = homeAt + "/scans"
	filesAt    = homeAt + "/files"
	patternsAt = homeAt + "/patterns"
)

// Acts of the platform that pages ask for.
const (
	actExport = "list.export"
	actSource = "source.read"
	actCase   = "case.read"
)

// perPage is how many rows a list has on a page.
const perPage = 50

// Bounds of forms, in bytes: one without a file, and one around a file.
const (
	maxSmallForm = 16 << 10
	maxFileForm  = lake.MaxBytes + 1<<20
)

// nav is the application's line of the rail.
func nav() []web.NavItem {
	return []web.NavItem{{Section: Name, Key: "air.title", Path: homeAt, Icon: "surge", Act: actRead}}
}

// pages are the pages of Airshed. They show and ask; the store decides.
type pages struct {
	app  *app
	site *web.Site
}

// routes registers every page, region and act.
func (a *app) routes(m *web.Mux) {
	g := &pages{app: a, site: m.Site()}
	read := web.Needs(actRead)
	m.Handle("GET "+homeAt, g.board, read)
	m.Handle("GET "+homeAt+"/now", g.boardNow, read)
	m.Handle("GET "+episodesAt, g.episodes, read)
	m.Handle("GET "+episodesAt+"/{id}", g.episode, read)
	m.Handle("GET "+episodesAt+"/{id}/report", g.report, read)
	m.Handle("GET "+episodesAt+"/{id}/file", g.episodeFile, read)
	m.Handle("GET "+scansAt, g.scans, read)
	m.Handle("POST "+scansAt, g.startScan, web.Needs(actScan), web.MaxBody(maxSmallForm))
	m.Handle("POST "+filesAt, g.handIn, web.Needs(actScan), web.MaxBody(maxFileForm), web.Streaming())
	m.Handle("GET "+scansAt+"/{id}", g.scan, read)
	m.Handle("GET "+scansAt+"/{id}/now", g.scanNow, read)
	m.Handle("GET "+reportsAt+"/{id}/file", g.reportFile, read)
	m.Handle("POST "+reportsAt+"/{id}/ask", g.askAgain, web.Needs(actAsk), web.MaxBody(maxSmallForm))
	m.Handle("GET "+patternsAt, g.patterns, read)
	m.Handle("GET "+patternsAt+"/file", g.patternFile, read)
}

// whoAsks is who asks.
func whoAsks(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// whoCarries is who asks for a table as a file, if they may take one away.
func (g *pages) whoCarries(r *http.Request) (identity.Actor, error) {
	actor, err := whoAsks(r)
	if err != nil {
		return actor, err
	}
	return actor, g.app.store.rules.May(actor, actExport)
}

// page begins a page of the application, which has no title yet.
func (g *pages) page(r *http.Request) *web.Page {
	p := g.site.Page(r)
	p.Section = Name
	return p
}

// titledPage is a page whose title is a text of ours.
func (g *pages) titledPage(r *http.Request, key string) *web.Page {
	p := g.page(r)
	p.Title = p.T(key)
	return p
}

// airTabs are the pages beside each other.
func airTabs(p *web.Page, here string) []ui.Tab {
	var out []ui.Tab
	for _, tab := range []web.NavItem{
		{Key: "air.board", Path: homeAt}, {Key: "air.episodes", Path: episodesAt}, {Key: "air.patterns", Path: patternsAt}, {Key: "air.scans", Path: scansAt},
	} {
		out = append(out, ui.Tab{Text: p.T(tab.Key), Href: p.Href(tab.Path), Here: tab.Path == here})
	}
	return out
}

// crumbs lead from the board to a page below it.
func crumbs(p *web.Page, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: p.T("air.title"), Href: p.Href(homeAt)}}, more...)
}

// nextPager leads on through a list, and back to its beginning.
func nextPager(p *web.Page, label, after, first, next string) ui.Pager {
	g := ui.Pager{Label: label}
	if after != "" {
		g.Back = ui.Link{Text: p.T("air.first_page"), Href: p.Href(first)}
	}
	if next != "" {
		g.Next = ui.Link{Text: p.T("air.next_page"), Href: p.Href(web.Address(first, "after", next))}
	}
	return g
}

// numeral is a number as people here write it.
func numeral(n int) string { return web.Numeral(int64(n)) }

// manyWords say how many there are of something.
func manyWords(p *web.Page, what string, n int) string {
	return p.T("air.many."+what, "n", numeral(n))
}

// mends reports whether the person can do something about an error on the form.
func mends(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.Unconfirmed:
		return true
	}
	return false
}

// byWords is who did something: the reader, Gavel itself, or somebody else. Who that is
// stands on the record, by an id that tells a reader nothing.
func byWords(p *web.Page, id string) string {
	switch id {
	case p.Actor.ID:
		return p.T("air.by_you")
	case identity.Gavel(p.Actor.Org).ID:
		return p.T("air.by_gavel")
	}
	return p.T("air.by_colleague")
}

// whoWords are the same with the id, where it is looked up.
func whoWords(p *web.Page, id string) string {
	if by := byWords(p, id); by != p.T("air.by_colleague") {
		return by
	}
	return id
}

// stamp is a moment for machines.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// episodeAddress is the page of an episode, or what lies under it.
func episodeAddress(key surge.Key, under string) string {
	return episodesAt + "/" + url.PathEscape(string(key)) + under
}

// verdictLook is the badge of how sure an answer is.
func verdictLook(verdict string) (class, icon, word string) {
	switch plume.Verdict(verdict) {
	case plume.Conclusive:
		return "ok", "check", "conclusive"
	case plume.Inconclusive:
		return "warn", "unknown", "inconclusive"
	}
	return "plain", "slash", "none"
}

// speech is the words of the reports in the page's language.
func speech(p *web.Page) (report.Speech, error) { return report.Speak(report.Lang(p.Lang)) }

// shortDigest is enough of a digest to tell it apart by eye.
func shortDigest(d string) string {
	if len(d) > 12 {
		return d[:12] + "…"
	}
	return d
}

// lastPart is what stands behind the last slash of a place.
func lastPart(place string) string { return place[strings.LastIndex(place, "/")+1:] }
