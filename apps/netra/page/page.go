// Package page is what people see of NE-NETRA: the board with its map of tiles, a district with the reasons of its score, briefings and
// answers about it, and what scores were worth afterwards.
//
// Read page.go, which lists every address, then board.go, district.go, briefing.go and validation.go; draw.go has the drawings, place.go
// where states lie. Pages run no SQL: they ask casework. The text of governance stands on each of them, and in each file.
package page

import (
	"embed"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
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
	return []web.NavItem{{Section: store.Name, Key: "netra.title", Path: HomeAt, Icon: "risk", Act: store.ActRead}}
}

// The addresses of the pages.
const (
	HomeAt       = "/netra"
	DistrictsAt  = HomeAt + "/districts"
	BriefingsAt  = HomeAt + "/briefings"
	ValidationAt = HomeAt + "/validation"
)

// actExport is the platform's act of taking a list away as a file.
const actExport = "list.export"

// Pages are the pages. They show; casework and the store decide.
type Pages struct {
	store     *store.Store
	desk      *casework.Desk
	analyst   *analyst.Analyst
	corrector *correction.Clerk
	site      *web.Site // once the pages are registered
}

// New makes the pages.
func New(s *store.Store, d *casework.Desk, a *analyst.Analyst, c *correction.Clerk) *Pages {
	return &Pages{store: s, desk: d, analyst: a, corrector: c}
}

// Routes registers every page and file.
func (g *Pages) Routes(m *web.Mux) {
	g.site = m.Site()
	read := web.Needs(store.ActRead)
	m.Handle("GET "+HomeAt, g.board, read)
	m.Handle("GET "+HomeAt+"/file", g.boardFile, read)
	m.Handle("GET "+DistrictsAt+"/{lgd}", g.district, read)
	m.Handle("GET "+DistrictsAt+"/{lgd}/file", g.districtFile, read)
	m.Handle("POST "+DistrictsAt+"/{lgd}/briefings", g.ask, web.Needs(store.ActBrief), web.MaxBody(maxQuestion))
	m.Handle("GET "+BriefingsAt+"/{id}", g.briefing, read)
	m.Handle("GET "+BriefingsAt+"/{id}/now", g.briefingNow, read)
	may := web.Needs(store.ActCorrect)
	m.Handle("GET "+DistrictsAt+"/{lgd}/correct", g.correct, may)
	m.Handle("POST "+DistrictsAt+"/{lgd}/correct", g.sendCorrect, may, web.MaxBody(maxCorrection))
	m.Handle("GET "+ValidationAt, g.validation, read)
	m.Handle("POST "+ValidationAt, g.compare, web.Needs(store.ActFreeze), web.MaxBody(maxEvents))
}

// page begins a page of the application.
func (g *Pages) page(r *http.Request) *web.Page {
	p := g.site.Page(r)
	p.Section = store.Name
	return p
}

// who is who asks for a page; for a file they must be allowed to take lists away.
func (g *Pages) who(r *http.Request, acts ...string) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	for _, act := range acts {
		if err == nil {
			err = g.store.May(actor, act)
		}
	}
	return actor, err
}

// windows are those of the product, in hours.
var windows = []int{24, 72, 168}

// windowIn is the window that an address names; a day where it names none.
func windowIn(r *http.Request) (int, error) {
	text := r.URL.Query().Get("window")
	if text == "" {
		return windows[0], nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || !slices.Contains(windows, n) {
		return 0, fault.New(fault.Invalid, "window %.20q: it is 24, 72 or 168 hours", text).WithNext("use /netra?window=72")
	}
	return n, nil
}

// windowTabs lead from one window to another.
func windowTabs(p *web.Page, at string, here int, narrowed ...string) ui.Tabs {
	t := ui.Tabs{Label: p.T("netra.windows")}
	for _, n := range windows {
		href := web.Address(at, append([]string{"window", strconv.Itoa(n)}, narrowed...)...)
		t.List = append(t.List, ui.Tab{Text: p.T("netra.window." + strconv.Itoa(n)), Href: p.Href(href), Here: n == here})
	}
	return t
}

// districtAt is the page of a district, or what lies under it.
func districtAt(lgd int, under string, window int) string {
	return DistrictsAt + "/" + strconv.Itoa(lgd) + under + "?" + url.Values{"window": {strconv.Itoa(window)}}.Encode()
}

// governance is the text that stands on every output, in the reader's language.
func governance(p *web.Page) string {
	text, err := reason.Governance(reason.Lang(p.Lang))
	if err != nil {
		text, _ = reason.Governance(reason.English) // its words are compiled in
	}
	return text
}

// figure is a number with so many decimals and a true minus.
func figure(v float64, decimals int) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)
}

// signed is a difference with its sign.
func signed(v float64, decimals int) string {
	if text := figure(v, decimals); v > 0 {
		return "+" + text
	}
	return figure(v, decimals)
}

// points are printed points with their sign.
func points(n score.Printed) string { return signed(float64(n)/100, 2) }

// bandLook is the badge of a band.
func bandLook(b score.Band) (class, icon string) {
	switch b {
	case score.Baseline:
		return "plain", "dot"
	case score.Monitoring:
		return "warn", "eye"
	}
	return "bad", "flag"
}

// stamp is a moment for machines.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// share is a part of one in percent.
func share(v float64) string { return figure(100*v, 0) + " %" }

// sendCSV answers with rows as a file, each with the text of governance in its last cell.
func sendCSV(w http.ResponseWriter, name, governance string, rows [][]string) error {
	for n := range rows {
		last := governance
		if n == 0 {
			last = "governance_disclaimer"
		}
		rows[n] = append(rows[n], last)
	}
	web.SendCSV(w, "gavel-"+name+".csv", rows)
	return nil
}
