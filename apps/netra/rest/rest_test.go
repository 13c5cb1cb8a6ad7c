package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/page"
	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A stage is the addresses on a real database and a real server.
type stage struct {
	netratest.Rig
	*platformtest.Server
}

func newStage(t *testing.T, settings map[string]string) stage {
	t.Helper()
	r := netratest.New(t)
	r.App.Messages = page.Messages()
	answers := rest.New(r.Store, casework.New(r.Store), analyst.New(r.Store, casework.New(r.Store)),
		correction.New(r.Store, casework.New(r.Store)))
	answers.Open(settings)
	feed := identity.Actor{Kind: identity.Machine, ID: "tok_feed", Name: "feed", Org: postgrestest.North, Scopes: []string{"ingest:netra"}}
	return stage{r, r.Serve(t, platformtest.Serves{API: []api.Part{answers}, Routes: answers.Routes, As: map[string]identity.Actor{
		"analyst": netratest.Person(identity.Analyst), "officer": netratest.Person(identity.Officer), "hr": netratest.Person(identity.HR),
		"feed": feed}})}
}

const districts = `lgd,name,state,valid_from,valid_to,tags,reviewed_by,reviewed_on
272,Imphal West,Manipur,2016-01-01,,border,A. Officer,2026-01-31
273,Quiet Hill,Manipur,2016-01-01,,,,
`

// seed is the first design's example as NDJSON, as of a moment. Its signals say themselves what they weigh.
func seed(asOf time.Time) string {
	one := func(id string, hours, severity int, polarity, layer, kind, summary string, lgd int) string {
		return fmt.Sprintf(`{"event_id":%q,"source":"desk","source_type":"public_open_source","event_type":%q,"timestamp":%q,"district_lgd":%d,"severity":%d,"polarity":%q,"layers":[%q],"event_summary":%q}`+"\n",
			id, kind, asOf.Add(time.Duration(-hours)*time.Hour).Format(time.RFC3339Nano), lgd, severity, polarity, layer, summary)
	}
	return one("arms", 6, 3, "escalatory", "physical", "arms_recovery", "Arms cache recovered near border area", 272)
}

// bring sends lines.
func (s stage) bring(t *testing.T, as, lines string) platformtest.Answer {
	t.Helper()
	return s.Want(t, http.StatusCreated, as, http.MethodPost, rest.IngestsAddress, rest.BringBody{Name: "a.ndjson", Format: "ndjson",
		Lines: lines})
}

// TestTheFirstDesignsExampleOverHTTP promises its form and its numbers: what its example prints for the physical layer, at both
// addresses, and the text of governance.
func TestTheFirstDesignsExampleOverHTTP(t *testing.T) {
	s := newStage(t, nil)
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	asOf := s.Store.Now().Add(-time.Hour)
	if got := s.bring(t, "feed", seed(asOf)); got.JSON["taken"] != 1.0 || got.Header.Get("Location") == "" {
		t.Fatalf("got %s", got.Body)
	}
	ask := rest.AskBody{District: "Imphal West", State: "Manipur", AsOf: &asOf, Profile: "seed-v1"}
	for _, address := range []string{rest.AnalyzeAddress, "/netra/analyze"} {
		var b rest.AnalysisBody
		got := s.Want(t, http.StatusOK, "analyst", http.MethodPost, address, ask)
		if err := json.Unmarshal([]byte(got.Body), &b); err != nil {
			t.Fatal(err)
		}
		if b.Layers.Physical != 7.94 || b.Score == nil || b.RiskLevel != "low" || b.Primary != "physical" ||
			b.Threshold.Label != "BASELINE" ||
			b.Threshold.Range != "0-29" || b.Window != "24h" || b.Signals != 1 || len(b.Top) != 1 ||
			b.Top[0].Summary != "Arms cache recovered near border area" ||
			b.Top[0].Points != 7.94 || b.Top[0].Location != "Imphal West" || b.Top[0].At.Minute() != 0 || !strings.Contains(b.Rationale,
			"7.94") ||
			!strings.Contains(b.Governance, "Decision support only") || b.Profile != "seed-v1" ||
			b.Points[2].Named[0].Points+b.Points[2].Others != 7.94 {
			t.Errorf("%s: got %s", address, got.Body)
		}
	}
	v2 := s.Want(t, http.StatusOK, "analyst", http.MethodPost, rest.AnalyzeAddress, rest.AskBody{LGD: 272, AsOf: &asOf, Language: "hi"})
	if v2.JSON["score"] != nil || v2.JSON["status"] != "only_enforcement" {
		t.Errorf("by v2 what the police found is left out: got %s", v2.Body)
	}
	quiet := s.Want(t, http.StatusOK, "analyst", http.MethodPost, rest.AnalyzeAddress, rest.AskBody{LGD: 273})
	if quiet.JSON["score"] != nil || quiet.JSON["status"] != "no_signals" {
		t.Errorf("silence is not safety: got %s", quiet.Body)
	}
	for _, wrong := range []rest.AskBody{{District: "Atlantis", State: "Manipur"}, {LGD: 9}} {
		s.Want(t, http.StatusNotFound, "analyst", http.MethodPost, rest.AnalyzeAddress, wrong)
	}
	s.Want(t, http.StatusNotFound, "analyst", http.MethodPost, "/analyze", ask)
	s.Want(t, http.StatusForbidden, "hr", http.MethodPost, rest.AnalyzeAddress, ask)
	s.Want(t, http.StatusForbidden, "hr", http.MethodPost, "/netra/analyze", ask)
}

