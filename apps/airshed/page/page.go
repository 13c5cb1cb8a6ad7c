// Package page is what people see of Airshed: the surge board, episodes with their map and
// curves, the draft of a report, scans, ingests, patterns over seasons, and our part of a case's page.
//
// Read page.go, which lists every address, then board.go. The pages of an episode are in
// episode, what all pages share in frame. Pages run no SQL: what they show they ask of the
// store, and what follows from a form of casework.
package page

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/casework/ingest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/page/episode"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var texts embed.FS

// Messages is the text of the pages, by language.
func Messages() fs.FS { return platform.Folder(texts, "messages") }

// Bounds of forms, in bytes: one without a file, and one around a file.
const (
	maxSmallForm = 16 << 10
	maxFileForm  = lake.MaxBytes + 1<<20
)

// Nav is the application's line of the rail.
func Nav() []web.NavItem {
	return []web.NavItem{{Section: store.Name, Key: "air.title", Path: frame.HomeAt, Icon: frame.SurgeIcon, Act: store.ActRead}}
}

// Pages are the pages of Airshed. They show and ask; the store and casework decide.
type Pages struct {
	*frame.Frame

	episodes *episode.Pages
	surveyor *survey.Surveyor
	gatherer *ingest.Gatherer
	clerk    *filing.Clerk
	paper    *pdf.Printer // nil: nothing is printed
}

// New makes the pages. What they stand on is there once the application has been opened.
func New(s *store.Store, v *survey.Surveyor, in *ingest.Gatherer, c *filing.Clerk) *Pages {
	f := &frame.Frame{Store: s}
	return &Pages{Frame: f, episodes: episode.New(f, v), surveyor: v, gatherer: in, clerk: c}
}

// Open tells them who prints; nil where nobody does.
func (g *Pages) Open(paper *pdf.Printer) { g.paper = paper }

// Routes registers every page, region and act.
func (g *Pages) Routes(m *web.Mux) {
	g.Site = m.Site()
	read := web.Needs(store.ActRead)
	m.Handle("GET "+frame.HomeAt, g.board, read)
	m.Handle("GET "+frame.HomeAt+"/now", g.boardNow, read)
	m.Handle("GET "+frame.EpisodesAt, g.episodes.List, read)
	m.Handle("GET "+frame.EpisodesAt+"/{id}", g.episodes.Episode, read)
	m.Handle("GET "+frame.EpisodesAt+"/{id}/report", g.episodes.Report, read)
	m.Handle("GET "+frame.EpisodesAt+"/{id}/file", g.episodes.File, read)
	m.Handle("GET "+frame.ScansAt, g.scans, read)
	m.Handle("POST "+frame.ScansAt, g.startScan, web.Needs(store.ActScan), web.MaxBody(maxSmallForm))
	m.Handle("POST "+frame.FilesAt, g.handIn, web.Needs(store.ActScan), web.MaxBody(maxFileForm), web.Streaming())
	m.Handle("GET "+frame.ScansAt+"/{id}", g.scan, read)
	m.Handle("GET "+frame.ScansAt+"/{id}/now", g.scanNow, read)
	m.Handle("GET "+frame.IngestsAt, g.ingests, read)
	m.Handle("POST "+frame.IngestsAt, g.startIngest, web.Needs(store.ActIngest), web.MaxBody(maxSmallForm))
	m.Handle("GET "+frame.IngestsAt+"/{id}", g.ingest, read)
	m.Handle("GET "+frame.IngestsAt+"/{id}/now", g.ingestNow, read)
	m.Handle("GET "+reportsAt+"/{id}", g.episodes.Signed, read)
	m.Handle("GET "+reportsAt+"/{id}/file", g.reportFile, read)
	m.Handle("POST "+reportsAt+"/{id}/ask", g.askAgain, web.Needs(store.ActAsk), web.MaxBody(maxSmallForm))
	m.Handle("GET "+frame.PatternsAt, g.patterns, read)
	m.Handle("GET "+frame.PatternsAt+"/file", g.patternFile, read)
}

// mends reports whether the person can do something about an error on the form.
func mends(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.Unconfirmed:
		return true
	}
	return false
}

// lastPart is what stands behind the last slash of a place.
func lastPart(place string) string { return place[strings.LastIndex(place, "/")+1:] }
