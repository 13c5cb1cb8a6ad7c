package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of an ordinary request. Routes that need others say so with a Rule.
const (
	MaxBodyBytes   = 1 << 20
	RequestTimeout = 30 * time.Second
)

// A Handler answers a request or says why not; the site turns the error into a
// page or a problem document.
type Handler func(w http.ResponseWriter, r *http.Request) error

// A Mux routes requests to handlers that return errors. Patterns are those of
// http.ServeMux.
type Mux struct {
	site  *Site
	mux   *http.ServeMux
	heads map[string]string // first part of every address, and the application it belongs to
	app   string            // the application whose part this is; empty for the platform
	all   *[]RouteInfo      // every route of the site
}

// A RouteInfo says who may use a route.
type RouteInfo struct {
	Pattern string
	Need    Need
}

// A Need is what a visitor must have for a route to be served at all. The zero
// Need is none that was said, and a route with it cannot be registered.
type Need struct {
	Acts   string // the acts of which they must be allowed one, with commas between; empty if none
	Public string // why nobody need sign in; empty if they must
	Signed bool   // it is enough that they are signed in
}

// NewMux makes a mux that already serves what every site has: its static files,
// the form that keeps language and theme, and the mark's way home.
func NewMux(site *Site) *Mux {
	m := &Mux{site: site, mux: http.NewServeMux(), heads: map[string]string{}, all: &[]RouteInfo{}}
	m.Handle("GET /static/{name...}", site.static, Public("styles and scripts hold nothing about anybody"))
	m.Handle("POST /preferences", site.preferences, Public("language and theme are chosen before signing in, too"))
	if slices.ContainsFunc(site.cfg.Nav, func(item NavItem) bool { return item.Count != nil }) {
		m.Handle("GET /rail/{section}", site.rail, SignedIn())
	}
	if site.cfg.Banners != nil {
		m.Handle("GET /banners", site.bannersAlone, SignedIn())
	}
	m.Handle("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, site.Page(r).home(), http.StatusSeeOther)
		return nil
	}, Public("it only leads on"))
	return m
}

// Routes lists every route of the site, the applications' too, in the order
// they were registered.
func (m *Mux) Routes() []RouteInfo { return slices.Clone(*m.all) }

var appForm = regexp.MustCompile(`^[a-z][a-z0-9]{0,31}$`)

// Under is the part of the mux that belongs to an application: it takes only
// patterns at /name and under /name/, and nobody else may register there from
// now on. A pattern elsewhere, a name that is not one and a name that is taken
// are mistakes in the program; it panics with what is wrong, as http.ServeMux
// does.
func (m *Mux) Under(name string) *Mux {
	if !appForm.MatchString(name) {
		panic(fmt.Sprintf("web: application %q: its addresses need a name of 1 to 32 lower-case letters and digits", name))
	}
	if _, taken := m.heads[name]; taken {
		panic(fmt.Sprintf("web: application %s: addresses under /%s/ are taken already", name, name))
	}
	m.heads[name] = name
	return &Mux{site: m.site, mux: m.mux, heads: m.heads, app: name, all: m.all}
}

// claim refuses a pattern that belongs to somebody else.
func (m *Mux) claim(pattern string) {
	host, head := startOf(pattern)
	owner, known := m.heads[head]
	switch {
	case m.app != "" && (head != m.app || host != ""):
		panic(fmt.Sprintf("web: application %s registers %q, which is not under /%s/", m.app, pattern, m.app))
	case owner != m.app:
		panic(fmt.Sprintf("web: %q is under /%s/, which belongs to application %s", pattern, head, owner))
	case !known:
		m.heads[head] = m.app
	}
}

// startOf is the host and the first part of the path of a pattern, which is
// "[METHOD ][HOST]/path".
func startOf(pattern string) (host, head string) {
	if i := strings.IndexAny(pattern, " \t"); i >= 0 {
		pattern = strings.TrimLeft(pattern[i:], " \t")
	}
	host, path, _ := strings.Cut(pattern, "/")
	head, _, _ = strings.Cut(path, "/")
	return host, head
}

// Site is what the mux's pages share.
func (m *Mux) Site() *Site { return m.site }

// A Rule says who may use a route, or changes a bound for it.
type Rule func(*route)

// Needs lets through who may do an act, or one of several where the request says
// which of them it is; what the handler calls asks again.
func Needs(acts ...string) Rule {
	return func(rt *route) { rt.need = Need{Acts: strings.Join(acts, ",")} }
}

