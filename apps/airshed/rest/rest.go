// Package rest is what Airshed answers under /v1/airshed: its addresses, and the bodies that
// travel there, which commands read too.
package rest

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/casework/ingest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
)

// apiTag is the heading of the application's addresses in the document.
const apiTag = "Airshed"

// maxFileBody is the most a request with a file may hold, in bytes: a file of 64 MiB,
// whose quotation marks JSON writes with two characters, and what stands around it.
const maxFileBody = 96 << 20

// The addresses.
const (
	ScansAddress      = "/v1/airshed/scans"
	EpisodesAddress   = "/v1/airshed/episodes"
	IngestsAddress    = "/v1/airshed/ingests"
	BoundariesAddress = "/v1/airshed/boundaries"
	SharesAddress     = "/v1/airshed/shares"
	StationsAddress   = "/v1/airshed/stations"
	CitationsAddress  = "/v1/airshed/citations"
	StaticAddress     = "/v1/airshed/static-sources"
	ReportsAddress    = "/v1/airshed/reports"
	OfficesAddress    = "/v1/airshed/offices"
	ScheduleAddress   = "/v1/airshed/schedule"
	noticesAddress    = "/v1/airshed/notices"
)

// MostOffices bounds how many offices there are.
const MostOffices = store.MostOffices

// Answers are the addresses of the application. They ask nothing of policy: the store and
// casework do. What these stand on is there once the application has been opened, which is
// before the first request.
type Answers struct {
	store    *store.Store
	surveyor *survey.Surveyor
	gatherer *ingest.Gatherer
	clerk    *filing.Clerk
}

// New makes them.
func New(s *store.Store, v *survey.Surveyor, g *ingest.Gatherer, c *filing.Clerk) *Answers {
	return &Answers{s, v, g, c}
}

// Operations registers what it answers.
func (s *Answers) Operations(a *api.API) {
	s.ingestOperations(a)
	s.referenceOperations(a)
	s.staticOperations(a)
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listScans", Path: "/v1/airshed/scans", Acts: read, Tag: apiTag, Title: "List scans, the newest first",
		Text: "A scan is one look at an object of the data lake, or at a file that was handed in."}, s.scans)
	api.Serve(a, api.Route{ID: "startScan", Method: http.MethodPost, Path: "/v1/airshed/scans", Acts: []string{store.ActScan}, Tag: apiTag,
		Title: "Run a scan",
		Text: "With a file, that file; else the object of the data lake that is named, or the newest. It is durable at once and goes on " +
			"by itself; read the scan to see how far it is. " +
			"A file that cannot be read is refused with 422, and says what is wrong with it.",
		MaxBody: maxFileBody, Status: http.StatusCreated, Untried: "a file is kept before it is looked at",
		Body: `{"object":"data/harmonised_20261114_083000.json"}`}, s.startScan)
	api.Serve(a, api.Route{ID: "getScan", Method: http.MethodGet, Path: "/v1/airshed/scans/{id}", Acts: read, Tag: apiTag,
		Title: "Read a scan and what it found"}, s.scan)
	api.Serve(a, api.Route{ID: "getBoard", Method: http.MethodGet, Path: "/v1/airshed/scans/{id}/board", Acts: read, Tag: apiTag,
		Title: "Read what all stations showed",
		Text:  "Episodes, also those that had ended; stations that were left out and why; what was missing and what that costs."}, s.board)
	api.List(a, api.Route{ID: "listEpisodes", Path: "/v1/airshed/episodes", Acts: read, Tag: apiTag,
		Title: "List episodes, those that began last first",
		Text:  "An episode is a surge at one station. It is found once, however many scans see it."}, s.episodes)
	api.Serve(a, api.Route{ID: "getEpisode", Method: http.MethodGet, Path: "/v1/airshed/episodes/{id}", Acts: read, Tag: apiTag,
		Title: "Read an episode"}, s.episode)
	api.Serve(a, api.Route{ID: "getAnalysis", Method: http.MethodGet, Path: "/v1/airshed/episodes/{id}/analysis", Acts: read, Tag: apiTag,
		Title: "Read the analysis of an episode",
		Text: "As it was kept. Its canonical bytes have the digest that the episode names. A share is one of the influence of the " +
			"fires that satellites saw upwind; it is not a share of the particles in the air."}, s.analysis)
	s.scheduling(a)
	s.noticing(a)
	s.reporting(a)
}
