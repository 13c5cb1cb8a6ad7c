package poolpatrol

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/page"
	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// A stage is the pages on a real database and a real server, with sign-in and
// live notices as a server has them, and without the engine: a pass stands still
// until a test moves it.
type stage struct {
	db     *postgrestest.Database
	app    *rooms
	deps   platform.Deps // what it was opened with
	server *httptest.Server
}

var stageKey = []byte("0123456789abcdef0123456789abcdef")

func newStage(t testing.TB) *stage {
	t.Helper()
	declared := New()
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{db: postgrestest.New(t, platform.Migrations(declared)...), app: newRooms()}
	s.deps = platform.Deps{DB: s.db.App, Rules: rules, Logger: slog.New(slog.DiscardHandler)}
	if err := s.app.open(s.deps); err != nil {
		t.Fatal(err)
	}
	door, err := signin.New(signin.Config{Development: true, DevKey: stageKey, Orgs: []identity.Org{postgrestest.North, postgrestest.South}})
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Actor: signin.From, Require: signin.Require, May: rules.May,
		Messages: []fs.FS{signin.Messages(), page.Messages()}, Nav: page.Nav(), Home: homeAt, SignIn: door.Path(), Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	hub := web.NewHub(site)
	hub.Routes(mux)
	door.Routes(mux)
	s.app.routes(mux.Under(Name))
	s.server = httptest.NewServer(site.Handler(mux, door.Middleware))
	t.Cleanup(s.server.Close)
	s.listen(t, hub)
	return s
}

// listen hears notices until the test is over.
func (s *stage) listen(t testing.TB, hub *web.Hub) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- hub.Listen(ctx, func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, s.db.AppURL) })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("listening ended with %v", err)
		}
	})
}

func stageToken(t testing.TB, org identity.Org, role identity.Role) string {
	t.Helper()
	token, err := signin.DevToken(stageKey, org, role)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// now is a moment as the database keeps it.
func (s *stage) now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// stageManager is who looks after the programme of north.
func stageManager() identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "dev:programme_manager@north", Name: "M. Rao", Org: postgrestest.North, Roles: []identity.Role{identity.ProgrammeManager}}
}

// A shownPage is what a browser without script got back.
type shownPage struct {
	status int
	header http.Header
	body   string
}

// do sends a request as somebody of north.
func (s *stage) do(t testing.TB, role identity.Role, req *http.Request) shownPage {
	t.Helper()
	if _, err := req.Cookie("gavel_dev"); err != nil {
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: stageToken(t, postgrestest.North, role)})
	}
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return shownPage{res.StatusCode, res.Header, string(text)}
}

// get asks for a page.
func (s *stage) get(t testing.TB, role identity.Role, path string) shownPage {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, role, req)
}

// post sends a form.
func (s *stage) post(t testing.TB, role identity.Role, path string, form url.Values) shownPage {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.do(t, role, req)
}

// send sends the form of an import, with more fields by name and value.
func (s *stage) send(t testing.TB, role identity.Role, path string, h record.Handover, more ...string) shownPage {
	t.Helper()
	return s.sendWith(t, role, path, h, http.Header{}, more...)
}

func (s *stage) sendWith(t testing.TB, role identity.Role, path string, h record.Handover, header http.Header, more ...string) shownPage {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	extent := "part"
	if h.Whole {
		extent = "whole"
	}
	for i, fields := 0, append([]string{"kind", string(h.Kind), "extent", extent}, more...); i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", "records.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(h.File)
	_ = form.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+path, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	req.Header.Set("Content-Type", form.FormDataContentType())
	return s.do(t, role, req)
}

// town is a made-up town with something wrong in it.
func town(vans int) madeup.Town {
	return madeup.Plan{Seed: 7, Vans: vans, Riders: 8, Percent: 30}.Build()
}

// fill hands a town over.
func (s *stage) fill(t testing.TB, of madeup.Town) {
	t.Helper()
	for _, h := range poolpatroltest.Files(of.Records) {
		p, err := s.app.store.Preview(t.Context(), stageManager(), h)
		if err == nil {
			_, err = s.app.store.Import(t.Context(), stageManager(), h, p.SHA256)
		}
		if err != nil {
			t.Fatalf("%s: %v", h.Kind, err)
		}
	}
}

// begin starts a pass that has not looked at anything yet.
func (s *stage) begin(t testing.TB) store.Pass {
	t.Helper()
	p, _, err := s.app.store.StartPass(t.Context(), stageManager(), store.Asked, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// audit has every van audited, as the workflow of a pass does.
func (s *stage) audit(t testing.TB) store.Pass {
	t.Helper()
	p := s.begin(t)
	s.finish(t, p)
	return p
}

func (s *stage) finish(t testing.TB, p store.Pass) {
	t.Helper()
	steps, in := s.app.work.Steps(), store.PassInput{Org: postgrestest.North, Pass: p.ID}
	more, err := steps.Pin(t.Context(), in)
	for done := !more; err == nil && !done; {
		done, err = steps.Look(t.Context(), in)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// set puts the records into a state that would take time to reach.
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

// grow makes the records old.
func (s *stage) grow(t testing.TB, by time.Duration) {
	t.Helper()
	s.set(t, `update poolpatrol.sync set at = at - $1::interval`, fmt.Sprintf("%d seconds", int(by.Seconds())))
}

// holds insists on a status and on what the page says.
func (a shownPage) holds(t testing.TB, status int, words ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("got %d, want %d: %.1500s", a.status, status, mainPart(a.body))
	}
	for _, w := range words {
		if !strings.Contains(a.body, w) {
			t.Errorf("the page lacks %q in %.3000s", w, mainPart(a.body))
		}
	}
}

// lacks insists on what the page does not say.
func (a shownPage) lacks(t testing.TB, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(a.body, w) {
			t.Errorf("the page says %q", w)
		}
	}
}

func mainPart(body string) string {
	if i := strings.Index(body, "<main"); i >= 0 {
		return body[i:]
	}
	return body
}

var digestForm = regexp.MustCompile(`name="sha256" value="([0-9a-f]{64})"`)

// digest is what the page of a preview imports with.
func (a shownPage) digest(t testing.TB) string {
	t.Helper()
	found := digestForm.FindStringSubmatch(a.body)
	if found == nil {
		t.Fatalf("the page offers no import: %.1500s", mainPart(a.body))
	}
	return found[1]
}

// fileOf is the handover of one kind.
func fileOf(t testing.TB, of madeup.Town, kind intake.Kind) record.Handover {
	t.Helper()
	for _, h := range poolpatroltest.Files(of.Records) {
		if h.Kind == kind {
			return h
		}
	}
	t.Fatalf("no file of %s", kind)
	return record.Handover{}
}
