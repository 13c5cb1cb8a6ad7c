package web

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A visit is what we remember of one request while it is served, for the
// access log and for pages that show the request's id.
type visit struct {
	id     string
	route  string // the pattern that matched; never the address, which may hold a secret
	object string // the id in the address, where the pattern has one; as it was sent
	err    error
	answer *recorder
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{answer: &recorder{}}
}

// RequestID is the id of the request being served, shown on error pages and
// written in every log line of it.
func RequestID(ctx context.Context) string { return visitOf(ctx).id }

var requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestID takes a well-formed id from the caller, so that a proxy's log and
// ours agree, and makes one otherwise.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDForm.MatchString(id) {
		return id
	}
	return "req-" + rand.Text()[:20]
}

// Handler puts a site's rules around a handler: request id, access log, panics
// made into answers, security headers, and the guard against other sites'
// writes. The wrappers, outermost first, run before that guard; sign-in is one.
func (s *Site) Handler(next http.Handler, wrappers ...func(http.Handler) http.Handler) http.Handler {
	h := s.guard(next)
	for i := len(wrappers) - 1; i >= 0; i-- {
		h = wrappers[i](h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w}
		v := &visit{id: requestID(r), answer: rec}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		rec.Header().Set("X-Request-Id", v.id)
		securityHeaders(rec.Header(), s.secure())
		defer func() {
			if p := recover(); p != nil {
				s.recovered(rec, r, p)
			}
			s.logVisit(r, v, rec, time.Since(start))
		}()
		h.ServeHTTP(rec, r)
	})
}

// guard refuses a write that another site's page made the browser send.
func (s *Site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.csrf.Check(r); err != nil {
			s.Fail(w, r, fault.From(fault.Refused, err, "this was sent from another site").
				WithNext("Open the page here and send it again.").Because("other_site"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Site) recovered(rec *recorder, r *http.Request, p any) {
	if p == http.ErrAbortHandler {
		panic(p) // the server's own way to cut a broken answer short
	}
	s.cfg.Log.ErrorContext(r.Context(), "panic in a handler", "request_id", RequestID(r.Context()),
		"panic", p, "stack", string(debug.Stack()))
	s.Fail(rec, r, fault.New(fault.Internal, "panic"))
}

// ourID is what may be logged of an address: an id that we made. Whatever else
// stands there somebody has typed, and it may be a name.
var ourID = regexp.MustCompile(`^([a-z]{1,12}_[0-9A-HJKMNP-TV-Z]{26}|P-[0-9]{1,18})$`)

// logVisit writes one line per request: the route, never the address or its
// query, and the organisation, never the person.
func (s *Site) logVisit(r *http.Request, v *visit, rec *recorder, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("request_id", v.id), slog.String("method", logged(r.Method)), slog.String("route", v.route),
		slog.Int("status", rec.code()), slog.Int64("bytes", rec.bytes), slog.Duration("took", took),
	}
	if ourID.MatchString(v.object) {
		attrs = append(attrs, slog.String("object", v.object))
	}
	if v.err != nil {
		attrs = append(attrs, slog.String("fault", fault.KindOf(v.err).Code()))
		if rec.code() >= 500 {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", v.err.Error()))
		}
	}
	s.cfg.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// logged bounds a value that came from outside.
func logged(s string) string {
	if len(s) > 64 {
		return s[:64]
	}
	return s
}

// A recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (rec *recorder) WriteHeader(code int) {
	if rec.status == 0 && code >= 200 {
		rec.status = code
	}
	rec.ResponseWriter.WriteHeader(code)
}

func (rec *recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// Flush lets handlers of other packages that ask for a Flusher stream.
func (rec *recorder) Flush() { _ = http.NewResponseController(rec.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func (rec *recorder) code() int {
	if rec.status == 0 {
		return http.StatusOK
	}
	return rec.status
}

// policy allows this site's own files and nothing else: no inline script or
// style, no frames, no other hosts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func securityHeaders(h http.Header, secure bool) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
	h.Set("Cache-Control", "no-store")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// Actor is who is asking, the zero Actor when nobody is signed in.
func (s *Site) Actor(r *http.Request) identity.Actor { return s.cfg.Actor(r.Context()) }
