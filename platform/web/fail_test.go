package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

const secret = "password=hunter2"

func TestEveryKindOfFaultIsAnsweredInEveryForm(t *testing.T) {
	want := map[fault.Kind]int{
		fault.Internal: 500, fault.Invalid: 422, fault.NotFound: 404, fault.SignIn: 401, fault.Refused: 403, fault.Conflict: 409,
		fault.Stale: 412, fault.Unconfirmed: 428, fault.TooLarge: 413, fault.TooMany: 429, fault.Unavailable: 503,
	}
	s := newStand(t, nil)
	for _, kind := range fault.Kinds() {
		fail := func(http.ResponseWriter, *http.Request) error {
			err := fault.From(kind, errors.New(secret), "text of %s", kind).WithNext("next of %s", kind)
			return fmt.Errorf("wrapped: %w", err)
		}
		s.handle("GET /p/"+kind.Code(), fail)
		s.handle("GET /v1/"+kind.Code(), fail)
	}
	for _, kind := range fault.Kinds() {
		t.Run(kind.Code(), func(t *testing.T) {
			for _, form := range []struct {
				name, path string
				headers    []string
				json       bool
			}{
				{"page", "/p/", []string{"X-Test-Org", "north", "Accept", "text/html"}, false},
				{"page signed out", "/p/", []string{"Accept", "text/html"}, false},
				{"region", "/p/", []string{"X-Test-Org", "north", "Gavel-Region", "1"}, false},
				{"problem by Accept", "/p/", []string{"Accept", "application/json"}, true},
				{"problem by path", "/v1/", []string{"Accept", "*/*"}, true},
			} {
				w := s.ask("GET", form.path+kind.Code()+"?token=abc", "", append(form.headers, "X-Request-Id", "proxy-0001")...)
				got := w.Body.String()
				if w.Code != want[kind] {
					t.Errorf("%s: status %d, want %d", form.name, w.Code, want[kind])
				}
				if strings.Contains(got, secret) {
					t.Errorf("%s shows the cause", form.name)
				}
				// to sign in, a page says what it can: that there is no way to
				told := kind != fault.Internal && (kind != fault.SignIn || form.json)
				if shown := strings.Contains(got, "text of "+kind.Code()); shown != told {
					t.Errorf("%s: the fault's text is shown: %t", form.name, shown)
				}
				if !strings.Contains(got, "proxy-0001") {
					t.Errorf("%s lacks the request id", form.name)
				}
				if retry := w.Header().Get("Retry-After") != ""; retry != (kind == fault.TooMany || kind == fault.Unavailable) {
					t.Errorf("%s: Retry-After is set: %t", form.name, retry)
				}
				if form.json {
					checkProblem(t, w.Header(), got, form.path+kind.Code(), kind)
				} else if whole := strings.Contains(got, "<html"); whole == (form.name == "region") {
					t.Errorf("%s: a whole page: %t", form.name, whole)
				}
			}
		})
	}
}

func checkProblem(t *testing.T, h http.Header, body, path string, kind fault.Kind) {
	t.Helper()
	if got, want := h.Get("Content-Type"), "application/problem+json"; got != want {
		t.Errorf("content type %q, want %q", got, want)
	}
	var p web.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if p.Code != kind.Code() || p.Status != web.Status(kind) || p.Instance != path || p.Type == "" || p.Title == "" ||
		p.Detail == "" || p.RequestID != "proxy-0001" || p.Retryable != kind.Retryable() {
		t.Errorf("the problem is %+v", p)
	}
	if needs := h.Get("WWW-Authenticate") != ""; needs != (kind == fault.SignIn) {
		t.Errorf("WWW-Authenticate is set: %t", needs)
	}
}

// TestErrorsSpeakTheReadersLanguage promises that a Hindi page says in Hindi that there is nothing here and nothing besides in English,
// and that the words of other faults which have no Hindi are marked as English.
func TestErrorsSpeakTheReadersLanguage(t *testing.T) {
	s := newStand(t, nil)
	s.handle("GET /clash", func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Conflict, "somebody was first") })
	s.handle("GET /none", func(http.ResponseWriter, *http.Request) error { return fault.New(fault.NotFound, "there is no pass 7") })
	none := s.ask("GET", "/none?lang=hi", "", "X-Test-Org", "north").Body.String()
	if !strings.Contains(none, `lang="hi"`) || !strings.Contains(none, "यहाँ कुछ नहीं है") || strings.Contains(none, "failure-text") {
		t.Error("the page must say in Hindi that there is nothing here, and no more")
	}
	clash := s.ask("GET", "/clash?lang=hi", "", "X-Test-Org", "north").Body.String()
	if !strings.Contains(clash, `lang="hi"`) || !strings.Contains(clash, `class="failure-text" lang="en"`) {
		t.Error("the page must be Hindi, and mark the text of the fault as English")
	}
}