// TestAnAnswerSaysWhereBandsBeginAsItIsSet promises the organisation's thresholds under both names of a range.
func TestAnAnswerSaysWhereBandsBeginAsItIsSet(t *testing.T) {
	s := newStage(t, nil)
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	asOf := s.Store.Now().Add(-time.Hour)
	s.bring(t, "feed", seed(asOf))
	s.SetLimits(t, func(l *store.Limits) { l.Monitoring = 42 })
	var b rest.AnalysisBody
	got := s.Want(t, http.StatusOK, "analyst", http.MethodPost, rest.AnalyzeAddress,
		rest.AskBody{LGD: 272, AsOf: &asOf, Profile: "seed-v1"})
	if err := json.Unmarshal([]byte(got.Body), &b); err != nil || b.Threshold.Range != "0-41" || b.Threshold.Exact != "[0, 42)" {
		t.Errorf("got %+v, %v", b.Threshold, err)
	}
}

// TestTheBareAddressIsAnsweredBySetting promises the first design's own address where an installation asks for it.
func TestTheBareAddressIsAnsweredBySetting(t *testing.T) {
	s := newStage(t, map[string]string{"GAVEL_NETRA_ANALYZE": "on"})
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	if got := s.Want(t, http.StatusOK, "analyst", http.MethodPost, "/analyze", rest.AskBody{LGD: 273}); got.JSON["status"] != "no_signals" {
		t.Errorf("got %s", got.Body)
	}
}

// TestAllDistrictsAtOnce promises the batch in the first design's form, and the list of all with governance on every line.
func TestAllDistrictsAtOnce(t *testing.T) {
	s := newStage(t, nil)
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	s.bring(t, "analyst", seed(s.Store.Now()))
	batch := s.Want(t, http.StatusOK, "analyst", http.MethodPost, rest.BatchAddress, rest.BatchBody{Window: 72, Profile: "seed-v1"})
	if items := batch.Items(); len(items) != 2 || items[0].(map[string]any)["district"] != "Imphal West" ||
		items[0].(map[string]any)["time_window"] != "72h" {
		t.Errorf("got %s", batch.Body)
	}
	first := s.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.ScoresAddress+"?page_size=1&profile=seed-v1", nil)
	token, _ := first.JSON["next_page_token"].(string)
	second := s.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.ScoresAddress+"?page_size=1&profile=seed-v1&page_token="+token, nil)
	for lgd, page := range map[float64]platformtest.Answer{272: first, 273: second} {
		items := page.Items()
		if len(items) != 1 || items[0].(map[string]any)["district_lgd"] != lgd || items[0].(map[string]any)["governance_disclaimer"] == "" {
			t.Errorf("got %s", page.Body)
		}
	}
	if second.JSON["next_page_token"] != nil {
		t.Errorf("the list does not end: %s", second.Body)
	}
	if got := s.Want(t, http.StatusCreated, "analyst", http.MethodPost, rest.ScoresAddress, rest.FreezeBody{}); got.JSON["scores"] != 6.0 {
		t.Errorf("got %s", got.Body)
	}
	if got := s.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.HistoryAddress+"?window_hours=24", nil); len(got.Items()) != 2 {
		t.Errorf("got %s", got.Body)
	}
}

// TestAFeedIsToldWhatBecameOfItsLines promises counts and kinds, and that a feed's token reads nothing back.
func TestAFeedIsToldWhatBecameOfItsLines(t *testing.T) {
	s := newStage(t, nil)
	s.Want(t, http.StatusConflict, "feed", http.MethodPost, rest.IngestsAddress, rest.BringBody{Format: "ndjson", Lines: "{}"})
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	hit := strings.Replace(seed(s.Store.Now()), "Arms cache", "9876543210 and an arms cache", 1)
	first := s.bring(t, "feed", seed(s.Store.Now().Add(-time.Minute))+hit)
	id, _ := first.JSON["id"].(string)
	again := s.Want(t, http.StatusCreated, "feed", http.MethodPost, rest.IngestsAddress, rest.BringBody{Ingest: id, Format: "ndjson",
		Before: 2, Lines: "nonsense\n" + hit})
	if again.JSON["parts"] != 2.0 || again.JSON["lines"] != 4.0 || again.JSON["taken"] != 1.0 || again.JSON["quarantined"] != 2.0 ||
		again.JSON["refused"] != 1.0 {
		t.Errorf("got %s", again.Body)
	}
	whole := s.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.IngestsAddress+"/"+id, nil)
	if stopped, _ := whole.JSON["stopped"].([]any); len(stopped) != 2 || strings.Contains(whole.Body, "98765") {
		t.Errorf("got %s", whole.Body)
	}
	s.Want(t, http.StatusForbidden, "feed", http.MethodGet, rest.IngestsAddress+"/"+id, nil)
	s.Want(t, http.StatusNotFound, "analyst", http.MethodGet, rest.IngestsAddress+"/NIN-00000000", nil)
	if got := s.Want(t, http.StatusOK, "analyst", http.MethodGet, rest.DistrictsAddress, nil); len(got.Items()) != 2 {
		t.Errorf("got %s", got.Body)
	}
	s.Want(t, http.StatusForbidden, "analyst", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
}
