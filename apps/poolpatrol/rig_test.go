package poolpatrol

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// A rig is Pool Patrol's API on a real database, spoken to over HTTP. The header
// As names who asks, in place of sign-in, which has tests of its own.
type rig struct {
	t    *testing.T
	db   *postgrestest.Database
	app  *rooms
	deps platform.Deps // what it was opened with
	url  string
}

func rigPerson(id string, org identity.Org, roles ...identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: id, Name: id, Org: org, Roles: roles}
}

// rigPeople are who may ask.
var rigPeople = map[string]identity.Actor{
	"manager": rigPerson("manager", postgrestest.North, identity.ProgrammeManager),
	"auditor": rigPerson("auditor", postgrestest.North, identity.Auditor),
	"officer": rigPerson("officer", postgrestest.North, identity.Officer),
	"admin":   rigPerson("admin", postgrestest.North, identity.OrgAdmin),
	"south":   rigPerson("south", postgrestest.South, identity.ProgrammeManager),
	"staff":   {Kind: identity.Machine, ID: "staff", Name: "Staff system", Org: postgrestest.North, Scopes: []string{"ingest:poolpatrol"}},
	"reader":  {Kind: identity.Machine, ID: "reader", Name: "Reader", Org: postgrestest.North, Scopes: []string{"read:cases"}},
}

// ownRules are the policies as they ship, which take longer to read than most tests take.
var ownRules = sync.OnceValues(func() (*policy.Rules, error) { return policy.Load(nil, platform.Policies(New())) })

func newRig(t *testing.T) *rig {
	t.Helper()
	declared := New()
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, db: postgrestest.New(t, platform.Migrations(declared)...), app: newRooms()}
	r.deps = platform.Deps{DB: r.db.App, Rules: rules}
	if err := r.app.open(r.deps); err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: rules.May, PublicURL: "https://gavel.example", Messages: []fs.FS{api.Messages()}})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	api.New(mux, api.Config{PublicURL: "https://gavel.example", Keys: idempotency.NewStore(r.db.App), May: rules.May}).Routes(rest.Parts(r.app.store)...)
	as := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			next.ServeHTTP(w, req.WithContext(signin.As(req.Context(), rigPeople[req.Header.Get("As")])))
		})
	}
	srv := httptest.NewServer(site.Handler(mux, as))
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

// A reply is what the server answered.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any // of JSON
}

// items are those of a list.
func (a reply) items() []any {
	all, _ := a.body["items"].([]any)
	return all
}

// call sends a request as somebody; body is JSON, or a value to make JSON of, or
// nil.
func (r *rig) call(as, method, path string, body any, headers ...string) reply {
	r.t.Helper()
	text, ok := body.(string)
	if body != nil && !ok {
		raw, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		text = string(raw)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(text))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("As", as)
	if text != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	a := reply{status: res.StatusCode, header: res.Header, text: string(got)}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && len(got) > 0 {
		if err := json.Unmarshal(got, &a.body); err != nil {
			r.t.Fatalf("%s %s: %v in %.200s", method, path, err, got)
		}
	}
	return a
}

// want calls and insists on the status.
func (r *rig) want(status int, as, method, path string, body any, headers ...string) reply {
	r.t.Helper()
	a := r.call(as, method, path, body, headers...)
	if a.status != status {
		r.t.Fatalf("%s %s %s: got %d, want %d: %.600s", as, method, path, a.status, status, a.text)
	}
	return a
}

// aFile is a file as the API takes it.
func aFile(kind intake.Kind, file string, whole bool) map[string]any {
	return map[string]any{"kind": kind, "file": file, "whole": whole}
}

// hand imports a file as it was previewed.
func (r *rig) hand(as string, kind intake.Kind, file string) reply {
	r.t.Helper()
	body := aFile(kind, file, true)
	body["sha256"] = r.want(200, as, "POST", "/v1/poolpatrol/previews", body).body["sha256"]
	return r.want(200, as, "POST", "/v1/poolpatrol/imports", body)
}

// fill hands over a made-up town.
func (r *rig) fill(as string, town madeup.Town) {
	r.t.Helper()
	for _, h := range poolpatroltest.Files(town.Records) {
		r.hand(as, h.Kind, string(h.File))
	}
}

// finish does what the workflow of a pass does, to its end.
func (r *rig) finish(org identity.Org, pass string) {
	r.t.Helper()
	steps, in := r.app.work.Steps(), store.PassInput{Org: org, Pass: pass}
	more, err := steps.Pin(r.t.Context(), in)
	for done := !more; err == nil && !done; {
		done, err = steps.Look(r.t.Context(), in)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// audited has every van audited and returns the id of the pass.
func (r *rig) audited(as string) string {
	r.t.Helper()
	id, _ := r.want(201, as, "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`).body["id"].(string)
	r.finish(rigPeople[as].Org, id)
	return id
}

// age makes the records too old between the start of a pass and their reading,
// and lets the pass read them.
func (r *rig) age(t *testing.T, pass string) {
	t.Helper()
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.sync set at = at - interval '50 hours' where at > now() - interval '1 hour'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.work.Steps().Pin(t.Context(), store.PassInput{Org: postgrestest.North, Pass: pass}); err != nil {
		t.Fatal(err)
	}
}
