package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// statuses says how each kind of fault is told over HTTP.
var statuses = map[fault.Kind]int{
	fault.Internal:    http.StatusInternalServerError,
	fault.Invalid:     http.StatusUnprocessableEntity,
	fault.NotFound:    http.StatusNotFound,
	fault.SignIn:      http.StatusUnauthorized,
	fault.Refused:     http.StatusForbidden,
	fault.Conflict:    http.StatusConflict,
	fault.Stale:       http.StatusPreconditionFailed,
	fault.Unconfirmed: http.StatusPreconditionRequired,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
	fault.TooMany:     http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable,
}

// retryAfter is how many seconds a caller should wait before trying again.
var retryAfter = map[fault.Kind]string{fault.TooMany: "10", fault.Unavailable: "5"}

// statusGone is what the log says when the visitor left before the answer. It
// is never sent.
const statusGone = 499

// Status is the HTTP status of a kind of fault.
func Status(kind fault.Kind) int {
	if code, ok := statuses[kind]; ok {
		return code
	}
	return http.StatusInternalServerError
}

// A Problem is an error as programs read it (RFC 9457).
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Instance  string `json:"instance"`
	Code      string `json:"code"` // closed set, never translated
	RequestID string `json:"request_id"`
	Retryable bool   `json:"retryable"`
	Next      string `json:"next,omitempty"` // what to do about it
}

// Problem says err as a problem document for a request. Of an internal error it
// tells nothing but the request's id.
func (s *Site) Problem(r *http.Request, err error) Problem {
	err = known(err)
	kind := fault.KindOf(err)
	text, next := fault.Words(err)
	return Problem{
		Type:      "urn:gavel:problem:" + kind.Code(),
		Title:     s.catalogue.Text(s.lang(r).Lang, "error."+kind.Code()+".title"),
		Status:    Status(kind),
		Detail:    text,
		Instance:  r.URL.Path,
		Code:      kind.Code(),
		RequestID: RequestID(r.Context()),
		Retryable: kind.Retryable(),
		Next:      next,
	}
}

// known gives a kind to the errors the standard library makes.
func known(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge, err, "the request is larger than %d bytes", large.Limit)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.From(fault.Unavailable, err, "a part we need did not answer in time")
	}
	return err
}

// Fail answers a request with an error: a problem document for programs, a
// notice for a live region, a page for people. It is the only place that does.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, err error) {
	err = known(err)
	s.fail(w, r, err, Status(fault.KindOf(err)))
}

func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error, status int) {
	v := visitOf(r.Context())
	v.err = err
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		v.answer.status = statusGone
		return
	}
	if v.answer.status != 0 {
		panic(http.ErrAbortHandler) // half an answer is sent: cut it, so that nobody takes it for whole
	}
	kind := fault.KindOf(err)
	h := w.Header()
	h.Del("ETag")
	h.Set("Cache-Control", "no-store")
	if wait, ok := retryAfter[kind]; ok {
		h.Set("Retry-After", wait)
	}
	switch {
	case wantsProblem(r):
		s.failProblem(w, r, err, status)
	case kind == fault.SignIn && s.cfg.SignIn != "" && r.Method == http.MethodGet && !WantsRegion(r):
		http.Redirect(w, r, s.cfg.SignIn+"?next="+url.QueryEscape(LocalPath(r.URL.RequestURI())), http.StatusSeeOther)
	default:
		s.failPage(w, r, err, status)
	}
}

func (s *Site) failProblem(w http.ResponseWriter, r *http.Request, err error, status int) {
	problem := s.Problem(r, err)
	problem.Status = status
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="gavel"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem) // the visitor may have gone; there is nobody to tell
}

func (s *Site) failPage(w http.ResponseWriter, r *http.Request, err error, status int) {
	kind := fault.KindOf(err)
	text, next := fault.Words(err)
	p := s.Page(r)
	p.Title = p.T("error." + kind.Code() + ".title")
	view := failure{kind: kind, text: text, next: next, path: r.URL.RequestURI(), again: r.Method == http.MethodGet && kind.Retryable()}
	if kind == fault.SignIn && s.cfg.SignIn == "" {
		view.text, view.next, view.translated = p.T("error.no_sign_in.text"), p.T("error.no_sign_in.next"), true
	}
	body := failureBody(p, view)
	if WantsRegion(r) {
		body = failureNotice(p, view)
	} else {
		body = layout(p, body)
	}
	if err := s.write(w, r, status, body); err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "render an error page", "request_id", RequestID(r.Context()), "error", err)
		http.Error(w, fault.Internal.Sentence(), http.StatusInternalServerError)
	}
}

// wantsProblem reports whether a program is asking: anything under /v1, and
// whoever asks for JSON and not for HTML.
func wantsProblem(r *http.Request) bool {
	if r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") {
		return true
	}
	return wantsJSON(r)
}

func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// wantsPage reports whether a browser is asking; programs that say nothing get
// JSON where there is a choice.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
