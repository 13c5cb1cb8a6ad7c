package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// caller speaks to a server as somebody. The header As names who, in place of
// sign-in, which has tests of its own.
type caller struct {
	t    *testing.T
	url  string
	http *http.Client
	db   *postgrestest.Database
}

var people = map[string]identity.Actor{
	"officer":  {Kind: identity.Person, ID: "o", Name: "Officer", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}},
	"auditor":  {Kind: identity.Person, ID: "a", Name: "Auditor", Org: postgrestest.North, Roles: []identity.Role{identity.Auditor}},
	"operator": {Kind: identity.Person, ID: "op", Name: "Operator", Org: postgrestest.North, Roles: []identity.Role{identity.Operator}},
	"officer2": {Kind: identity.Person, ID: "o2", Name: "Second", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}},
	"admin":    {Kind: identity.Person, ID: "ad", Name: "Admin", Org: postgrestest.North, Roles: []identity.Role{identity.OrgAdmin}},
	"machine":  {Kind: identity.Machine, ID: "m", Name: "Machine", Org: postgrestest.North, Scopes: []string{"read:cases"}},
	"looking": {Kind: identity.Person, ID: "ad", Name: "Admin", Org: postgrestest.North, Roles: []identity.Role{identity.Officer},
		Viewing: identity.Officer},
	"tools": {Kind: identity.Person, ID: "o", Name: "Officer", Org: postgrestest.North, Roles: []identity.Role{identity.Officer},
		Way: identity.ByTools},
	"leaver": {Kind: identity.Person, ID: "l", Name: "Leaver", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}},
	"south":  {Kind: identity.Person, ID: "s", Name: "South", Org: postgrestest.South, Roles: []identity.Role{identity.Officer}},
}

func newCaller(t *testing.T) caller {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), idempotency.Migrations(),
		operation.Migrations(), event.Migrations())
	c := &http.Client{}
	return caller{t, serveParts(t, db, api.Config{},
		&api.Cases{Cases: casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()}), PublicURL: public},
		&api.Operations{}), c, db}
}

const public = "https://gavel.example"

// signedOut are the ids of people who were, while a stream of theirs was open.
var signedOut sync.Map

// serveParts serves parts of the API, to whom the header As names.
func serveParts(t *testing.T, db *postgrestest.Database, cfg api.Config, parts ...api.Part) string {
	t.Helper()
	still := func(ctx context.Context) error {
		if _, gone := signedOut.Load(signin.From(ctx).ID); gone {
			return fault.New(fault.SignIn, "this sign-in has ended")
		}
		return nil
	}
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, Still: still, May: policy.Standard().May,
		PublicURL: public, Messages: []fs.FS{api.Messages()}})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	cfg.PublicURL, cfg.Keys, cfg.May = public, idempotency.NewStore(db.App), policy.Standard().May
	if cfg.Operations == nil {
		cfg.Operations = newDesk(t, db)
	}
	api.New(mux, cfg).Routes(parts...)
	as := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), people[r.Header.Get("As")])))
		})
	}
	srv := httptest.NewServer(site.Handler(mux, as))
	t.Cleanup(srv.Close)
	return srv.URL
}

