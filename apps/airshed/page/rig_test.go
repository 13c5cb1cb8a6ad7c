package page

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// A rig is the rooms that pages stand on, on a real database.
type rig struct {
	airshedtest.Rig

	surveyor *survey.Surveyor
	clerk    *filing.Clerk
	pages    *Pages
}

func newRig(t *testing.T) rig {
	t.Helper()
	r := rig{Rig: airshedtest.New(t)}
	r.surveyor = survey.New(r.Store)
	r.clerk = filing.New(r.Store, r.surveyor)
	r.pages = New(r.Store, r.surveyor, r.clerk)
	return r
}

// hand hands a file in and carries the scan of it out.
func (r rig) hand(t *testing.T, key string, o *lake.Object) store.Scan {
	t.Helper()
	return r.Hand(t, r.surveyor.Steps(), key, o)
}

// carry does the steps of a scan, as its workflow does.
func (r rig) carry(t *testing.T, scan store.Scan) store.Scan {
	t.Helper()
	return r.Carry(t, r.surveyor.Steps(), scan)
}

// A stage is the pages on a real database and a real server, with sign-in and live
// notices as a server has them, and without the engine: a scan stands still until a
// test moves it.
type stage struct {
	rig

	now    time.Time // of the pages
	site   *web.Site
	server *httptest.Server
}

var stageKey = []byte("0123456789abcdef0123456789abcdef")

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{rig: newRig(t), now: laketest.Now().Add(20 * time.Minute)}
	door, err := signin.New(signin.Config{Development: true, DevKey: stageKey, Orgs: []identity.Org{postgrestest.North, postgrestest.South}})
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Actor: signin.From, Require: signin.Require, May: s.Rules.May,
		Messages: []fs.FS{signin.Messages(), Messages()}, Nav: Nav(), Home: frame.HomeAt, SignIn: door.Path(), Demo: true, Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	s.site = site
	mux := web.NewMux(site)
	hub := web.NewHub(site)
	hub.Routes(mux)
	door.Routes(mux)
	s.pages.Routes(mux.Under(store.Name))
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
		done <- hub.Listen(ctx, func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, s.DB.AppURL) })
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

// send hands a file in by the form.
func (s *stage) send(t testing.TB, role identity.Role, name string, file []byte) shownPage {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(file)
	_ = form.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+frame.FilesAt, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return s.do(t, role, req)
}

// found hands an object in, carries its scan out and gives the episode it found.
func (s *stage) found(t *testing.T, key string, o *lake.Object) store.Episode {
	t.Helper()
	s.hand(t, key, o)
	all, err := s.Store.Episodes(t.Context(), airshedtest.Person(identity.Analyst), store.Cursor{}, 10)
	if err != nil || len(all) == 0 {
		t.Fatalf("found %d episodes, %v", len(all), err)
	}
	return all[0]
}

// set puts the records into a state that would take time to reach.
func (s *stage) set(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DB.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
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
