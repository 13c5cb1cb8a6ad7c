// Package rest is what Pool Patrol answers to programs: the addresses under
// /v1/poolpatrol/ with their wire bodies, and staff systems that speak SCIM (scim.go).
package rest

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
)

// apiTag is the heading of the application's addresses in the document.
const apiTag = "Pool Patrol"

// maxFileBody is the most a request with a file may hold, in bytes: a file of 64 MiB,
// the ends of whose lines JSON writes with two characters, and what stands around
// it.
const maxFileBody = 80 << 20

// Parts are what Pool Patrol answers under /v1/poolpatrol/. The handlers ask nothing
// of policy: the Store does, for them as for the pages.
func Parts(s *store.Store) []api.Part { return []api.Part{&answers{store: s}} }

// answers are the addresses of the application. What it stands on is there once
// the application has been opened, which is before the first request.
type answers struct {
	store  *store.Store
	public string // the address people use
}

// Operations registers what it answers.
func (s *answers) Operations(a *api.API) {
	s.public = a.PublicURL
	s.reading(a)
	s.writing(a)
	s.importing(a)
	s.auditing(a)
	s.trying(a)
	s.casework(a)
	s.setting(a)
}

func (s *answers) reading(a *api.API) {
	read := []string{programme.ActRead}
	const sent = "Its ETag is that of the record itself, for If-Match."
	api.List(a, api.Route{ID: "listVanpools", Path: "/v1/poolpatrol/vanpools", Acts: read, Tag: apiTag,
		Title: "List vanpools, in order of id",
		Text:  "outcome is that of the newest audit of the van."}, s.vanpools)
	api.Serve(a, api.Route{ID: "getVanpool", Method: http.MethodGet, Path: "/v1/poolpatrol/vanpools/{id}", Acts: read, Tag: apiTag,
		Title: "Read a vanpool, its riders and its newest audits", Text: sent, Fresh: true}, s.vanpool)
	api.Serve(a, api.Route{ID: "getEmployee", Method: http.MethodGet, Path: "/v1/poolpatrol/employees/{id}", Acts: read, Tag: apiTag,
		Title: "Read what the programme knows of somebody", Text: sent, Fresh: true}, s.employee)
	api.List(a, api.Route{ID: "listSyncs", Path: "/v1/poolpatrol/syncs", Acts: read, Tag: apiTag,
		Title: "List how old each kind of record is",
		Text:  "Nobody is audited on employees or vanpools older than 48 hours."}, s.syncs)
	api.List(a, api.Route{ID: "listGaps", Path: "/v1/poolpatrol/gaps", Acts: read, Tag: apiTag,
		Title: "List what is missing from the records",
		Text:  "It accuses nobody: these are for those who keep the records."}, s.gaps)
	api.Serve(a, api.Route{ID: "getProgrammeMetrics", Method: http.MethodGet, Path: "/v1/poolpatrol/metrics", Acts: read, Tag: apiTag,
		Title: "Read the programme in numbers, and month by month",
		Text:  "What its first page shows: open cases, hours saved, how long cases take, cancellations that were reversed, and the trend."},
		s.metrics)
	api.List(a, api.Route{ID: "listRemovals", Path: "/v1/poolpatrol/removals", Acts: read, Tag: apiTag,
		Title: "List memberships that people ended, the newest first",
		Text: "For the vans' vendor and for payroll: as a file with format=csv. A webhook that is told of the kind removal names the van whenever " +
			"there is another one: ask with its vanpool_id. A seat that was given back is not in it."}, s.removals)
}

