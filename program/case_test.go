package program

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

const (
	firstID  = "case_01K5ZJ3W8Q6X9V2T4N7M1B0CD1"
	firstRef = "GEN-7M1B0CD1"
	secondID = "case_01K5ZJ3W8Q6X9V2T4N7M1B0CD2"
)

// An office answers as the API does, in its published shapes: two cases, the
// second on a second page. It remembers what it was sent.
type office struct {
	*httptest.Server
	refuse fault.Kind // answer everything with this kind; Internal answers normally
	slow   chan struct{}
	zone   string // the organisation's; not named where empty

	mu   sync.Mutex
	sent []*http.Request
	body []string
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{zone: "Asia/Kolkata"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/cases", func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusCreated
		if strings.Contains(o.lastBody(), `"there-already"`) {
			status = http.StatusOK
		}
		write(w, status, o.caseJSON(firstID, "Smoke over Jind"))
	})
	mux.HandleFunc("GET /v1/cases", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("app") == "empty":
			write(w, 200, `{"items":[]}`)
		case r.URL.Query().Get("page_token") == "second":
			write(w, 200, `{"items":[`+o.caseJSON(secondID, "धुआँ")+`]}`)
		default:
			write(w, 200, `{"items":[`+o.caseJSON(firstID, "Smoke over Jind")+`],"next_page_token":"second"}`)
		}
	})
	mux.HandleFunc("GET /v1/cases/{id}", func(w http.ResponseWriter, r *http.Request) {
		if id := r.PathValue("id"); id != firstID && id != firstRef {
			o.problem(w, fault.NotFound)
			return
		}
		write(w, 200, o.caseJSON(firstID, "Smoke over Jind"))
	})
	mux.HandleFunc("GET /v1/cases/{id}/entries", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, `{"items":[{"seq":1,"kind":"opened","at":"2026-11-14T20:00:00Z","actor":{"kind":"person","id":"p","name":"S. Rao"},"text":"Smoke"}]}`)
	})
	mux.HandleFunc("POST /v1/cases/{id}/notes", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /v1/cases/{id}/close", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.remember(r)
		switch {
		case o.slow != nil:
			close(o.slow)
			<-r.Context().Done()
		case o.refuse != fault.Internal:
			o.problem(w, o.refuse)
		case r.Header.Get("Authorization") != "Bearer good":
			o.problem(w, fault.SignIn)
		default:
			if o.zone != "" {
				w.Header().Set("Gavel-Zone", o.zone)
			}
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *office) remember(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent, o.body = append(o.sent, r), append(o.body, string(body))
}

func (o *office) lastBody() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.body[len(o.body)-1]
}

func (o *office) caseJSON(id, title string) string {
	return fmt.Sprintf(`{"id":%q,"ref":"GEN-7M1B0CD1","app":"general","key":"k","title":%q,"state":"waiting","status":"taken_up",
		"waiting_for":"a person","due_at":"2026-11-16T20:00:00Z","opened_at":"2026-11-14T20:00:00Z","closed_at":null,"version":7,
		"links":{"page":"/cases/%s"},"field_of_a_newer_server":true}`, id, title, id)
}

func (o *office) problem(w http.ResponseWriter, k fault.Kind) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(web.Status(k))
	fmt.Fprintf(w, `{"type":"urn:gavel:problem:%s","title":"T","status":%d,"detail":"the server says %s","code":%q,"request_id":"req-12345678"}`,
		k.Code(), web.Status(k), k.Code(), k.Code())
}

func write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (o *office) client() setup {
	return setup{environ: []string{"GAVEL_SERVER=" + o.URL, "GAVEL_TOKEN=good"}}
}

