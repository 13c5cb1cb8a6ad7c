package web

import (
	"context"
	"net/http"
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
	site *Site
	mux  *http.ServeMux
}

// NewMux makes a mux that already serves what every site has: its static files,
// the form that keeps language and theme, and the mark's way home.
func NewMux(site *Site) *Mux {
	m := &Mux{site: site, mux: http.NewServeMux()}
	m.Handle("GET /static/{name...}", site.static)
	m.Handle("POST /preferences", site.preferences)
	m.Handle("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, site.cfg.Home, http.StatusSeeOther)
		return nil
	})
	return m
}

// Site is what the mux's pages share.
func (m *Mux) Site() *Site { return m.site }

// A Rule changes a bound for one route.
type Rule func(*route)

// MaxBody lets a route take a larger or only a smaller body, in bytes.
func MaxBody(n int64) Rule { return func(rt *route) { rt.body = n } }

// Streaming lifts the time limit: the handler ends by itself, when the visitor
// leaves or the server is closing, and sets the connection's limit anew before
// each write.
func Streaming() Rule { return func(rt *route) { rt.timeout = 0 } }

type route struct {
	site    *Site
	serve   Handler
	body    int64
	timeout time.Duration
}

// Handle registers a handler.
func (m *Mux) Handle(pattern string, h Handler, rules ...Rule) {
	rt := &route{site: m.site, serve: h, body: MaxBodyBytes, timeout: RequestTimeout}
	for _, rule := range rules {
		rule(rt)
	}
	m.mux.Handle(pattern, rt)
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
	if err := rt.serve(w, r); err != nil {
		rt.site.Fail(w, r, err)
	}
}

// ServeHTTP routes a request. An address nobody answers gets a designed page,
// with 405 when only the method is wrong.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, pattern := m.mux.Handler(r)
	if pattern != "" {
		m.mux.ServeHTTP(w, r)
		return
	}
	probe := &probe{header: http.Header{}}
	h.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		m.site.fail(w, r, fault.New(fault.Invalid, "nothing here answers %.16s", r.Method), http.StatusMethodNotAllowed)
		return
	}
	m.site.Fail(w, r, fault.New(fault.NotFound, "there is no page at this address"))
}

// A probe learns what http.ServeMux would have answered, and keeps its words.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(code int)        { p.status = code }