func (s *answers) importing(a *api.API) {
	change := []string{programme.ActChange}
	const columns = "The columns of each kind are named as the fields of this API; docs/guide/programme-manager.md lists them."
	api.Serve(a, api.Route{ID: "previewImport", Method: http.MethodPost, Path: "/v1/poolpatrol/previews", Acts: change, Tag: apiTag,
		Title: "See what a file would change",
		Text:  "It changes nothing. Send its sha256 to /v1/poolpatrol/imports to have exactly that done. " + columns, MaxBody: maxFileBody,
		Untried: "a preview changes nothing as it is",
		Body:    `{"kind":"sites","file":"site_id,name,tz\nPLANT-1,Plant 1,America/Los_Angeles\n"}`}, s.preview)
	api.Serve(a, api.Route{ID: "importRecords", Method: http.MethodPost, Path: "/v1/poolpatrol/imports", Acts: change, Tag: apiTag,
		Title: "Import a file as it was previewed",
		Text: "A file with a refused line is not imported at all. If the records have changed since the preview it answers 412: preview " +
			"again. " +
			"A whole file that would make more than a fifth of what is there go is refused unless even_if_many_go is true. " + columns,
		MaxBody: maxFileBody, Body: `{"kind":"sites","file":"site_id,name,tz\nPLANT-1,Plant 1,America/Los_Angeles\n","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}`}, s.load)
	api.Serve(a, api.Route{ID: "confirmRecords", Method: http.MethodPost, Path: "/v1/poolpatrol/syncs", Acts: change, Tag: apiTag,
		Title: "Say that records are current",
		Text:  "For records that nothing has changed in: they count as handed over now.", Body: `{"kinds":["employees","vanpools"]}`},
		s.confirm)
}

func (s *answers) auditing(a *api.API) {
	read := []string{programme.ActRead}
	api.List(a, api.Route{ID: "listPasses", Path: "/v1/poolpatrol/passes", Acts: read, Tag: apiTag, Title: "List passes, the newest first",
		Text: "A pass is one look at every van."}, s.passes)
	api.Serve(a, api.Route{ID: "startPass", Method: http.MethodPost, Path: "/v1/poolpatrol/passes", Acts: []string{programme.ActAudit},
		Tag: apiTag, Title: "Have every van audited",
		Text: "It is durable at once and goes on by itself; read the pass to see how far it is. Records that are too old are refused " +
			"with 409.",
		Status: http.StatusCreated, Body: `{"kind":"asked"}`}, s.startPass)
	api.Serve(a, api.Route{ID: "getPass", Method: http.MethodGet, Path: "/v1/poolpatrol/passes/{id}", Acts: read, Tag: apiTag,
		Title: "Read a pass and how far it is"}, s.pass)
	api.List(a, api.Route{ID: "listPassRuns", Path: "/v1/poolpatrol/passes/{id}/runs", Acts: read, Tag: apiTag,
		Title: "List the audits of a pass, in order of van"}, s.runs)
	api.Serve(a, api.Route{ID: "getAuditRun", Method: http.MethodGet, Path: "/v1/poolpatrol/runs/{id}", Acts: read, Tag: apiTag,
		Title: "Read the audit of one van, with every verdict",
		Text:  "A van with which nothing is wrong has no verdicts on record: they can be computed again from the snapshot of the pass."},
		s.run)
}

func (s *answers) trying(a *api.API) {
	try := []string{programme.ActTry}
	api.List(a, api.Route{ID: "listThresholds", Path: "/v1/poolpatrol/settings", Acts: try, Tag: apiTag,
		Title: "List the thresholds that can be tried",
		Text:  "Besides these, shift.overlap_basis can be tried with the words commute and work."}, s.settings)
	api.Serve(a, api.Route{ID: "simulate", Method: http.MethodPost, Path: "/v1/poolpatrol/simulations", Acts: try, Tag: apiTag,
		Title:   "See what other thresholds would have found",
		Text:    "Audits what the last pass read, by the rules of today and with thresholds moved. It changes nothing and writes to nobody.",
		Untried: "a simulation changes nothing as it is", Body: `{"changes":["location.threshold_miles=40"]}`}, s.simulate)
	api.Serve(a, api.Route{ID: "rehearseAudit", Method: http.MethodPost, Path: "/v1/poolpatrol/rehearsals", Acts: try, Tag: apiTag,
		Title: "See what an audit would find now",
		Text: "Reads the records as they are and judges every van by the rules of today. It keeps nothing, opens no case, writes to " +
			"nobody and asks no router. Records that are too old are refused with 409.",
		Untried: "a rehearsal changes nothing as it is"}, s.rehearse)
}

// page is where people see something.
func (s *answers) page(path string) api.Links {
	return api.Links{Page: s.public + "/poolpatrol/" + path}
}

// day is a date as the API shows it; nil for none.
func day(d fleet.Date) *string {
	if d == 0 {
		return nil
	}
	text := d.String()
	return &text
}