func TestARefusalHasTheSameCodeInEveryForm(t *testing.T) {
	o := newOffice(t)
	for _, k := range fault.Kinds() {
		if k == fault.Internal {
			continue // below, by a server that breaks
		}
		o.refuse = k
		for _, args := range [][]string{{"case", "list"}, {"case", "show", firstID}, {"case", "open", "--title", "x"},
			{"case", "note", firstID, "x"}, {"case", "close", firstID, "--reason", "x"}} {
			plain := o.client().run(t, args...)
			if plain.code != exitOf(k) || plain.out != "" || !strings.Contains(plain.talk, "the server says "+k.Code()) ||
				!strings.Contains(plain.talk, "request: req-12345678") || !strings.HasPrefix(lastLine(plain.talk), "next: ") {
				t.Errorf("%s %v: got %+v, want code %d, the server's words and what is next", k, args, plain, exitOf(k))
			}
			p := checkProblem(t, o.client().run(t, append(args, "-o", "json")...), exitOf(k))
			if p.Code != k.Code() || !strings.Contains(string(p.Server), "req-12345678") {
				t.Errorf("%s %v: got %+v, want the server's own problem in it", k, args, p)
			}
		}
	}
}

func TestAServerThatIsNotOursIsSaidToBeNone(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		code   int
	}{
		{"a page instead of JSON", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello") }, 1},
		{"a proxy's page", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); fmt.Fprint(w, "<html>\x1b[2J") }, 1},
		{"a sign-in page elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://id.example.org/", http.StatusFound)
		}, 1},
		{"a bare 401", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, 4},
		{"a bare 404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 1},
		{"an internal error", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(500)
			fmt.Fprint(w, `{"code":"internal","detail":"hunter2"}`)
		}, 1},
		{"an endless list", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"items":[],"next_page_token":"again"}`)
		}, 1},
	} {
		server := httptest.NewServer(tt.answer)
		s := setup{environ: []string{"GAVEL_SERVER=" + server.URL, "GAVEL_TOKEN=good"}}
		got := s.run(t, "case", "list")
		if got.code != tt.code || got.out != "" || strings.Contains(got.talk, "\x1b") || strings.Contains(got.talk, "<html>") ||
			strings.Contains(got.talk, "hunter2") {
			t.Errorf("%s: got %+v, want code %d and none of its text", tt.name, got, tt.code)
		}
		checkProblem(t, s.run(t, "case", "list", "--json"), tt.code)
		server.Close()
		if got := s.run(t, "case", "list"); got.code != 1 || !strings.Contains(got.talk, "does not answer") ||
			lastLine(got.talk) != "next: gavel doctor" {
			t.Errorf("%s, then gone: got %+v", tt.name, got)
		}
	}
}

func TestACaseIsOpenedAndItsPagePrinted(t *testing.T) {
	o := newOffice(t)
	got := o.client().run(t, "case", "open", "--title", " Smoke over Jind ", "--due", "48h")
	want := "ID    " + firstID + "\nREF   GEN-7M1B0CD1\nPAGE  " + o.URL + "/cases/" + firstID + "\n"
	if got != (ran{0, want, ""}) {
		t.Errorf("got %+v, want %q", got, want)
	}
	if body := o.lastBody(); body != `{"app":"general","key":"`+keyOf("Smoke over Jind")+`","title":"Smoke over Jind","due_in_s":172800}` {
		t.Errorf("sent %s", body)
	}
	o.client().run(t, "case", "open", "--title", "x", "--key", "k1", "--app", "airshed", "--due", "2026-12-31T18:00:00+05:30")
	if body := o.lastBody(); body != `{"app":"airshed","key":"k1","title":"x","due_at":"2026-12-31T12:30:00Z"}` {
		t.Errorf("sent %s", body)
	}
	again := o.client().run(t, "case", "open", "--title", "x", "--key", "there-already")
	if again.code != 0 || !strings.Contains(again.talk, "was open already") {
		t.Errorf("got %+v, want it said that the case was open already", again)
	}
	if quiet := o.client().run(t, "case", "open", "--title", "x", "--key", "there-already", "--quiet"); quiet.talk != "" {
		t.Errorf("--quiet still said %q", quiet.talk)
	}
}

func TestWhatCannotBeOpenedIsRefusedBeforeItIsSent(t *testing.T) {
	o := newOffice(t)
	for _, args := range [][]string{
		{"case", "open"},
		{"case", "open", "--title", "  "},
		{"case", "open", "--title", "x", "--due", "-1h"},
		{"case", "open", "--title", "x", "--due", "tomorrow"},
		{"case", "open", "--title", "x", "--due", "2026-12-31"},
		{"case", "list", "--state", "lost"},
		{"case", "list", "--limit", "0"},
		{"case", "show", "../users"},
		{"case", "note", firstID},
		{"case", "close", firstID},
	} {
		got := o.client().run(t, args...)
		if got.code != 2 || !strings.HasPrefix(lastLine(got.talk), "next: gavel ") {
			t.Errorf("%v: got %+v, want code 2 and the next command", args, got)
		}
	}
	if n := len(o.sent); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestListsReadPagesUntilThereAreEnough(t *testing.T) {
	o := newOffice(t)
	got := o.client().run(t, "case", "list")
	golden(t, "case/list.golden", got.out)
	if got.code != 0 || got.talk != "" {
		t.Errorf("got %+v", got)
	}
	golden(t, "case/list-csv.golden", o.client().run(t, "case", "list", "-o", "csv").out)
	if n := strings.Count(o.client().run(t, "case", "list", "-o", "ndjson").out, "\n"); n != 2 {
		t.Errorf("ndjson has %d lines, want 2", n)
	}
	one := o.client().run(t, "case", "list", "--limit", "1", "-o", "json")
	var items []map[string]any
	if err := json.Unmarshal([]byte(one.out), &items); err != nil || len(items) != 1 || !strings.Contains(one.talk, "there are more") {
		t.Errorf("got %+v %v", one, err)
	}
	if items[0]["field_of_a_newer_server"] != true || items[0]["opened_at"] != "2026-11-14T20:00:00Z" {
		t.Errorf("got %v, want the server's fields as they came", items[0])
	}
	if empty := o.client().run(t, "case", "list", "--app", "empty", "--json"); empty != (ran{0, "[]\n", ""}) {
		t.Errorf("an empty list: got %+v", empty)
	}
}

func TestShowGivesTheCaseAndItsHistory(t *testing.T) {
	o := newOffice(t)
	got := o.client().run(t, "case", "show", firstID)
	golden(t, "case/show.golden", strings.ReplaceAll(got.out, o.URL, "http://server"))
	asJSON := o.client().run(t, "case", "show", firstID, "-o", "json")
	var whole struct {
		ID      string
		Entries []struct{ Kind string }
	}
	if err := json.Unmarshal([]byte(asJSON.out), &whole); err != nil || whole.ID != firstID || len(whole.Entries) != 1 {
		t.Errorf("got %+v %v", asJSON, err)
	}
	if got := o.client().run(t, "case", "show", secondID); got.code != 3 || got.out != "" {
		t.Errorf("a case that is not there: got %+v", got)
	}
}

func TestClosingSendsTheVersionThatWasRead(t *testing.T) {
	o := newOffice(t)
	got := o.client().run(t, "case", "close", firstID, "--reason", "no fire")
	if got.code != 0 || !strings.Contains(got.out, firstID) {
		t.Errorf("got %+v", got)
	}
	closing := o.sent[1]
	if closing.Method != "POST" || closing.Header.Get("If-Match") != `"7"` || o.body[1] != `{"reason":"no fire"}` {
		t.Errorf("sent %s %v %s", closing.Method, closing.Header, o.body[1])
	}
}

func TestPeopleAreAskedOnlyOnATerminal(t *testing.T) {
	o := newOffice(t)
	person := o.client()
	person.terminal, person.in = true, "no fire within 50 km\n"
	got := person.run(t, "case", "close", firstID)
	if got.code != 0 || !strings.Contains(got.talk, "Reason for closing: ") || o.body[1] != `{"reason":"no fire within 50 km"}` {
		t.Errorf("got %+v, sent %v", got, o.body)
	}
	person.in = "\n"
	if got := person.run(t, "case", "close", firstID); got.code != 2 {
		t.Errorf("an empty answer: got %+v", got)
	}
	person.in = "a reason\n"
	if got := person.run(t, "case", "close", firstID, "--no-input"); got.code != 2 || strings.Contains(got.talk, "Reason for closing: ") {
		t.Errorf("--no-input: got %+v", got)
	}
	piped := o.client()
	piped.in = "line one\nline two\n"
	if got := piped.run(t, "case", "note", firstID); got.code != 0 || !strings.Contains(strings.Join(o.body, ""),
		`{"text":"line one\nline two"}`) {
		t.Errorf("a note through a pipe: got %+v, sent %v", got, o.body)
	}
	piped.in = strings.Repeat("x", maxInput+1)
	if got := piped.run(t, "case", "note", firstID); got.code != 2 {
		t.Errorf("a note over the bound: got code %d", got.code)
	}
}

func TestAnInterruptedRequestEndsWith130(t *testing.T) {
	o := newOffice(t)
	o.slow = make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-o.slow
		cancel(errInterrupted)
	}()
	got := o.client().runIn(ctx, "case", "list", "--json")
	p := checkProblem(t, got, 130)
	if p.Code != "interrupted" {
		t.Errorf("got %+v", got)
	}
}

func TestCaseIDsAreCompletedWithTheirTitles(t *testing.T) {
	o := newOffice(t)
	got := o.client().run(t, "__complete", "case", "show", "")
	if !strings.Contains(got.out, firstID+"\tGEN-7M1B0CD1 Smoke over Jind\n") {
		t.Errorf("got %q", got.out)
	}
	if got := (setup{}).run(t, "__complete", "case", "show", ""); got.code != 0 || strings.Contains(got.out, "gavel:") {
		t.Errorf("without a server: got %+v, want silence", got)
	}
}

func TestTheKeyOfATitleTellsNothingOfIt(t *testing.T) {
	form := regexp.MustCompile(`^title-[0-9a-f]{16}$`)
	if got, want := keyOf("Smoke over Jind"), "title-b9b128c2b572a1e0"; got != want {
		t.Errorf("got %s, want %s: the same title must find the same case for ever", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		one, other := rapid.String().Draw(t, "one"), rapid.String().Draw(t, "other")
		if key := keyOf(one); !form.MatchString(key) || (key == keyOf(other)) != (one == other) {
			t.Fatalf("%q has the key %s, and %q the key %s", one, key, other, keyOf(other))
		}
	})
}

func TestANoteClaimsNoNumberAndHasAKeyOfItsOwn(t *testing.T) {
	o := newOffice(t)
	keys := map[string]bool{}
	for range 2 {
		got := o.client().run(t, "case", "note", "GEN-7M1B0CD1", "seen by satellite")
		if got.code != 0 || got.talk != "noted\n" || !strings.Contains(got.out, firstID) {
			t.Errorf("got %+v", got)
		}
	}
	for _, r := range o.sent {
		if r.Method == http.MethodPost {
			keys[r.Header.Get("Idempotency-Key")] = true
		}
	}
	if keys[""] || len(keys) != 2 {
		t.Errorf("got keys %v, want one for each run", keys)
	}
}

func TestTablesShowTheOrganisationsZone(t *testing.T) {
	o := newOffice(t)
	for _, tt := range []struct{ zone, head, due string }{
		{"Asia/Kolkata", "DUE (IST)", "2026-11-17 01:30"},
		{"Europe/Berlin", "DUE (Europe/Berlin)", "2026-11-16 21:00"},
		{"", "DUE (UTC)", "2026-11-16 20:00"},
	} {
		o.zone = tt.zone
		for _, args := range [][]string{{"case", "list"}, {"case", "show", firstID}} {
			if got := o.client().run(t, args...); !strings.Contains(got.out, tt.head) || !strings.Contains(got.out, tt.due) {
				t.Errorf("%q %v: got\n%s\nwant %s and %s", tt.zone, args, got.out, tt.head, tt.due)
			}
		}
	}
}