func TestAVisitorIsLedToSignInAndBack(t *testing.T) {
	need := func(http.ResponseWriter, *http.Request) error { return fault.New(fault.SignIn, "nobody is signed in") }
	for _, tt := range []struct {
		name, signIn, method string
		headers              []string
		status               int
		location, text       string
	}{
		{"page", "/door", "GET", nil, 303, "/door?next=%2Fx%3Fa%3D1", ""},
		{"region", "/door", "GET", []string{"Gavel-Region", "1"}, 401, "", "Sign in first"},
		{"write", "/door", "POST", []string{"Referer", "https://gavel.example/cases/1?a=2"}, 401, "",
			`href="/door?next=%2Fcases%2F1%3Fa%3D2"`},
		{"form by htmx", "/door", "POST", []string{"HX-Request", "true", "HX-Current-URL", "https://gavel.example/cases/1"}, 401, "",
			`href="/door?next=%2Fcases%2F1"`},
		{"form from nowhere", "/door", "POST", []string{"HX-Request", "true", "HX-Current-URL", "::"}, 401, "", `href="/door?next=%2F"`},
		{"program", "/door", "GET", []string{"Accept", "application/json"}, 401, "", "sign_in_needed"},
		{"not set up", "", "GET", nil, 401, "", "sign-in is not set up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t, func(c *web.Config) { c.SignIn = tt.signIn })
			s.handle("/x", need)
			w := s.ask(tt.method, "/x?a=1", "", tt.headers...)
			if got := w.Header().Get("Location"); w.Code != tt.status || got != tt.location || !strings.Contains(w.Body.String(), tt.text) {
				t.Errorf("got %d to %q, want %d to %q with %q", w.Code, got, tt.status, tt.location, tt.text)
			}
		})
	}
}

// htmx would put the answer in the place of the form's region; an error there
// would take away the form and what was typed into it.
func TestAnErrorNeverTakesTheFormsPlace(t *testing.T) {
	s := newStand(t, nil)
	for _, kind := range fault.Kinds() {
		s.handle("/"+kind.Code(), func(http.ResponseWriter, *http.Request) error {
			return fault.New(kind, "text of %s", kind).WithNext("next of %s", kind)
		})
	}
	for _, kind := range fault.Kinds() {
		form := s.ask("POST", "/"+kind.Code(), "", "HX-Request", "true", "X-Test-Org", "north")
		if got, how := form.Header().Get("HX-Retarget"), form.Header().Get("HX-Reswap"); got != "#outcome" || how != "innerHTML" {
			t.Errorf("%s of a form goes to %q by %q, want the outcome's inside", kind, got, how)
		}
		for _, want := range []string{`role="alert"`, "What you wrote is still in the form"} {
			if !strings.Contains(form.Body.String(), want) {
				t.Errorf("%s of a form lacks %q", kind, want)
			}
		}
		told := kind != fault.Internal && kind != fault.SignIn // the one says nothing of its own, the other that there is no way in
		if shown := strings.Contains(form.Body.String(), "next of "+kind.Code()); shown != told {
			t.Errorf("%s of a form says what next: %t", kind, shown)
		}
		region := s.ask("GET", "/"+kind.Code(), "", "Gavel-Region", "1", "X-Test-Org", "north")
		if got := region.Header().Get("HX-Retarget"); got != "" || strings.Contains(region.Body.String(), "What you wrote") {
			t.Errorf("%s of a region that was only read goes to %q", kind, got)
		}
	}
}

// forms.js lets htmx put in only what carries this header; the page of a proxy
// in between carries none.
func TestWhatStandsInAPageIsMarkedAsOurs(t *testing.T) {
	s := newStand(t, nil)
	region := web.Region{ID: "x", Object: "case_1", Src: "/x", Body: body("x")}
	s.handle("GET /region", func(w http.ResponseWriter, r *http.Request) error {
		return s.site.Region(w, r, s.site.Page(r), region)
	})
	s.handle("POST /answer", func(w http.ResponseWriter, r *http.Request) error {
		return s.site.Answer(w, r, http.StatusConflict, s.site.Page(r), region, body("y"))
	})
	s.handle("POST /error", func(http.ResponseWriter, *http.Request) error { return errors.New("broken") })
	for _, at := range []string{"GET /region", "POST /answer", "POST /error", "GET /nowhere"} {
		method, path, _ := strings.Cut(at, " ")
		if w := s.ask(method, path, "", "HX-Request", "true"); w.Header().Get("Gavel-Region") != "1" {
			t.Errorf("%s is not marked", at)
		}
	}
	if w := s.ask("GET", "/nowhere", "", "Accept", "text/html"); w.Header().Get("Gavel-Region") != "" {
		t.Error("a whole page is marked as a part of one")
	}
}