// SignedIn lets through whoever is signed in: what the route shows or does is
// their own.
func SignedIn() Rule { return func(rt *route) { rt.need = Need{Signed: true} } }

// Public lets everybody through, and says why that is right.
func Public(why string) Rule { return func(rt *route) { rt.need = Need{Public: why} } }

// MaxBody lets a route take a larger or only a smaller body, in bytes.
func MaxBody(n int64) Rule { return func(rt *route) { rt.body = n } }

// Within gives a route another time limit.
func Within(d time.Duration) Rule { return func(rt *route) { rt.timeout = d } }

// Streaming lifts the time limit: the handler ends by itself, when the visitor
// leaves or the server is closing, and sets the connection's limit anew before
// each write.
func Streaming() Rule { return func(rt *route) { rt.timeout = 0 } }

// FailsAs has errors of a route told in the words of another protocol than ours,
// those of who may not use it among them.
func FailsAs(tell func(http.ResponseWriter, *http.Request, error)) Rule {
	return func(rt *route) { rt.tell = tell }
}

type route struct {
	site    *Site
	serve   Handler
	body    int64
	timeout time.Duration
	need    Need
	tell    func(http.ResponseWriter, *http.Request, error) // nil: as the site does
}

// Handle registers a handler. One of the rules says who may use it: Needs,
// SignedIn or Public. To forget that, or to name an act there is not, is a
// mistake in the program, and panics.
func (m *Mux) Handle(pattern string, h Handler, rules ...Rule) {
	m.claim(pattern)
	rt := &route{site: m.site, serve: h, body: MaxBodyBytes, timeout: RequestTimeout}
	for _, rule := range rules {
		rule(rt)
	}
	if rt.need == (Need{}) {
		panic(fmt.Sprintf("web: %q: say who may use it, with web.Needs, web.SignedIn or web.Public", pattern))
	}
	if act, ok := m.site.knows(rt.need); !ok {
		panic(fmt.Sprintf("web: %q needs %q, and there is no such act", pattern, act))
	}
	m.mux.Handle(pattern, rt)
	*m.all = append(*m.all, RouteInfo{Pattern: pattern, Need: rt.need})
}

// Mount registers a plain http.Handler that answers for its own errors, such
// as a whole API under /v1/.
func (m *Mux) Mount(pattern string, h http.Handler, rules ...Rule) {
	m.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}, rules...)
}

func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := visitOf(r.Context())
	v.route, v.object = r.Pattern, r.PathValue("id")
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = http.MaxBytesReader(w, r.Body, rt.body)
	}
	if rt.timeout > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), rt.timeout)
		defer cancel()
		r = r.WithContext(ctx)
	}
	err := rt.site.admit(r, rt.need)
	if err == nil {
		err = rt.serve(w, r)
	}
	switch {
	case err == nil:
	case rt.tell != nil:
		v.err = known(err)
		rt.tell(w, r, v.err)
	default:
		rt.site.Fail(w, r, err)
	}
}

// ServeHTTP routes a request. An address nobody answers gets a designed page,
// with 405 when only the method is wrong. Somebody who opens the address of a form
// in a browser, from the history or by a reload, is led to the page it stands on.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, pattern := m.mux.Handler(r)
	if pattern != "" {
		m.mux.ServeHTTP(w, r)
		return
	}
	probe := &probe{header: http.Header{}}
	h.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		if page := m.pageAbove(r); page != "" {
			http.Redirect(w, r, page, http.StatusSeeOther)
			return
		}
		w.Header().Set("Allow", probe.header.Get("Allow"))
		m.site.fail(w, r, fault.New(fault.Invalid, "nothing here answers %.16s", r.Method), http.StatusMethodNotAllowed)
		return
	}
	m.site.Fail(w, r, fault.New(fault.NotFound, "there is no page at this address").Because("no_page"))
}

// pageAbove is the nearest page above the address of a form that a browser asks to
// see; empty where there is none, or where a program is asking.
func (m *Mux) pageAbove(r *http.Request) string {
	if r.Method != http.MethodGet || !wantsPage(r) || wantsProblem(r) {
		return ""
	}
	for at := r.URL.Path; at != "/" && at != "."; {
		at = path.Dir(at)
		ask := &http.Request{Method: http.MethodGet, Host: r.Host, URL: &url.URL{Path: at}}
		if _, pattern := m.mux.Handler(ask); pattern != "" {
			return (&url.URL{Path: LocalPath(at)}).String()
		}
	}
	return ""
}

// A probe learns what http.ServeMux would have answered, and keeps its words.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(code int)        { p.status = code }
