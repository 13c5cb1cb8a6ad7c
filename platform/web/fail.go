package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// ComeAgain says when to try again after a kind of fault that passes, unless it is said already.
func ComeAgain(h http.Header, kind fault.Kind) {
	if wait, ok := retryAfter[kind]; ok && h.Get("Retry-After") == "" {
		h.Set("Retry-After", wait)
	}
}

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
	Next      string `json:"next,omitempty"`   // what to do about it
	Reason    string `json:"reason,omitempty"` // why, by a code that is never translated; empty where it has none

	Errors []Detail `json:"errors,omitempty"` // each thing that is wrong with the request
}

// A Detail is one thing that is wrong with a request.
type Detail struct {
	Pointer string `json:"pointer"` // where: a JSON Pointer into the body, or query/name, header/name, path/name
	Code    string `json:"code"`    // closed set, never translated
	Detail  string `json:"detail"`
}

// detailed is an error that knows each thing that is wrong.
type detailed interface {
	error
	Details() []Detail
}

// Problem says err as a problem document for a request. Of an internal error it
// tells nothing but the request's id.
func (s *Site) Problem(r *http.Request, err error) Problem {
	err = known(err)
	kind := fault.KindOf(err)
	text, next, _ := s.told(s.lang(r).Lang, err)
	why, _ := fault.ReasonOf(err)
	var all []Detail
	if d, ok := errors.AsType[detailed](err); ok {
		all = d.Details()
	}
	return Problem{
		Errors:    all,
		Type:      "urn:gavel:problem:" + kind.Code(),
		Title:     s.catalogue.Text(s.lang(r).Lang, "error."+kind.Code()+".title"),
		Status:    Status(kind),
		Detail:    text,
		Instance:  r.URL.Path,
		Code:      kind.Code(),
		RequestID: RequestID(r.Context()),
		Retryable: kind.Retryable(),
		Next:      next,
		Reason:    why.Code,
	}
}

// known gives a kind to the errors the standard library makes.
func known(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge, err, "this is more than %s, the most that can be sent at once", sizeWords(large.Limit)).
			Because("too_much_sent", "size", sizeWords(large.Limit))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.From(fault.Unavailable, err, "a part we need did not answer in time").Because("part_silent")
	}
	return err
}

// sizeWords says a number of bytes to a person, exactly.
func sizeWords(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// Fail answers a request with an error: a problem document for programs, a
// notice for a live region or beside a form that htmx sent, a page for people.
// It is the only place that does.
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
	ComeAgain(h, kind)
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
	p := s.Page(r)
	text, next, translated := s.told(p.Lang, err)
	p.Title = p.T("error." + kind.Code() + ".title")
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	view := failure{
		kind: kind, text: text, next: next, path: r.URL.RequestURI(), page: pageOf(r),
		again: reading && kind.Retryable(), sent: !reading && WantsRegion(r), translated: translated,
	}
	if kind == fault.SignIn && s.cfg.SignIn == "" {
		view.text, view.next, view.translated = p.T("error.no_sign_in.text"), p.T("error.no_sign_in.next"), true
	}
	body := failureBody(p, view)
	if WantsRegion(r) {
		body = failureNotice(p, view)
		markRegion(w)
	} else {
		body = layout(p, body)
	}
	if view.sent { // in the form's own place it would take away the form and what was typed
		w.Header().Set("HX-Retarget", "#"+outcomeID)
		w.Header().Set("HX-Reswap", "innerHTML")
	}
	if err := s.write(w, r, status, body); err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "render an error page", "request_id", RequestID(r.Context()), "error", err)
		http.Error(w, fault.Internal.Sentence(), http.StatusInternalServerError)
	}
}

// pageOf is the page a visitor was on: the address itself when a page was asked
// for, and where the request came from when a form or a region was. Only the
// path is taken from what the browser says, so it never leads elsewhere.
func pageOf(r *http.Request) string {
	if r.Method == http.MethodGet && !WantsRegion(r) {
		return LocalPath(r.URL.RequestURI())
	}
	from := r.Header.Get("HX-Current-URL")
	if from == "" {
		from = r.Referer()
	}
	u, err := url.Parse(from)
	if err != nil {
		return "/"
	}
	return LocalPath(u.RequestURI())
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
