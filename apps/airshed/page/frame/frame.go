// Package frame is what all pages of Airshed have in common: their addresses, how a page
// begins, and the parts that more than one of them shows.
package frame

import (
	"embed"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

//go:embed static
var files embed.FS

// Assets are the files of the pages: their part of the stylesheet.
func Assets() fs.FS { return platform.Folder(files, "static") }

// PictureStyle is the rules of the drawings, for a page that has no stylesheet of the console.
func PictureStyle() string {
	own, err := files.ReadFile("static/css/1-picture.css")
	if err != nil {
		panic(err) // it is compiled in
	}
	return chart.Paper() + string(own)
}

// SurgeIcon is Airshed's own picture.
//
//go:embed icon/surge.svg
var SurgeIcon string

// A Frame is what pages stand on.
type Frame struct {
	Store *store.Store
	Site  *web.Site // once the pages are registered
}

// WhoAsks is who asks.
func WhoAsks(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// WhoCarries is who asks for a table as a file, if they may take one away.
func (f *Frame) WhoCarries(r *http.Request) (identity.Actor, error) {
	actor, err := WhoAsks(r)
	if err != nil {
		return actor, err
	}
	return actor, f.Store.May(actor, ActExport)
}

// Page begins a page of the application, which has no title yet.
func (f *Frame) Page(r *http.Request) *web.Page {
	p := f.Site.Page(r)
	p.Section = store.Name
	return p
}

// TitledPage is a page whose title is a text of ours.
func (f *Frame) TitledPage(r *http.Request, key string) *web.Page {
	p := f.Page(r)
	p.Title = p.T(key)
	return p
}

// The addresses of the pages.
const (
	HomeAt     = "/airshed"
	EpisodesAt = HomeAt + "/episodes"
	ScansAt    = HomeAt + "/scans"
	IngestsAt  = HomeAt + "/ingests"
	FilesAt    = HomeAt + "/files"
	PatternsAt = HomeAt + "/patterns"
)

// Acts of the platform that pages ask for.
const (
	ActExport = "list.export"
	ActSource = "source.read"
	ActCase   = "case.read"
)

// PerPage is how many rows a list has on a page.
const PerPage = 50

// tabs are the pages beside each other.
func tabs(p *web.Page, here string) []ui.Tab {
	var out []ui.Tab
	for _, tab := range []web.NavItem{
		{Key: "air.board", Path: HomeAt}, {Key: "air.episodes", Path: EpisodesAt}, {Key: "air.patterns", Path: PatternsAt},
		{Key: "air.scans", Path: ScansAt},
		{Key: "air.ingests", Path: IngestsAt},
	} {
		out = append(out, ui.Tab{Text: p.T(tab.Key), Href: p.Href(tab.Path), Here: tab.Path == here})
	}
	return out
}

// Crumbs lead from the board to a page below it.
func Crumbs(p *web.Page, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: p.T("air.title"), Href: p.Href(HomeAt)}}, more...)
}

// NextPager leads on through a list, and back to its beginning; narrowed is what narrows it,
// names and values by turns.
func NextPager(p *web.Page, label, after, first, next string, narrowed ...string) ui.Pager {
	g := ui.Pager{Label: label}
	if after != "" {
		g.Back = ui.Link{Text: p.T("air.first_page"), Href: p.Href(web.Address(first, narrowed...))}
	}
	if next != "" {
		g.Next = ui.Link{Text: p.T("air.next_page"), Href: p.Href(web.Address(first, append(narrowed, "after", next)...))}
	}
	return g
}

// Numeral is a number as people here write it.
func Numeral(n int) string { return web.Numeral(int64(n)) }

// ManyWords say how many there are of something.
func ManyWords(p *web.Page, what string, n int) string {
	return p.T("air.many."+what, "n", Numeral(n))
}

// ByWords is who did something: the reader, Gavel itself, or somebody else. Who that is
// stands on the record, by an id that tells a reader nothing.
func ByWords(p *web.Page, id string) string {
	switch id {
	case p.Actor.ID:
		return p.T("air.by_you")
	case identity.Gavel(p.Actor.Org).ID:
		return p.T("air.by_gavel")
	}
	return p.T("air.by_colleague")
}

// WhoWords are the same with the id, where it is looked up.
func WhoWords(p *web.Page, id string) string {
	if by := ByWords(p, id); by != p.T("air.by_colleague") {
		return by
	}
	return id
}

// Stamp is a moment for machines.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// EpisodeAddress is the page of an episode, or what lies under it.
func EpisodeAddress(key surge.Key, under string) string {
	return EpisodesAt + "/" + url.PathEscape(string(key)) + under
}

// VerdictLook is the badge of how sure an answer is.
func VerdictLook(verdict string) (class, icon, word string) {
	switch plume.Verdict(verdict) {
	case plume.Conclusive:
		return "ok", "check", "conclusive"
	case plume.Inconclusive:
		return "warn", "unknown", "inconclusive"
	case analysis.Complaint:
		return "ok", "check", "complaint"
	case analysis.Inquiry:
		return "info", "info", "inquiry"
	case analysis.Undetermined:
		return "warn", "unknown", "undetermined"
	}
	return "plain", "slash", "none"
}

// Names reports whether a verdict names the first state.
func Names(verdict string) bool {
	v := plume.Verdict(verdict)
	return v == plume.Conclusive || v == analysis.Complaint || v == analysis.Inquiry
}

// Speech is the words of the reports in the page's language.
func Speech(p *web.Page) (report.Speech, error) { return report.Speak(report.Lang(p.Lang)) }

// ShortDigest is enough of a digest to tell it apart by eye.
func ShortDigest(d string) string {
	if len(d) > 12 {
		return d[:12] + "…"
	}
	return d
}

// Figure is a number with so many decimals and a true minus.
func Figure(v float64, decimals int) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)
}

// Signed is a difference with its sign.
func Signed(v float64, decimals int) string {
	if v > 0 {
		return "+" + Figure(v, decimals)
	}
	return Figure(v, decimals)
}

// UnitWords are how a unit is written here: an index has a word, the others signs.
func UnitWords(p *web.Page, unit string) string {
	if unit == "index" {
		return p.T("air.unit_index")
	}
	return unit
}

// ScanAddress is the page of a scan, or what lies under it.
func ScanAddress(id, under string) string { return ScansAt + "/" + id + under }

// IngestAddress is the page of an ingest, or what lies under it.
func IngestAddress(id, under string) string { return IngestsAt + "/" + id + under }
