package console_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/search"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// A stage is the console over a real database, without the engine: cases stay
// as they were opened unless a test changes them.
type stage struct {
	*bundletest.Stage
	db      *postgrestest.Database
	store   *casefile.Store
	site    *web.Site
	hub     *web.Hub
	log     *audit.Reader
	reports *report.Desk
	handler http.Handler
	server  *httptest.Server
	outage  atomic.Pointer[fault.Error] // what every form that is sent meets; nil when all is well
	desk    *review.Store               // where the pages decide
	stopped atomic.Bool                 // the engine does not answer
	offers  int                         // proposals made by offer
	part    console.Part                // what the page of a case shows besides; see says and panels
	links   *concern.Store              // where the people concerned are told
	door    signin.Config               // how people come in
	mailIn  *inbound.Store              // where mail comes in
	post    *notify.Post                // where letters are written
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := setUp(t)
	s.server = httptest.NewServer(s.handler)
	s.begin(t)
	return s
}

// setUp is a stage that nobody can reach yet; doors change how people come in.
func setUp(t testing.TB, doors ...func(*signin.Config, *postgrestest.Database)) *stage {
	t.Helper()
	kit := bundletest.NewOn(t, []postgres.MigrationSet{agent.Migrations(), search.Migrations(), concern.Migrations(), ask.Migrations(),
		signin.Migrations(), notify.Migrations(), inbound.Migrations(), hook.Migrations(), setting.Migrations()})
	s := &stage{Stage: kit, db: kit.DB, store: kit.Cases,
		door: signin.Config{Development: true, DevKey: devKey, Orgs: []identity.Org{postgrestest.North, postgrestest.South}}}
	for _, change := range doors {
		change(&s.door, s.db)
	}
	s.build(t)
	return s
}

// begin keeps what a server keeps while it serves, until the test is over.
func (s *stage) begin(t testing.TB) {
	t.Helper()
	t.Cleanup(s.server.Close)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.hub.Listen(ctx, s.connect) }()
	kept := s.keepLog(ctx, t)
	t.Cleanup(func() {
		cancel()
		<-kept
		if err := <-done; err != nil {
			t.Errorf("listening ended with %v", err)
		}
	})
}

// keepLog takes records into the log as a server does, which is what tells open
// pages that something moved.
func (s *stage) keepLog(ctx context.Context, t testing.TB) (done <-chan struct{}) {
	t.Helper()
	sequencer, err := audit.NewSequencer(audit.SequencerConfig{
		System: s.db.System, Signer: s.Secret, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Announce: announce,
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(audit.Interval)
		defer tick.Stop()
		_ = sequencer.Run(ctx, tick.C)
	}()
	return ended
}

// announce tells pages of cases and of runs, as a server does.
func announce(b *pgx.Batch, orgs, records []string) {
	casefile.Announce(b, orgs, records)
	agent.Announce(b, orgs, records)
	act.AnnouncePauses(b, orgs, records)
}

func (s *stage) connect(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, s.db.AppURL) }

var devKey = []byte("0123456789abcdef0123456789abcdef")

// build puts the parts together as program does.
func (s *stage) build(t testing.TB) {
	t.Helper()
	door, err := signin.New(s.door)
	if err != nil {
		t.Fatal(err)
	}
	office := s.office(t)
	s.site, err = web.New(web.Config{
		Banners: office.Setup.Banners.Of,
		Log:     slog.New(slog.NewTextHandler(t.Output(), nil)), Actor: signin.From, Require: signin.Require, May: policy.Standard().May,
		Organisation: s.organisation, Messages: []fs.FS{console.Messages(), signin.Messages()}, Nav: console.Nav(),
		SignIn: door.Path(), SignOut: signin.SignOutPath, Demo: true, Search: console.SearchPath, SearchAct: console.SearchAct,
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(s.site)
	s.hub = web.NewHub(s.site)
	s.hub.MayHear = func(a identity.Actor) bool { return policy.Standard().May(a, "run.words") == nil }
	s.hub.Heard = office.Setup.Banners.Heard
	s.hub.Routes(mux)
	door.Routes(mux)
	web.NewHealth(s.site, []web.Check{{Name: "live notices", Fix: "gavel doctor",
		Run: func(context.Context) error { return s.hub.Check() }}}).Routes(mux)
	s.log = audit.NewReader(audit.ReaderConfig{DB: s.db.App, System: s.db.System, Shelf: s.Blobs})
	s.reports = report.NewDesk(s.log, s.Blobs)
	face := s.people(t)
	face.Site, face.Rules, face.Cases, face.Log, face.Reports, face.Evidence = s.site, policy.Standard(), s.store, s.log, s.reports,
		s.Evidence
	face.Sections, face.Keys, face.Runs = bundletest.Known(), s.keys, agent.NewStore(s.db.App, s.Vault, policy.Standard(), durable.Clock{})
	face.Orders = agent.NewOrders(agent.OrdersConfig{DB: s.db.App, Rules: policy.Standard(), Cases: s.store, Reviews: s.Reviews})
	face.Finder, face.Apps = search.New(s.db.App, policy.Standard()), []string{"general", "poolpatrol"}
	face.Concerns, face.Parts, face.Public = s.tellers(t), map[string][]console.Part{"general": {s.part}}, "https://gavel.example"
	face.Pauses, face.Setup, face.Evidence = office.Pauses, office.Setup, office.Evidence
	face.Ask = ask.New(ask.Config{DB: s.db.App, Now: time.Now, Rules: policy.Standard(), Cases: s.store, Evidence: office.Evidence,
		Reviews: s.Reviews})
	s.post = s.letterPost(t)
	s.mailIn = s.mailbox(t)
	face.Mail, face.Post, face.Desk = s.mailIn, s.post, notify.NewDesk(notify.DeskConfig{DB: s.db.App})
	console.New(face).Routes(mux)
	s.handler = s.site.Handler(mux, door.Middleware, s.meetOutage)
}

// keys are the log's, as the public page of a server lists them.
func (s *stage) keys(ctx context.Context) ([]audit.Verifier, error) {
	named, err := s.log.Keys(ctx)
	if len(named) == 0 {
		named = []audit.Verifier{s.Public}
	}
	return named, err
}

// meetOutage stands for a part that fails behind the forms.
func (s *stage) meetOutage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.outage.Load(); err != nil && r.Method == http.MethodPost {
			s.site.Fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *stage) organisation(ctx context.Context, org identity.Org) (web.Organisation, error) {
	found, err := s.db.App.Organisation(ctx, org)
	if err != nil {
		return web.Organisation{}, err
	}
	zone, err := time.LoadLocation(found.Zone)
	return web.Organisation{Name: found.Title, Zone: zone}, err
}

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "dev:" + string(role) + "@" + string(org), Name: "S. Rao", Org: org,
		Roles: []identity.Role{role}}
}

func (s *stage) open(t testing.TB, org identity.Org, key, title string, dueIn time.Duration) casefile.Case {
	t.Helper()
	c, _, err := s.store.Open(t.Context(), person(org, identity.Officer),
		casefile.Opening{App: casefile.General().App, Key: key, Title: title, DueIn: dueIn})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func token(t testing.TB, org identity.Org, role identity.Role) string {
	t.Helper()
	tok, err := signin.DevToken(devKey, org, role)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// A reply is what a browser without script got back.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as an officer of north; form makes it a POST.
func (s *stage) ask(t testing.TB, path string, form url.Values, headers ...string) reply {
	t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: token(t, postgrestest.North, identity.Officer)})
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(text)}
}

// set puts a case into a state that would take the engine or time to reach.
func (s *stage) set(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}
