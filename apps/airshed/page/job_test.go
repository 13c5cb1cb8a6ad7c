package page

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// cancel calls a job off, as the page's form does.
func (s *stage) cancel(t *testing.T, kind job.Kind, id string) {
	t.Helper()
	desk := job.NewDesk(s.Deps.DB, durable.Clock{}, s.Deps.Rules, kind)
	if _, _, err := desk.Cancel(t.Context(), airshedtest.Person(identity.Analyst), id); err != nil {
		t.Fatal(err)
	}
}

// TestAScansPageSaysHowFarItIs promises a bar with what is being done, in both languages; a
// button for who may cancel it and for nobody else; and once it was cancelled, who did.
func TestAScansPageSaysHowFarItIs(t *testing.T) {
	s := newStage(t)
	ask := store.ScanRequest{Kind: store.Handed, Key: "k", File: laketest.File(t, laketest.Surge(t)), Name: "november.json"}
	scan, _, err := s.Store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), ask)
	if err != nil {
		t.Fatal(err)
	}
	in, steps, at := store.ScanInput{Org: postgrestest.North, Scan: scan.ID}, s.surveyor.Steps(), frame.ScanAddress(scan.ID, "")
	button := `action="/jobs/` + scan.ID + `/cancel"`
	s.Get(t, identity.Analyst, at).Holds(t, 200, "Waiting for a worker", button, `data-live="scan_`+scan.ID+`"`)
	if _, err := steps.Read(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	s.Get(t, identity.Analyst, at).Holds(t, 200, "Reading the object · 0 of 3 steps done", `<progress max="3" value="0"`)
	if keys, err := steps.Look(t.Context(), in); err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	s.Get(t, identity.Officer, at+"/now").Holds(t, 200, "Finding out whose smoke it was · 2 of 4 steps done", `<progress max="4" value="2"`,
		button)
	s.Get(t, identity.Officer, at+"?lang=hi").Holds(t, 200, "4 में से 2 चरण पूरे", "रद्द करें")
	s.Get(t, identity.Auditor, at).Lacks(t, button)
	s.cancel(t, store.ScanJob, scan.ID)
	running := s.Get(t, identity.Officer, at)
	running.Holds(t, 200, "Cancelled by asha. It stops after the current step.")
	running.Lacks(t, button)
	if err := steps.Conclude(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	ended := s.Get(t, identity.Officer, at)
	ended.Holds(t, 200, "Cancelled by asha.", "nothing follows from it")
	ended.Lacks(t, "<progress", "The scan was refused")
}

// TestIngestsHavePages promises the list of ingests, one that is begun once however often its
// button is pressed, and a page that says how far it is and what each source said.
func TestIngestsHavePages(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, frame.IngestsAt).Holds(t, 200, "No ingest yet", "ask the operator to set one up")
	s.Post(t, identity.Analyst, frame.IngestsAt, url.Values{"after": {"none"}}).Holds(t, http.StatusConflict, "No ingest was started",
		"no data lake here")
	settings := map[string]string{outside.SettingLake: "file://" + t.TempDir(), outside.SettingLakeOrg: "north"}
	if err := s.surveyor.Open(settings); err != nil {
		t.Fatal(err)
	}
	s.Get(t, identity.Analyst, frame.IngestsAt).Holds(t, 200, "Ask the services now", `name="after" value="none"`)
	s.Get(t, identity.Auditor, frame.IngestsAt).Lacks(t, "Ask the services now")
	first := s.Post(t, identity.Analyst, frame.IngestsAt, url.Values{"after": {"none"}})
	again := s.Post(t, identity.Officer, frame.IngestsAt, url.Values{"after": {"none"}})
	at := first.Header.Get("Location")
	if first.Status != http.StatusSeeOther || at == "" || again.Header.Get("Location") != at {
		t.Fatalf("got %d %s and %s, want one ingest", first.Status, at, again.Header.Get("Location"))
	}
	id := at[len(frame.IngestsAt)+1:]
	s.Get(t, identity.Auditor, frame.IngestsAt).Holds(t, 200, id, "Asking")
	s.Get(t, identity.Analyst, frame.IngestsAt).Holds(t, 200, "An ingest is under way", "disabled")
	in := store.IngestInput{Org: postgrestest.North, Ingest: id}
	if err := s.Store.AddCame(t.Context(), in, store.Came{Source: origin.DataGov, Note: "it did not answer",
		Costs: "no surge can be found"}); err != nil {
		t.Fatal(err)
	}
	s.Get(t, identity.Analyst, at).Holds(t, 200, "Asking the services · 1 of 6 steps done", `<progress max="6" value="1"`,
		"CPCB air quality index", "Missing", "It did not answer",
		`action="/jobs/`+id+`/cancel"`)
	s.Get(t, identity.Auditor, at+"/now?lang=hi").Holds(t, 200, "सेवाओं से पूछा जा रहा है", "नहीं आया")
	s.cancel(t, store.IngestJob, id)
	if i, _, err := s.Store.WorkOnIngest(t.Context(), in, store.DoingWrite); err != nil || i.State != job.Refused {
		t.Fatalf("got %+v, %v", i, err)
	}
	s.Get(t, identity.Analyst, at).Holds(t, 200, "Cancelled by asha.")
	s.Get(t, identity.Analyst, frame.IngestAddress("ING-00000000", "")).Holds(t, http.StatusNotFound, "See the list of ingests")
	s.Post(t, identity.Auditor, frame.IngestsAt, url.Values{"after": {"none"}}).Holds(t, http.StatusForbidden)
	s.Post(t, identity.Analyst, frame.IngestsAt, url.Values{}).Holds(t, http.StatusUnprocessableEntity, "Open the page again")
}