// newDesk works on operations until the test ends.
func newDesk(t *testing.T, db *postgrestest.Database) *operation.Desk {
	t.Helper()
	d := operation.NewDesk(operation.Config{DB: db.App, Acts: api.OperationActs(), Rules: policy.Standard(), Now: time.Now,
		Beat: func(every time.Duration) (<-chan time.Time, func()) {
			tick := time.NewTicker(every)
			return tick.C, tick.Stop
		}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return d
}

type answer struct {
	status int
	header http.Header
	body   map[string]any
	text   string
}

func (c caller) call(as, method, path, body string, headers ...string) answer {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("As", as)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, text: string(text)}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && len(text) > 0 {
		if err := json.Unmarshal(text, &a.body); err != nil {
			c.t.Fatalf("%s %s: %v in %.200s", method, path, err, text)
		}
	}
	return a
}

// clock is the wall's.
var clock = durable.Clock{}

const van14 = `{"app":"general","key":"van-14","title":"Van 14"}`

func TestACaseIsOpenedReadAndListed(t *testing.T) {
	c := newCaller(t)
	opened := c.call("officer", "POST", "/v1/cases", van14)
	id, _ := opened.body["id"].(string)
	if opened.status != 201 || opened.header.Get("Location") != "/v1/cases/"+id || opened.header.Get("ETag") != `"1"` {
		t.Fatalf("got %+v", opened)
	}
	if page := opened.body["links"].(map[string]any)["page"]; page != "https://gavel.example/cases/"+id {
		t.Errorf("got page %v", page)
	}
	if again := c.call("officer", "POST", "/v1/cases", van14); again.status != 200 || again.body["id"] != id {
		t.Errorf("the same key again: got %+v", again)
	}
	for _, name := range []string{id, opened.body["ref"].(string), strings.ToLower(opened.body["ref"].(string))} {
		got := c.call("officer", "GET", "/v1/cases/"+name, "")
		if got.status != 200 || got.body["key"] != "van-14" || got.header.Get("Gavel-Zone") != "Asia/Kolkata" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := c.call("officer", "GET", "/v1/cases/"+id, "", "If-None-Match", `"1"`); got.status != 304 {
		t.Errorf("an unchanged case: got %d, want 304", got.status)
	}
	list := c.call("officer", "GET", "/v1/cases?state=open&app=general", "")
	if items := list.body["items"].([]any); list.status != 200 || len(items) != 1 {
		t.Errorf("got %+v", list)
	}
	entries := c.call("officer", "GET", "/v1/cases/"+id+"/entries", "")
	if items := entries.body["items"].([]any); len(items) != 1 || items[0].(map[string]any)["kind"] != "opened" {
		t.Errorf("got %+v", entries)
	}
}

func TestAnEmptyListIsAnEmptyList(t *testing.T) {
	got := newCaller(t).call("south", "GET", "/v1/cases", "")
	if items, ok := got.body["items"].([]any); got.status != 200 || !ok || len(items) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestClosingNeedsTheVersionThatWasRead(t *testing.T) {
	c := newCaller(t)
	id := c.call("officer", "POST", "/v1/cases", van14).body["id"].(string)
	path := "/v1/cases/" + id
	if got := c.call("officer", "POST", path+"/notes", `{"text":"Spoke to the driver."}`); got.status != 204 {
		t.Fatalf("got %+v", got)
	}
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
		code    string
	}{
		{"without If-Match", nil, 428, "precondition_required"},
		{"with one that is no ETag", []string{"If-Match", "seven"}, 422, "invalid"},
		{"with an old one", []string{"If-Match", `"1"`}, 412, "stale"},
		{"with the present one", []string{"If-Match", `"2"`}, 202, ""},
		{"once more", []string{"If-Match", `"3"`}, 409, "conflict"},
	} {
		got := c.call("officer", "POST", path+"/close", `{"reason":"Settled."}`, tt.headers...)
		if code, _ := got.body["code"].(string); got.status != tt.status || code != tt.code {
			t.Errorf("%s: got %d %q, want %d %q", tt.name, got.status, code, tt.status, tt.code)
		}
	}
}

func TestWhatIsNotAllowedIsRefusedAndSaysSo(t *testing.T) {
	c := newCaller(t)
	id := c.call("officer", "POST", "/v1/cases", van14).body["id"].(string)
	for _, tt := range []struct {
		name, as, method, path, body string
		status                       int
		code                         string
	}{
		{"nobody opens", "", "POST", "/v1/cases", van14, 401, "sign_in_needed"},
		{"nobody reads", "", "GET", "/v1/cases/" + id, "", 401, "sign_in_needed"},
		{"an auditor opens", "auditor", "POST", "/v1/cases", van14, 403, "refused"},
		{"an auditor annotates", "auditor", "POST", "/v1/cases/" + id + "/notes", `{"text":"x"}`, 403, "refused"},
		{"an operator reads", "operator", "GET", "/v1/cases/" + id, "", 403, "refused"},
		{"an operator lists", "operator", "GET", "/v1/cases", "", 403, "refused"},
		{"another organisation reads", "south", "GET", "/v1/cases/" + id, "", 404, "not_found"},
		{"another organisation annotates", "south", "POST", "/v1/cases/" + id + "/notes", `{"text":"x"}`, 404, "not_found"},
		{"another organisation's history", "south", "GET", "/v1/cases/" + id + "/entries", "", 404, "not_found"},
		{"a name that cannot be", "officer", "GET", "/v1/cases/%ff%00", "", 404, "not_found"},
		{"no such case", "officer", "GET", "/v1/cases/case_x", "", 404, "not_found"},
		{"no such address", "officer", "GET", "/v1/nothing", "", 404, "not_found"},
		{"an unknown field", "officer", "POST", "/v1/cases", `{"app":"general","key":"k","title":"t","admin":true}`, 422, "invalid"},
		{"two values", "officer", "POST", "/v1/cases", van14 + van14, 422, "invalid"},
		{"not JSON", "officer", "POST", "/v1/cases", `{`, 422, "invalid"},
		{"two due dates", "officer", "POST", "/v1/cases",
			`{"app":"general","key":"k","title":"t","due_in_s":5,"due_at":"2030-01-01T00:00:00Z"}`, 422, "invalid"},
		{"a page token of someone else's", "officer", "GET", "/v1/cases?page_token=7", "", 422, "invalid"},
		{"a page too large", "officer", "GET", "/v1/cases?page_size=1000", "", 422, "invalid"},
		{"a body too large", "officer", "POST", "/v1/cases", fmt.Sprintf(`{"title":%q}`, strings.Repeat("x", 70_000)), 413, "too_large"},
	} {
		got := c.call(tt.as, tt.method, tt.path, tt.body)
		if got.status != tt.status || got.body["code"] != tt.code {
			t.Errorf("%s: got %d %v, want %d %s", tt.name, got.status, got.body["code"], tt.status, tt.code)
		}
		if ct := got.header.Get("Content-Type"); ct != "application/problem+json" {
			t.Errorf("%s: answered as %s", tt.name, ct)
		}
	}
}