func TestAPanicBecomesAnAnswer(t *testing.T) {
	s := newStand(t, nil)
	s.handle("GET /boom", func(http.ResponseWriter, *http.Request) error { panic(secret) })
	w := s.ask("GET", "/boom", "", "X-Test-Org", "north")
	id := w.Header().Get("X-Request-Id")
	if w.Code != 500 || id == "" || !strings.Contains(w.Body.String(), id) || strings.Contains(w.Body.String(), secret) {
		t.Errorf("got %d with id %q", w.Code, id)
	}
	if got := s.log.String(); !strings.Contains(got, "panic in a handler") || !strings.Contains(got, id) {
		t.Error("the log must hold the panic and the request id")
	}
}

func TestHalfAnAnswerIsCutShort(t *testing.T) {
	s := newStand(t, nil)
	s.handle("GET /half", func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, "first half")
		return errors.New("then it broke")
	})
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("the connection was not cut: %v", p)
		}
	}()
	s.ask("GET", "/half", "")
}

func TestRequestsHaveBounds(t *testing.T) {
	s := newStand(t, nil)
	read := func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		return err
	}
	s.handle("POST /usual", read)
	s.handle("POST /small", read, web.MaxBody(10))
	s.handle("POST /large", read, web.MaxBody(2<<20))
	s.handle("GET /slow", func(_ http.ResponseWriter, r *http.Request) error {
		if until, ok := r.Context().Deadline(); !ok || time.Until(until) > web.RequestTimeout {
			t.Error("a request has no time limit")
		}
		return fmt.Errorf("ask the database: %w", context.DeadlineExceeded)
	})
	for _, tt := range []struct {
		path string
		size int
		want int
	}{
		{"/usual", web.MaxBodyBytes, 200},
		{"/usual", web.MaxBodyBytes + 1, 413},
		{"/small", 11, 413},
		{"/large", web.MaxBodyBytes + 1, 200},
	} {
		if w := s.ask("POST", tt.path, strings.Repeat("x", tt.size)); w.Code != tt.want {
			t.Errorf("%d bytes to %s got %d, want %d", tt.size, tt.path, w.Code, tt.want)
		}
	}
	if w := s.ask("GET", "/slow", ""); w.Code != 503 {
		t.Errorf("a part that did not answer in time got %d, want 503", w.Code)
	}
}

func TestAFormOverItsBoundIsToldTheBound(t *testing.T) {
	s := newStand(t, nil)
	parse := func(_ http.ResponseWriter, r *http.Request) error { return web.ParseForm(r) }
	s.handle("POST /usual", parse)
	s.handle("POST /form", parse, web.MaxBody(256<<10))
	s.handle("POST /small", parse, web.MaxBody(10))
	for _, tt := range []struct {
		path, sent string
		status     int
		text       string
	}{
		{"/form", "text=fine", 200, ""},
		{"/form", "text=" + strings.Repeat("x", 256<<10), 413, "256 KiB"},
		{"/usual", "text=" + strings.Repeat("x", web.MaxBodyBytes), 413, "1 MiB"},
		{"/small", "text=123456", 413, "10 bytes"},
		{"/preferences", "text=" + strings.Repeat("x", web.MaxBodyBytes), 413, "1 MiB"},
		{"/form", "text=%zz", 422, "The form could not be read"},
	} {
		w := s.ask("POST", tt.path, tt.sent, "Content-Type", "application/x-www-form-urlencoded")
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
			t.Errorf("%d bytes to %s got %d, want %d and %q", len(tt.sent), tt.path, w.Code, tt.status, tt.text)
		}
	}
}

func TestAddressesNobodyAnswersAreDesigned(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /only/read", "read")
	s.page("POST /only/read/{id}/do", "done")
	s.page("POST /v1/do", "done")
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/only/read", 200, ""},
		{"HEAD", "/only/read", 200, ""},
		{"POST", "/only/read", 405, "GET, HEAD"},
		{"GET", "/nothing", 404, ""},
		{"POST", "/v1/nothing", 404, ""},
		{"GET", "/only/read/7/do", 405, "POST"},
		{"GET", "/v1/do", 405, "POST"},
	} {
		w := s.ask(tt.method, tt.path, "")
		if w.Code != tt.status || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s %s got %d, Allow %q; want %d, %q", tt.method, tt.path, w.Code, w.Header().Get("Allow"), tt.status, tt.allow)
		}
	}
}

// TestTheAddressOfAFormLeadsToItsPage promises that a browser which opens an address
// that only takes forms comes to the nearest page above it, and that programs are told
// what the address takes.
func TestTheAddressOfAFormLeadsToItsPage(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /list", "list")
	s.page("POST /list/{id}/end", "ended")
	s.page("POST /v1/list/{id}/end", "ended")
	for path, want := range map[string]string{"/list/7/end": "/list", "//evil.example/end": ""} {
		if w := s.ask("GET", path, "", "Accept", "text/html"); w.Header().Get("Location") != want || want != "" &&
			w.Code != http.StatusSeeOther {
			t.Errorf("%s: got %d to %q, want to be led to %q", path, w.Code, w.Header().Get("Location"), want)
		}
	}
	if w := s.ask("GET", "/v1/list/7/end", "", "Accept", "text/html"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a program's address: got %d", w.Code)
	}
}
