package program

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/program/config"
)

// A front is a whole server in the test's own process, without an engine. It runs
// what ships and the tests' own application, the yard, for its tools.
type front struct {
	*face
	ground
	cli   *cli
	parts *parts
	db    *postgrestest.Database
	desk  *signin.Store
}

func newFront(t *testing.T) *front {
	t.Helper()
	db := postgrestest.New(t, builtIn().migrations()...)
	cfg, err := config.Load(config.Sources{Environ: append(settingsFor(t, db), append(aMailbox(t), "GAVEL_MODELS="+noModel(t))...)})
	if err != nil {
		t.Fatal(err)
	}
	c := &cli{apps: append(builtIn(), yardApp(t, db)), out: io.Discard, talk: io.Discard, cfg: cfg}
	p, err := c.openParts(t.Context(), "gavel-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close(context.WithoutCancel(t.Context())) })
	sys, err := postgres.OpenSystem(t.Context(), cfg.DatabaseSystem.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)
	engine, err := durable.Lazy(p.engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	kept, err := c.openRecords(p, sys)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.newMinds(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.openApps(p, m, kept); err != nil {
		t.Fatal(err)
	}
	g := ground{sys, engine, kept, m}
	f, err := c.newFace(p, g, "127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	return &front{face: f, ground: g, cli: c, parts: p, db: db,
		desk: signin.NewStore(signin.StoreConfig{DB: p.db, Clock: p.clock, Rules: p.rules})}
}

// aMailbox is the settings of a mailbox that does not answer: mail has its pages,
// and what is in them is put there by hand.
func aMailbox(t *testing.T) []string {
	t.Helper()
	return []string{"GAVEL_MAIL_DOMAIN=mail.gavel.test", "GAVEL_MAIL_FROM=cell@gavel.test", "GAVEL_SMTP_ADDRESS=" + absentPort(t),
		"GAVEL_MAIL_INBOUND_DOMAIN=in.gavel.test", "GAVEL_MAIL_KEYS=k1:" + testKey, "GAVEL_MAIL_ORG=north",
		"GAVEL_IMAP_ADDRESS=" + absentPort(t), "GAVEL_IMAP_USER=in", "GAVEL_IMAP_PASSWORD=x"}
}

// noModel is a file with a way to a model that does not answer.
func noModel(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "models.yaml")
	text := fmt.Sprintf("plain: {provider: scripted, base_url: \"http://%s/v1\"}\n", absentPort(t))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// yardPolicies let analysts' agents use the yard's tools, and machines by scope.
const yardPolicies = agenttest.Policies + `
@id("machines-propose")
permit (principal is Machine, action == Action::"call", resource) when { context.app == "yard" && context.scopes.contains("propose:yard") };
@id("machines-look")
permit (principal is Machine, action in [Action::"call", Action::"call_unattended"], resource) when { context.app == "yard" && context.effect == "read" };
`

// yardApp is the yard as an application. Nothing works on its cases.
func yardApp(t *testing.T, db *postgrestest.Database) platform.App {
	t.Helper()
	set := agenttest.Config{App: agenttest.DefaultApp, DB: db.App, ModelURL: "http://" + absentPort(t), Effects: "http://" + absentPort(t)}
	yard, err := agenttest.New(set)
	if err != nil {
		t.Fatal(err)
	}
	return platform.App{Name: set.App, Title: "Yard", Cases: set.Kind(), Work: yard.Work(), Tools: yard.Registry.All(),
		Policies: fstest.MapFS{"yard.cedar": {Data: []byte(yardPolicies)}},
		Sources:  []evidence.Source{{Name: stations, Title: "Stations", Licence: "open"}}}
}

// machine is a token of an organisation with one scope.
func (f *front) machine(t *testing.T, org identity.Org, scope string) string {
	t.Helper()
	admin := identity.Actor{Kind: identity.Person, ID: "p:admin", Org: org, Roles: []identity.Role{identity.OrgAdmin}}
	_, secret, err := f.desk.Issue(t.Context(), admin, signin.NewToken{Name: scope, Scopes: []string{scope}, Life: time.Hour,
		Reason: "the matrix"})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// A question is one request.
type question struct {
	method, path string
	as           asker
	accept       string // JSON if it is left out
	body         string // JSON, or a page's form if it does not begin with a brace; with a file if it begins with --
	header       map[string]string
}

// An answer is all that the one who asked gets to see.
type answer struct {
	status int
	header http.Header
	body   string
}

// sameRequest is the id of every request, so that answers can be compared.
const sameRequest = "req-the-same-each-time"

// A sheet takes an answer down. Like a connection it can be given more time, of
// which it needs none.
type sheet struct {
	*httptest.ResponseRecorder
	leave func() // when something has come; nil: it is waited for the end
}

// Flush is where the visitor of a stream leaves, who has seen enough.
func (s sheet) Flush() {
	s.ResponseRecorder.Flush()
	if s.leave != nil {
		s.leave()
	}
}

// SetWriteDeadline does nothing.
func (sheet) SetWriteDeadline(time.Time) error { return nil }

// send asks the server, and waits a moment where that is too often.
func (f *front) send(q question) (a answer) {
	wait.Holds(1, func() bool { a = f.sendOnce(q); return a.status != http.StatusTooManyRequests })
	return a
}

func (f *front) sendOnce(q question) answer {
	ctx, leave := context.WithTimeout(context.Background(), time.Minute)
	defer leave()
	body := io.Reader(http.NoBody)
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	r := httptest.NewRequestWithContext(ctx, q.method, q.path, body)
	r.Header.Set("X-Request-Id", sameRequest)
	r.Header.Set("Accept", "application/json")
	if q.accept != "" {
		r.Header.Set("Accept", q.accept)
	}
	switch {
	case strings.HasPrefix(q.body, "{"):
		r.Header.Set("Content-Type", "application/json")
	case strings.HasPrefix(q.body, "--"):
		boundary, _, _ := strings.Cut(q.body[2:], "\r\n")
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	case q.body != "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if q.as.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.as.token)
	}
	if q.as.session != "" {
		r.AddCookie(&http.Cookie{Name: "gavel_session", Value: q.as.session})
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	to := sheet{ResponseRecorder: w}
	if q.path == "/live" || q.accept == "text/event-stream" {
		to.leave = leave // a stream ends when its visitor leaves
	}
	f.handler.ServeHTTP(to, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// short is the beginning of what an answer says, for a test's own words.
func (a answer) short() string {
	_, main, page := strings.Cut(a.body, "<main")
	if !page {
		main = a.body
	}
	return main[:min(len(main), 600)]
}

// turnedAway reports whether somebody was not let in.
func (a answer) turnedAway() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

var wildcard = regexp.MustCompile(`\{([a-z_]+)(\.\.\.)?\}`)

// routeOf is a route's pattern as a method and a path. A pattern without a method
// is asked with GET.
func routeOf(pattern string) (method, path string) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	return method, strings.ReplaceAll(path, "{$}", "")
}

// form is what a route of that address is asked for: pages as a browser does,
// everything else as a program.
func form(path string) string {
	if strings.HasPrefix(path, "/v1/") || path == "/mcp" {
		return "application/json"
	}
	return "text/html"
}
