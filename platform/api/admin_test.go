package api_test

import (
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// newAdministration answers for what administrators ask, over a real database.
func newAdministration(t *testing.T) (caller, *evidence.Store) {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(), evidence.Migrations(),
		agent.Migrations(), idempotency.Migrations(), operation.Migrations())
	rules := policy.Standard()
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	masters, err := seal.ParseMasters(seal.NewMaster("test"))
	if err != nil {
		t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: db.App, Blobs: blob.New(backend, blob.Config{}), Masters: masters, Now: time.Now, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.New(evidence.Config{DB: db.App, Blobs: blob.New(backend, blob.Config{}), Rules: rules, Code: "test",
		Sources: []evidence.Source{
			{Name: "cpcb", Title: "Stations", Licence: "open", ExpectedEvery: time.Hour, Without: "No surge is seen."}}})
	if err != nil {
		t.Fatal(err)
	}
	routes := model.Routes{"plain": {Name: "plain", Provider: "scripted", Model: "scripted-1", Host: "127.0.0.1:9",
		Price: &model.Price{Currency: "INR", Input: 2_500_000, Cached: 250_000, Output: 10_000_000}}}
	agents := []agent.Spec{{App: "general", Name: "clerk", Role: "a clerk", Route: "plain", Budget: agent.Budget{Calls: 40,
		Money: 5_500_000}},
		{App: "poolpatrol", Name: "writer", Role: "a writer", Route: "careful", Budget: agent.Budget{Calls: 9}}}
	url := serveParts(t, db, api.Config{}, &api.Pauses{Pauses: act.NewPauses(act.PausesConfig{DB: db.App, Rules: rules})},
		&api.Sources{Evidence: kept, May: rules.May},
		&api.Models{Routes: routes, Agents: agents, Runs: agent.NewStore(db.App, vault, rules, durable.Clock{}),
			Now: func(context.Context, identity.Org) time.Time { return time.Now() }},
		&api.Retention{Vault: vault, Kept: []postgres.Retention{{What: "answers", Keep: 7 * 24 * time.Hour, Ends: postgres.EndsByTime}}})
	return caller{t, url, &http.Client{}, db}, kept
}

// csvOf reads an answer as CSV.
func csvOf(t *testing.T, a answer) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(a.text)).ReadAll()
	if err != nil || a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/csv") {
		t.Fatalf("%d %s: %v in %.200s", a.status, a.header.Get("Content-Type"), err, a.text)
	}
	return rows
}

// TestAPauseIsSetOnceAndEndedOnceOverTheAPI promises what a program that stops
// things can rely on: a second pause of the same scope is the first one, its end
// needs a reason and happens once, and a try with validate_only does nothing.
func TestAPauseIsSetOnceAndEndedOnceOverTheAPI(t *testing.T) {
	c, _ := newAdministration(t)
	const letters = `{"scope":"outside","reason":"The letters are wrong."}`
	if got := c.call("operator", "POST", "/v1/pauses?validate_only=true", letters); got.status != 200 || got.body["validate_only"] != true {
		t.Errorf("trying: got %d %s", got.status, got.text)
	}
	if got := c.call("officer", "GET", "/v1/pauses", ""); got.status != 200 || len(field(got.body, "items").([]any)) != 0 {
		t.Errorf("after a try: got %d %s", got.status, got.text)
	}
	first := c.call("operator", "POST", "/v1/pauses", letters)
	second := c.call("admin", "POST", "/v1/pauses", `{"scope":"outside","reason":"Me too."}`)
	id, _ := first.body["id"].(string)
	if first.status != 201 || first.body["by"] != "op" || first.body["ended_at"] != nil || second.status != 200 ||
		second.body["id"] != id || second.body["reason"] != "The letters are wrong." {
		t.Fatalf("got %d %s, then %d %s", first.status, first.text, second.status, second.text)
	}
	for _, tt := range []struct {
		as, path, body string
		status         int
		says           string
	}{
		{"officer", "/v1/pauses", letters, 403, "Administrator, Operator"},
		{"machine", "/v1/pauses", letters, 403, "Only a person"},
		{"looking", "/v1/pauses", letters, 403, ""},
		{"", "/v1/pauses", letters, 401, ""},
		{"operator", "/v1/pauses", `{"scope":"moon","reason":"x"}`, 422, "a pause is of all"},
		{"operator", "/v1/pauses", `{"scope":"all","reason":""}`, 422, "reason"},
		{"operator", "/v1/pauses/" + id + "/end", `{"reason":" "}`, 422, "reason"},
		{"operator", "/v1/pauses/pause_00000000000000000000000000/end", `{"reason":"x"}`, 404, "no pause"},
		{"officer", "/v1/pauses/" + id + "/end", `{"reason":"x"}`, 403, ""},
	} {
		if got := c.call(tt.as, "POST", tt.path, tt.body); got.status != tt.status || !strings.Contains(got.text, tt.says) {
			t.Errorf("%s at %s with %s: got %d %s, want %d and %q", tt.as, tt.path, tt.body, got.status, got.text, tt.status, tt.says)
		}
	}
	if got := c.call("south", "GET", "/v1/pauses/"+id, ""); got.status != 404 {
		t.Errorf("south reads north's pause: %d", got.status)
	}
	ended := c.call("admin", "POST", "/v1/pauses/"+id+"/end", `{"reason":"They are right now."}`)
	if ended.status != 200 || ended.body["ended_by"] != "ad" || ended.body["end_reason"] != "They are right now." {
		t.Errorf("got %d %s", ended.status, ended.text)
	}
	if got := c.call("admin", "POST", "/v1/pauses/"+id+"/end", `{"reason":"Again."}`); got.status != 409 {
		t.Errorf("a second end: got %d", got.status)
	}
	over := csvOf(t, c.call("auditor", "GET", "/v1/pauses?state=over&format=csv", ""))
	if len(over) != 2 || over[1][0] != id || over[1][len(over[1])-1] != "They are right now." {
		t.Errorf("got %q", over)
	}
}

