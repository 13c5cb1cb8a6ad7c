// Package rest is what NE-NETRA answers under /v1/netra: its addresses, and the bodies that travel there, which commands read
// too. What it says of a district has the first design's form, with ours beside it, and the text of governance.
package rest

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
)

// apiTag is the heading of the application's addresses in the document.
const apiTag = "NE-NETRA"

// The addresses.
const (
	AnalyzeAddress   = "/v1/netra/analyze"
	BatchAddress     = "/v1/netra/analyze/batch"
	ScoresAddress    = "/v1/netra/scores"
	HistoryAddress   = "/v1/netra/history"
	IngestsAddress   = "/v1/netra/ingests"
	DistrictsAddress = "/v1/netra/districts"
	LimitsAddress    = "/v1/settings/netra/limits" // the platform's: where bands begin
	plainAddress     = "/netra/analyze"
	bareAddress      = "/analyze"
)

// MaxBundle is the most that one request of a feed may hold, in bytes, before JSON is made of it.
const MaxBundle = 16 << 20

// settingBare has the first design's own address answered, too.
const settingBare = "GAVEL_NETRA_ANALYZE"

// Settings are what an installation may say.
func Settings() []platform.Setting {
	return []platform.Setting{{Name: settingBare,
		Help:   "whether POST /analyze is answered besides /netra/analyze, for programs of NE-NETRA's first design",
		Expect: "on or off", Default: "off", Fits: func(v string) bool { return v == "on" || v == "off" }}}
}

// Answers are the addresses of the application. They ask nothing of policy: the store and casework do. What these stand on
// is there once the application has been opened, which is before the first request.
type Answers struct {
	store     *store.Store
	desk      *casework.Desk
	analyst   *analyst.Analyst
	corrector *correction.Clerk
	bare      bool
}

// New makes them.
func New(s *store.Store, d *casework.Desk, a *analyst.Analyst, c *correction.Clerk) *Answers {
	return &Answers{store: s, desk: d, analyst: a, corrector: c}
}

// Open tells them what the installation says.
func (s *Answers) Open(settings map[string]string) { s.bare = settings[settingBare] == "on" }

const analyzeExample = `{"district":"Imphal West","state":"Manipur","window_hours":24}`

// Operations registers what it answers.
func (s *Answers) Operations(a *api.API) {
	read := []string{store.ActRead}
	api.Serve(a, api.Route{ID: "analyzeDistrict", Method: http.MethodPost, Path: AnalyzeAddress, Acts: read, Tag: apiTag,
		Title: "Score a district, with reasons", Body: analyzeExample,
		Text: "In the form of NE-NETRA's first design, with what it lacked beside it: status, profile, all layers with their points. A " +
			"district of which nothing " +
			"was heard has no score, because silence is not safety. The same is answered at POST /netra/analyze."}, s.analyze)
	api.Serve(a, api.Route{ID: "analyzeDistricts", Method: http.MethodPost, Path: BatchAddress, Acts: read, Tag: apiTag,
		Title: "Score several districts, or all", Body: `{"window_hours":72}`}, s.batch)
	if s.bare {
		api.Serve(a, api.Route{ID: "analyzeAsBefore", Method: http.MethodPost, Path: bareAddress, Acts: read, Tag: apiTag,
			Title: "Score a district, at the first design's address", Body: analyzeExample}, s.analyze)
	}
	api.List(a, api.Route{ID: "listDistrictScores", Path: ScoresAddress, Acts: read, Tag: apiTag,
		Title: "List the scores of all districts, by their codes",
		Text:  "Computed for the moment that is asked about, from sums: what it costs does not depend on how many signals there are."},
		s.scores)
	api.Serve(a, api.Route{ID: "freezeDistrictScores", Method: http.MethodPost, Path: ScoresAddress, Acts: []string{store.ActFreeze},
		Tag:   apiTag,
		Title: "Write the scores of all districts down",
		Text:  "As of now, for 24 hours, 72 hours and 7 days. What they were worth is judged later by these.", Status: http.StatusCreated,
		Body: `{"profile":"v2"}`}, s.freeze)
	api.List(a, api.Route{ID: "listFrozenScores", Path: HistoryAddress, Acts: read, Tag: apiTag,
		Title: "List scores as they were written down, the newest first"},
		s.history)
	s.alerts(a)
	s.briefings(a)
	s.corrections(a)
	s.feeds(a)
}
