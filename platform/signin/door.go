package signin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// Addresses of the development door.
const (
	DevPath     = "/dev/sign-in"
	SignOutPath = "/sign-out"
)

const (
	devCookie = "gavel_dev"
	devMaxAge = 12 * 3600 // seconds; a working day
)

// A Config says which doors are open. The zero Config opens none, as production
// must be until an office sign-in is set up.
type Config struct {
	Development bool           // demo and test modes only
	DevKey      []byte         // signs development tokens; refused unless Development
	Orgs        []identity.Org // offered on the development page
	PublicURL   string         // the address people use; https makes the cookie Secure
}

// A Door lets people in and says who they are.
type Door struct{ cfg Config }

// New makes a door. A development key outside development is refused: leaving
// one in the settings of a real installation would let its holder be anybody.
func New(cfg Config) (*Door, error) {
	if !cfg.Development {
		if len(cfg.DevKey) > 0 {
			return nil, fault.New(fault.Refused, "development tokens are refused in production").
				WithNext("remove GAVEL_DEV_TOKEN_KEY from the settings")
		}
		return &Door{cfg: cfg}, nil
	}
	if len(cfg.DevKey) > 0 {
		if err := checkDevKey(cfg.DevKey); err != nil {
			return nil, err
		}
	}
	return &Door{cfg: cfg}, nil
}

// Path is the page to sign in at, empty when there is none.
func (d *Door) Path() string {
	if d.dev() {
		return DevPath
	}
	return ""
}

// dev reports whether development tokens count.
func (d *Door) dev() bool { return d.cfg.Development && len(d.cfg.DevKey) > 0 }

// Middleware puts who is asking into the request's context. It answers nothing
// itself: a page or an API call that needs somebody asks Require.
func (d *Door) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), visitorKey{}, d.look(r))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// look reads the token of a request. A bad bearer token is an error of the
// program that sent it; a bad cookie is an old one, and the visitor nobody.
func (d *Door) look(r *http.Request) visitor {
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok || !d.dev() {
			return visitor{problem: fault.New(fault.SignIn, "this way of signing in is not accepted here")}
		}
		actor, err := readDevToken(d.cfg.DevKey, strings.TrimSpace(token))
		return visitor{actor: actor, problem: err}
	}
	cookie, err := r.Cookie(devCookie)
	if err != nil || !d.dev() {
		return visitor{}
	}
	actor, err := readDevToken(d.cfg.DevKey, cookie.Value)
	if err != nil {
		return visitor{}
	}
	return visitor{actor: actor}
}

// Routes registers signing out and, in development, the page to sign in at.
func (d *Door) Routes(m *web.Mux) {
	m.Handle("POST "+SignOutPath, d.signOut)
	if !d.dev() {
		return
	}
	page := devPages{door: d, site: m.Site()}
	m.Handle("GET "+DevPath, page.show)
	m.Handle("POST "+DevPath, page.enter, web.MaxBody(8<<10))
}

func (d *Door) signOut(w http.ResponseWriter, r *http.Request) error {
	http.SetCookie(w, d.cookie("", -1))
	next := "/"
	if p := d.Path(); p != "" {
		next = p
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

func (d *Door) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: devCookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true,
		Secure: strings.HasPrefix(d.cfg.PublicURL, "https://"), SameSite: http.SameSiteLaxMode,
	}
}

// devPages are the development sign-in: a button per organisation and role, for
// somebody sitting at the machine.
type devPages struct {
	door *Door
	site *web.Site
}

func (d devPages) show(w http.ResponseWriter, r *http.Request) error {
	if err := d.atTheMachine(r); err != nil {
		return err
	}
	p := d.site.Page(r)
	p.Title = p.T("signin.title")
	next := web.LocalPath(r.URL.Query().Get("next"))
	return d.site.Render(w, r, http.StatusOK, p, devBody(p, d.door.cfg.Orgs, next))
}

func (d devPages) enter(w http.ResponseWriter, r *http.Request) error {
	if err := d.atTheMachine(r); err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return large
		}
		return fault.From(fault.Invalid, err, "the form could not be read")
	}
	org := identity.Org(r.PostForm.Get("org"))
	if !slices.Contains(d.door.cfg.Orgs, org) {
		return fault.New(fault.Invalid, "no demo organisation is called %.60q", org)
	}
	role, err := identity.ParseRole(r.PostForm.Get("role"))
	if err != nil {
		return err
	}
	token, err := DevToken(d.door.cfg.DevKey, org, role)
	if err != nil {
		return err
	}
	http.SetCookie(w, d.door.cookie(token, devMaxAge))
	http.Redirect(w, r, web.LocalPath(r.PostForm.Get("next")), http.StatusSeeOther)
	return nil
}

// atTheMachine refuses everybody but a browser on this very machine. A proxy on
// the machine would make anybody look local, so forwarded requests are refused;
// so is a Host that is not ours, which is how another site's page would reach
// loopback by renaming itself.
func (d devPages) atTheMachine(r *http.Request) error {
	refused := fault.New(fault.Refused, "development sign-in answers only to a browser on this machine")
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(host) {
		return refused
	}
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if r.Header.Get(h) != "" {
			return refused
		}
	}
	if !loopback(hostname(r.Host)) && !d.isPublic(r.Host) {
		return refused
	}
	return nil
}

func (d devPages) isPublic(host string) bool {
	u, err := url.Parse(d.door.cfg.PublicURL)
	return err == nil && u.Host != "" && u.Host == host
}

func hostname(host string) string {
	u := url.URL{Host: host}
	return u.Hostname()
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
