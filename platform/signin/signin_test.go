package signin_test

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

var key = bytes.Repeat([]byte("k"), 32)

func mustToken(t testing.TB, key []byte, org identity.Org, role identity.Role) string {
	t.Helper()
	token, err := signin.DevToken(key, org, role)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// seen asks a door who a request comes from.
func seen(t testing.TB, d *signin.Door, change func(*http.Request)) (identity.Actor, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	change(r)
	var actor identity.Actor
	var err error
	d.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		actor, err = signin.Require(r.Context())
		if signin.From(r.Context()).ID != actor.ID {
			t.Error("From and Require disagree")
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
	return actor, err
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func cookie(token string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "gavel_dev", Value: token}) }
}

func devDoor(t testing.TB) *signin.Door {
	t.Helper()
	d, err := signin.New(signin.Config{Development: true, DevKey: key, Orgs: []identity.Org{"north", "south"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestATokenProvesItsOrganisationAndRole(t *testing.T) {
	d := devDoor(t)
	token := mustToken(t, key, "north", identity.Officer)
	if want := "gvdev.north.officer."; !strings.HasPrefix(token, want) {
		t.Errorf("the token is %q, want it to begin with %q", token, want)
	}
	for name, way := range map[string]func(string) func(*http.Request){"bearer": bearer, "cookie": cookie} {
		got, err := seen(t, d, way(token))
		if err != nil || got.Kind != identity.Person || got.ID != "dev:officer@north" || got.Name != "Demo officer (north)" ||
			got.Org != "north" || !slices.Equal(got.Roles, []identity.Role{identity.Officer}) {
			t.Errorf("by %s got %+v, %v", name, got, err)
		}
	}
}

func TestNoOtherTokenCounts(t *testing.T) {
	d := devDoor(t)
	good := mustToken(t, key, "north", identity.Officer)
	for name, bad := range map[string]string{
		"empty": "", "other key": mustToken(t, bytes.Repeat([]byte("x"), 32), "north", identity.Officer),
		"other org": strings.Replace(good, "north", "south", 1), "other role": strings.Replace(good, "officer", "org_admin", 1),
		"no signature": "gvdev.north.officer.", "cut": good[:len(good)-1], "longer": good + "A", "spaced": good + " x",
		"huge": good + strings.Repeat("A", 10_000), "another prefix": strings.Replace(good, "gvdev", "gvxxx", 1),
	} {
		if got, err := seen(t, d, bearer(bad)); !fault.Is(err, fault.SignIn) || got.Known() {
			t.Errorf("%s: bearer got %+v, %v", name, got, err)
		}
		if got, err := seen(t, d, cookie(bad)); !fault.Is(err, fault.SignIn) || got.Known() {
			t.Errorf("%s: cookie got %+v, %v", name, got, err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		at := rapid.IntRange(0, len(good)-1).Draw(rt, "at")
		flip := rapid.ByteRange(1, 255).Draw(rt, "flip") // at least one bit differs
		changed := []byte(good)
		changed[at] ^= flip
		if got, err := seen(t, d, bearer(string(changed))); err == nil {
			rt.Fatalf("%q was taken for %+v", changed, got)
		}
	})
}

func TestProductionKnowsNoDevelopmentTokens(t *testing.T) {
	if _, err := signin.New(signin.Config{DevKey: key}); !fault.Is(err, fault.Refused) {
		t.Errorf("a key in production got %v, want it refused", err)
	}
	d, err := signin.New(signin.Config{})
	if err != nil {
		t.Fatal(err)
	}
	token := mustToken(t, key, "north", identity.Officer)
	for name, way := range map[string]func(*http.Request){"bearer": bearer(token), "cookie": cookie(token)} {
		if got, err := seen(t, d, way); got.Known() || err == nil {
			t.Errorf("by %s got %+v", name, got)
		}
	}
	if got := d.Path(); got != "" {
		t.Errorf("production has sign-in page %q", got)
	}
	if w := newPages(t, d)("GET", signin.DevPath, "", nil); w.Code != http.StatusNotFound {
		t.Errorf("the development page got %d in production", w.Code)
	}
}

func TestABadKeyOrNameMakesNoToken(t *testing.T) {
	if _, err := signin.New(signin.Config{Development: true, DevKey: []byte("short")}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a short key got %v", err)
	}
	for _, tt := range []struct {
		key  []byte
		org  identity.Org
		role identity.Role
	}{{key[:16], "north", identity.Officer}, {key, "No.rth", identity.Officer}, {key, "north", "king"}} {
		if token, err := signin.DevToken(tt.key, tt.org, tt.role); err == nil {
			t.Errorf("%v made %q", tt, token)
		}
	}
}

func TestOtherSchemesAreRefused(t *testing.T) {
	_, err := seen(t, devDoor(t), func(r *http.Request) { r.SetBasicAuth("a", "b") })
	if !fault.Is(err, fault.SignIn) {
		t.Errorf("got %v", err)
	}
}

// newPages serves a door's pages; the returned function asks from loopback.
func newPages(t testing.TB, d *signin.Door) func(method, path, form string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	site, err := web.New(web.Config{Actor: signin.From, SignIn: d.Path(), SignOut: signin.SignOutPath, Messages: []fs.FS{signin.Messages()},
		Organisation: func(_ context.Context, org identity.Org) (web.Organisation, error) {
			return web.Organisation{Name: "Commission of the " + string(org)}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	d.Routes(mux)
	handler := site.Handler(mux, d.Middleware)
	return func(method, path, form string, change func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(form))
		r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:51234"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if change != nil {
			change(r)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
}

func TestTheDevelopmentPageSetsTheCookieAndGoesOn(t *testing.T) {
	d, err := signin.New(signin.Config{Development: true, DevKey: key, Orgs: []identity.Org{"north"}, PublicURL: "https://gavel.example"})
	if err != nil {
		t.Fatal(err)
	}
	ask := newPages(t, d)
	page := ask("GET", signin.DevPath+"?next=/cases", "", nil)
	for _, role := range identity.Roles() {
		if !strings.Contains(page.Body.String(), `value="`+string(role)+`"`) {
			t.Errorf("the page lacks role %s", role)
		}
	}
	if got := page.Header().Get("Set-Cookie"); got != "" {
		t.Errorf("reading the page set cookie %q", got)
	}
	for _, tt := range []struct {
		form     string
		status   int
		location string
	}{
		{"org=north&role=officer&next=/cases", 303, "/cases"},
		{"org=north&role=officer&next=https://evil.example/", 303, "/"},
		{"org=north&role=officer&next=//evil.example", 303, "/"},
		{"org=elsewhere&role=officer", 422, ""},
		{"org=north&role=king", 422, ""},
		{"org=north&role=" + strings.Repeat("x", 9<<10), 413, ""},
	} {
		w := ask("POST", signin.DevPath, tt.form, nil)
		if w.Code != tt.status || w.Header().Get("Location") != tt.location {
			t.Errorf("%.60s got %d to %q", tt.form, w.Code, w.Header().Get("Location"))
		}
		set := w.Result().Cookies()
		if tt.status != 303 {
			if len(set) != 0 {
				t.Errorf("%.60s set %v", tt.form, set)
			}
			continue
		}
		c := set[0]
		if c.Name != "gavel_dev" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			t.Errorf("the cookie is %+v", c)
		}
		if actor, err := seen(t, d, cookie(c.Value)); err != nil || actor.ID != "dev:officer@north" {
			t.Errorf("the cookie proves %+v, %v", actor, err)
		}
	}
}

func TestWhoHasSomethingToDoIsOfferedFirst(t *testing.T) {
	d, err := signin.New(signin.Config{Development: true, DevKey: key, Orgs: []identity.Org{"north"},
		Busy: []identity.Role{identity.ProgrammeManager, identity.Officer}})
	if err != nil {
		t.Fatal(err)
	}
	page := newPages(t, d)("GET", signin.DevPath, "", nil).Body.String()
	at := -1
	for _, next := range []string{"Commission of the north</h2>", `value="programme_manager"`, `value="officer"`, `value="officer-2"`,
		"<details", `value="org_admin"`} {
		found := strings.Index(page, next)
		if found <= at {
			t.Errorf("%q is at %d, after %d:\n%s", next, found, at, page)
		}
		at = found
	}
}

func TestTheDevelopmentPageAnswersOnlyAtTheMachine(t *testing.T) {
	ask := newPages(t, devDoor(t))
	for name, tt := range map[string]struct {
		change func(*http.Request)
		ok     bool
	}{
		"loopback":          {func(*http.Request) {}, true},
		"loopback by name":  {func(r *http.Request) { r.Host = "localhost:8080" }, true},
		"loopback, IPv6":    {func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:8080", "[::1]:9" }, true},
		"another machine":   {func(r *http.Request) { r.RemoteAddr = "192.0.2.7:9" }, false},
		"behind a proxy":    {func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.7") }, false},
		"a renamed host":    {func(r *http.Request) { r.Host = "evil.example" }, false},
		"another site sent": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, false},
	} {
		w := ask("POST", signin.DevPath, "org=north&role=officer", tt.change)
		if ok := w.Code == http.StatusSeeOther; ok != tt.ok || ok != (len(w.Result().Cookies()) == 1) {
			t.Errorf("%s got %d", name, w.Code)
		}
	}
}

func TestSigningOutForgetsTheCookie(t *testing.T) {
	ask := newPages(t, devDoor(t))
	w := ask("POST", signin.SignOutPath, "", nil)
	if set := w.Result().Cookies(); w.Code != 303 || len(set) != 1 || set[0].MaxAge >= 0 || set[0].Value != "" {
		t.Errorf("got %d and %v", w.Code, set)
	}
	if w := ask("GET", signin.SignOutPath, "", nil); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a GET to sign out got %d", w.Code)
	}
}

func TestAsPutsAnActorIntoAContext(t *testing.T) {
	want := identity.Gavel("north")
	if got := signin.From(signin.As(context.Background(), want)); got.ID != want.ID || got.Org != want.Org {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := signin.From(context.Background()); got.Known() {
		t.Errorf("an empty context holds %+v", got)
	}
}

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", signin.Messages())
}