func TestSourcesAndTheirSnapshotsAreListed(t *testing.T) {
	c, kept := newAdministration(t)
	analyst := identity.Actor{Kind: identity.Person, ID: "p:analyst", Org: postgrestest.North, Roles: []identity.Role{identity.Analyst}}
	for _, text := range []string{"a,b\n1,2\n", "a,c\n1,2\n", "a,c\n3,4\n"} {
		if _, err := kept.Take(t.Context(), analyst, evidence.Receipt{Source: "cpcb", Place: "https://example.org/of-somebody.csv"},
			io.Reader(strings.NewReader(text))); err != nil {
			t.Fatal(err)
		}
	}
	got := c.call("officer", "GET", "/v1/sources?state=fresh", "")
	items, _ := field(got.body, "items").([]any)
	if len(items) != 1 || field(items[0], "name") != "cpcb" || field(items[0], "shape_changes_30d") != 1.0 ||
		field(items[0], "without") != "No surge is seen." || field(items[0], "expected_every_seconds") != 3600.0 {
		t.Errorf("got %d %s", got.status, got.text)
	}
	if rows := csvOf(t, c.call("operator", "GET", "/v1/sources?format=csv", "")); len(rows) != 3 {
		t.Errorf("%d rows, want the head and two sources", len(rows))
	}
	page := c.call("officer", "GET", "/v1/sources/cpcb/snapshots?page_size=2", "")
	next, _ := page.body["next_page_token"].(string)
	rest := c.call("officer", "GET", "/v1/sources/cpcb/snapshots?page_size=2&page_token="+next, "")
	if len(field(page.body, "items").([]any)) != 2 || len(field(rest.body, "items").([]any)) != 1 ||
		!strings.Contains(page.text, "of-somebody") {
		t.Errorf("got %s, then %s", page.text, rest.text)
	}
	if rows := csvOf(t, c.call("officer", "GET", "/v1/sources/cpcb/snapshots?format=csv", "")); len(rows) != 4 {
		t.Errorf("%d rows, want the head and three snapshots", len(rows))
	}
	if got := c.call("operator", "GET", "/v1/sources/cpcb/snapshots", ""); got.status != 200 || strings.Contains(got.text, "of-somebody") {
		t.Errorf("an operator, who sees no personal data, is told where it came from: %s", got.text)
	}
	for path, want := range map[string]int{"/v1/sources/moon/snapshots": 404, "/v1/sources?state=odd": 422} {
		if got := c.call("officer", "GET", path, ""); got.status != want {
			t.Errorf("%s: got %d, want %d", path, got.status, want)
		}
	}
}

func TestModelsSpendingAndBudgetsAreListedWithoutKeys(t *testing.T) {
	c, _ := newAdministration(t)
	models := c.call("operator", "GET", "/v1/models", "")
	for _, want := range []string{`"host":"127.0.0.1:9"`, `"price_input_per_million":"2.5"`, `"price_cached_per_million":"0.25"`,
		`"price_output_per_million":"10"`, `"agents":["general/clerk"]`} {
		if !strings.Contains(models.text, want) {
			t.Errorf("%s does not say %s", models.text, want)
		}
	}
	agents := c.call("operator", "GET", "/v1/agents?app=poolpatrol", "")
	if items, _ := field(agents.body, "items").([]any); len(items) != 1 || field(items[0], "routed") != false ||
		field(items[0], "budget_calls") != 9.0 {
		t.Errorf("got %s", agents.text)
	}
	if rows := csvOf(t, c.call("auditor", "GET", "/v1/agents?format=csv", "")); len(rows) != 3 {
		t.Errorf("%d rows, want the head and two agents", len(rows))
	}
	for _, by := range []string{"route", "app", "agent"} {
		if got := c.call("operator", "GET", "/v1/spending?by="+by, ""); got.status != 200 || len(field(got.body, "items").([]any)) != 0 {
			t.Errorf("by %s: got %d %s", by, got.status, got.text)
		}
	}
	kept := c.call("operator", "GET", "/v1/retention", "")
	if !strings.Contains(kept.text, `"keep_seconds":604800`) {
		t.Errorf("got %s", kept.text)
	}
	for path, want := range map[string]int{"/v1/models": 403, "/v1/spending": 403, "/v1/agents": 403, "/v1/erasures": 403,
		"/v1/retention": 403} {
		if got := c.call("officer", "GET", path, ""); got.status != want {
			t.Errorf("an officer at %s: got %d, want %d", path, got.status, want)
		}
	}
	if got := c.call("admin", "GET", "/v1/erasures", ""); got.status != 200 || len(field(got.body, "items").([]any)) != 0 {
		t.Errorf("got %d %s", got.status, got.text)
	}
}
