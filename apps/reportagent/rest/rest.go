// Package rest is what the Report Agent answers under /v1/reports: its addresses, and the bodies that travel there.
package rest

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/casework/signing"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/api"
)

// apiTag is the heading of the application's addresses in the document.
const apiTag = "Report Agent"

// Base is where the addresses begin.
const Base = "/v1/reports"

// mostBody bounds a request that brings a run in. A larger one is brought in from a folder of the server.
const mostBody = 96 << 20

// Answers are the addresses of the application. They ask nothing of policy: the store and casework do.
type Answers struct {
	store *store.Store
	desk  *casework.Desk
	clerk *signing.Clerk
}

// New makes them.
func New(s *store.Store, d *casework.Desk, c *signing.Clerk) *Answers {
	return &Answers{store: s, desk: d, clerk: c}
}

// Operations registers what it answers.
func (s *Answers) Operations(a *api.API) {
	read, write := []string{store.ActRead}, []string{store.ActWrite}
	api.List(a, api.Route{ID: "listDraftedReports", Path: Base, Acts: read, Tag: apiTag, Title: "List reports, the newest first"},
		s.reports)
	api.Serve(a, api.Route{ID: "bringDraftedReport", Method: http.MethodPost, Path: Base, Acts: write, Tag: apiTag,
		Status: http.StatusCreated,
		Title:  "Bring in an outline and a run of a model", MaxBody: mostBody,
		Body: `{"title":"Outlook","outline":"# Results\n","folder":"run"}`,
		Text: "The run is a zip of its folder, or the name of a folder of the server. It is kept as it is, and its tables each under " +
			"its digest when something is first drafted from them. Nothing is drafted yet.",
		Untried: "the files of the run are kept before the report is"}, s.bring)
	api.Serve(a, api.Route{ID: "getDraftedReport", Method: http.MethodGet, Path: Base + "/{id}", Acts: read, Tag: apiTag,
		Title: "Read a report: its sections, and how each stands"}, s.one)
	api.Serve(a, api.Route{ID: "getDraftedReportDocument", Method: http.MethodGet, Path: Base + "/{id}/document", Acts: read, Tag: apiTag,
		Title: "Read a report as Markdown, with its ledger of facts"}, s.document)
	api.Serve(a, api.Route{ID: "draftReportSections", Method: http.MethodPost, Path: Base + "/{id}/drafts", Acts: write, Tag: apiTag,
		Title: "Have sections drafted", Status: http.StatusAccepted, Body: `{"only_changed":true}`,
		Text: "It goes on by itself: read the job to see how far it is. What a person wrote stays. A second request while one is at " +
			"it is given that one."}, s.draft)
	api.Serve(a, api.Route{ID: "giveReportRun", Method: http.MethodPost, Path: Base + "/{id}/data", Acts: write, Tag: apiTag,
		Title: "Give a report a newer run of its model", MaxBody: mostBody, Body: `{"folder":"run"}`,
		Text:    "No text changes by it. Read the changes to see which numbers are others, and have those sections drafted.",
		Untried: "the files of the run are kept first"}, s.data)
	api.Serve(a, api.Route{ID: "getReportRunChanges", Method: http.MethodGet, Path: Base + "/{id}/changes", Acts: read, Tag: apiTag,
		Title: "Read what the newest run changes: numbers, false sentences, conclusions"}, s.changes)
	api.Serve(a, api.Route{ID: "listReportContradictions", Method: http.MethodGet, Path: Base + "/{id}/contradictions", Acts: read,
		Tag: apiTag, Title: "Read what contradicts what: sections, charts, and an earlier report",
		Text: "At most 100 of each kind. Which side is right is for a person."}, s.contradictions)
	api.Serve(a, api.Route{ID: "getReportCoverage", Method: http.MethodGet, Path: Base + "/{id}/coverage", Acts: read, Tag: apiTag,
		Title: "Read what a report tells, the largest changes it leaves out, and what it rests on"}, s.coverage)
	s.sections(a)
	s.reviews(a)
}

func (s *Answers) sections(a *api.API) {
	read, write := []string{store.ActRead}, []string{store.ActWrite}
	at := Base + "/{id}/sections/{section}"
	api.Serve(a, api.Route{ID: "getDraftedSection", Method: http.MethodGet, Path: at, Acts: read, Tag: apiTag,
		Title: "Read a section, its facts, and what in it no fact carries"}, s.section)
	api.Serve(a, api.Route{ID: "writeDraftedSection", Method: http.MethodPut, Path: at, Acts: write, Tag: apiTag, MaxBody: 8 << 20,
		Title: "Write a section by hand", Body: `{"was":"` + noHash + `","text":"Words of a person."}`,
		Text: "was is the hash of the text you saw: if the section says something else by now, nothing is written. Your words stay, " +
			"whatever is drafted later."}, s.write)
}

// noHash is a hash in an example.
const noHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
