package signin_test

import (
	"context"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations(), signin.Migrations()}
}

// A hand is a clock that a test moves. By itself it moves a millisecond at each
// look, so that records sort by what came first.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(time.Millisecond)
	return h.at
}

func (h *hand) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

// A house is a site with this package's doors, on a real database, whose office
// is the dev stack's real OpenID Connect provider.
type house struct {
	db      *postgrestest.Database
	clock   *hand
	wall    *hand // by which codes live
	store   *signin.Store
	handler http.Handler
	base    string // the public address, which is the one the office knows

	withdrawn []string // programs whose proposals were taken back
	cannot    error    // why they cannot be
	inside    chan struct{}
	asked     chan bool
}

// newHouse builds one; change may alter the settings of its door.
func newHouse(t *testing.T, change ...func(*signin.Config)) *house {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := stack.Settings()
	if s["GAVEL_OIDC_ISSUER"] == "" {
		t.Fatal("the dev stack's office is not up: run `make parts`, or the tests with `make test`")
	}
	h := &house{db: postgrestest.New(t, sets()...), clock: &hand{at: time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)},
		inside: make(chan struct{}), asked: make(chan bool)}
	h.wall = &hand{at: h.clock.at}
	h.store = signin.NewStore(signin.StoreConfig{DB: h.db.App, Clock: h.clock, Wall: h.wall, Rules: policy.Standard(),
		Withdraw: h.withdraw})
	h.build(t, s, change...)
	return h
}

// build puts the house's doors together.
func (h *house) build(t *testing.T, s map[string]string, change ...func(*signin.Config)) {
	t.Helper()
	h.base = s["GAVEL_PUBLIC_URL"]
	rules := policy.Standard()
	cfg := signin.Config{PublicURL: h.base, Store: h.store,
		Office: signin.Office{Issuer: s["GAVEL_OIDC_ISSUER"], ClientID: s["GAVEL_OIDC_CLIENT_ID"],
			ClientSecret: s["GAVEL_OIDC_CLIENT_SECRET"]}}
	for _, f := range change {
		f(&cfg)
	}
	h.base = cfg.PublicURL
	door, err := signin.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, Still: signin.Still, May: rules.May, Now: h.clock.Now,
		SignIn:  door.Path(),
		SignOut: signin.SignOutPath, Account: signin.AccountPath, LeaveView: signin.LeavePath,
		Messages: []fs.FS{signin.Messages()}, Nav: []web.NavItem{signin.Nav()}, Home: signin.PeoplePath})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	web.NewHub(site).Routes(mux)
	door.Routes(mux)
	mux.Handle("GET /v1/still", func(w http.ResponseWriter, r *http.Request) error {
		<-h.inside // it was let in; whether it still is, is asked when the test says so
		var err error
		for again := true; again; { // and again, for as long as it says so: whoever asks is heard to the end
			if again = <-h.asked; err == nil {
				err = signin.Still(r.Context())
			}
		}
		return err
	}, web.SignedIn())
	h.handler = site.Handler(mux, door.Middleware)
}

// set changes a row behind a wall.
func (h *house) set(t *testing.T, org identity.Org, sql string, args ...any) {
	t.Helper()
	err := h.db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withdraw notes whose proposals were taken back, or fails as it is told to.
func (h *house) withdraw(_ context.Context, org identity.Org, program string) error {
	h.withdrawn = append(h.withdrawn, string(org)+" "+program)
	return h.cannot
}

// records are those of a kind, oldest first.
func (h *house) records(t *testing.T, kind audit.Kind) []string {
	t.Helper()
	rows, _ := h.db.System.Query(t.Context(), `select json from gavel.record where kind = $1 order by id`, kind)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A browser keeps cookies as one does, for one house.
type browser struct {
	t       *testing.T
	house   *house
	cookies map[string]string
	bearer  string
	from    string // its address; empty for one that all share
}

func (h *house) browser(t *testing.T) *browser {
	return &browser{t: t, house: h, cookies: map[string]string{}}
}

// A reply is what a house answered.
type reply struct {
	status   int
	location string
	body     string
	header   http.Header
}

func (b *browser) get(path string) reply { return b.ask("GET", path, "", "") }

func (b *browser) post(path string, form url.Values) reply {
	return b.ask("POST", path, "application/x-www-form-urlencoded", form.Encode())
}

func (b *browser) json(method, path, body string) reply {
	return b.ask(method, path, "application/json", body)
}

func (b *browser) ask(method, path, kind, body string) reply {
	b.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = strings.TrimPrefix(strings.TrimPrefix(b.house.base, "http://"), "https://"), "192.0.2.1:5000"
	if b.from != "" {
		r.RemoteAddr = b.from + ":5000"
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if b.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+b.bearer)
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.house.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
			continue
		}
		b.cookies[c.Name] = c.Value
	}
	return reply{w.Code, w.Header().Get("Location"), w.Body.String(), w.Header()}
}

// copied is the same browser, as who stole its cookies has it.
func (b *browser) copied() *browser {
	return &browser{t: b.t, house: b.house, cookies: maps.Clone(b.cookies)}
}

// atTheOffice goes through the office's own password form, and returns the
// address it sends the browser back to.
func (b *browser) atTheOffice(start, email string) string {
	b.t.Helper()
	back, err := devstack.Visit(b.t.Context(), start, b.house.base, email)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimPrefix(back, b.house.base)
}

// signIn signs in as one of the demo's people, all the way.
func (b *browser) signIn(email string) reply {
	b.t.Helper()
	start := b.get("/auth/start?next=%2Fv1%2Fme")
	if start.status != http.StatusSeeOther {
		b.t.Fatalf("beginning to sign in got %d: %s", start.status, start.body)
	}
	return b.get(b.atTheOffice(start.location, email))
}

func (h *house) signedIn(t *testing.T, email string) *browser {
	t.Helper()
	b := h.browser(t)
	if got := b.signIn(email); got.status != http.StatusSeeOther {
		t.Fatalf("%s got %d: %s", email, got.status, got.body)
	}
	return b
}

// admin is an administrator's own actor, without going through the office.
func admin(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p_admin_" + string(org), Name: "Admin", Org: org,
		Roles: []identity.Role{identity.OrgAdmin}}
}

func officer(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p_officer_" + string(org), Name: "Officer", Org: org,
		Roles: []identity.Role{identity.Officer}}
}
