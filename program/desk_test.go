package program

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
)

// A desk answers for one proposal as the API does, in its published shapes: for
// what a real server does not do when it is asked to.
type desk struct {
	mu sync.Mutex // one request at a time
	*httptest.Server
	class string // of the proposal
	drop  int    // so many answers to a decision are lost on the way
	slow  time.Duration

	keys  []string // of the decisions that arrived
	match []string
	body  []string
}

const proposalJSON = `{"id":"P-881","case":"` + firstID +
	`","app":"airshed","kind":"call","tool":"file_report","effect":"outside","run":"` + someRun + `","gate":"approve",
	"state":"%s","requested_by":"agent:airshed/reporter","on_behalf_of":"","deciders":["officer"],"allowed":[],"required":1,"assigned_to":"","created_at":"2026-11-14T08:00:00Z",
	"due_at":"2026-11-16T20:00:00Z","expires_at":null,"ended_at":null,"held_until":null,"erased_at":null,"etag":"\"4f0c-1\"","links":{"page":"%s/proposals/P-881"},
	"args":{"to":"The Commission"},"shown":{"args":{"to":"The Commission"},"line":"File the report of November\u001b[2J","taint":true,"basis":{"rule":"G-4"}},
	"grounds":"3.17.ab","decisions":[],"claim":null,"snoozed_until":null,"test":"","field_of_a_newer_server":1}`

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{class: "legal_filing"}
	state := "open"
	mux := http.NewServeMux()
	one := func(s string) string { return fmt.Sprintf(proposalJSON, s, d.URL) }
	item := func() string {
		return `{"items":[{"proposal":` + one("open") +
			`,"line":"File the report of November","case_ref":"AIR-7M1B0CD1","case_title":"November","why":"delegated",
			"in_stead_of":"p:rao","class":"` + d.class + `","due_at":"2026-11-16T20:00:00Z","overdue":true,"claim":{"by":"p:asha","name":"Asha","until":"2026-11-16T20:00:00Z"},"undo_until":"2026-11-16T20:00:00Z"}]}`
	}
	mux.HandleFunc("GET /v1/proposals/{id}", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, one(state)) })
	mux.HandleFunc("GET /v1/proposals", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, `{"items":[`+one("open")+`]}`) })
	mux.HandleFunc("GET /v1/inbox", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, item()) })
	mux.HandleFunc("GET /v1/cases", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, `{"items":[{"id":"`+firstID+`","ref":"GEN-1","title":"Smoke"}]}`)
	})
	mux.HandleFunc("GET /v1/runs", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, `{"items":[`+runJSON+`]}`) })
	mux.HandleFunc("GET /v1/people", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, `{"items":[{"id":"p_1","name":"Asha","roles":["officer"]}]}`)
	})
	mux.HandleFunc("GET /v1/delegations", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, `{"items":[{"id":"del_01K5ZJ3W8Q6X9V2T4N7M1B0CD1","from_name":"Rao","to_name":"Asha"}]}`)
	})
	mux.HandleFunc("POST /v1/proposals/{id}/decisions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.keys, d.match, d.body = append(d.keys, r.Header.Get("Idempotency-Key")), append(d.match, r.Header.Get("If-Match")),
			append(d.body, string(body))
		state = "approved"
		if d.drop > 0 {
			d.drop--
			panic(http.ErrAbortHandler)
		}
		write(w, 201, `{"id":"key-1","proposal":`+one(state)+`}`)
	})
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d.slow):
		case <-r.Context().Done(): // who asked has left
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		w.Header().Set("Gavel-Zone", "Asia/Kolkata")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *desk) client() setup {
	return setup{environ: []string{"GAVEL_SERVER=" + d.URL, "GAVEL_TOKEN=good"}}
}

func TestALegalFilingIsNeverDecidedWithoutAsking(t *testing.T) {
	for _, class := range []string{"legal_filing", "external_mail", "a_class_of_a_newer_server", ""} {
		d := newDesk(t)
		d.class = class
		got := d.client().run(t, "approve", "P-881", "--yes", "--reason", "x")
		if got.code != 5 || len(d.body) != 0 || !strings.Contains(got.talk, "not decided by --yes") {
			t.Errorf("%s: got %+v, want code 5 and nothing sent", class, got)
		}
		checkProblem(t, d.client().run(t, "approve", "P-881", "--yes", "--json"), 5)
		person := d.client()
		person.terminal, person.in = true, "yes\n"
		asked := person.run(t, "approve", "P-881", "--reason", "checked")
		if asked.code != 0 || len(d.body) != 1 || d.match[0] != `"4f0c-1"` || d.keys[0] == "" ||
			!strings.HasPrefix(d.body[0],
				`{"verdict":"approve","reason":"checked","grounds":"3.17.ab","opened":{"where":"terminal","seconds":`) {
			t.Errorf("%s, asked: got %+v, sent %v %v %v", class, asked, d.match, d.keys, d.body)
		}
	}
}

// TestAFilingIsApprovedAtATerminalWithAReasonAndItsGrounds promises that somebody who
// approves a filing is asked why, and that what they had before them goes along: what the
// case rested on as it was read, or as they say that they had read it.
func TestAFilingIsApprovedAtATerminalWithAReasonAndItsGrounds(t *testing.T) {
	d := newDesk(t)
	person := d.client()
	person.terminal, person.in = true, "it was checked\nyes\n"
	got := person.run(t, "approve", "P-881", "--grounds", "3.16.cd")
	if got.code != 0 || len(d.body) != 1 || !strings.Contains(got.talk, "Why do you approve it") ||
		!strings.HasPrefix(d.body[0], `{"verdict":"approve","reason":"it was checked","grounds":"3.16.cd",`) {
		t.Errorf("got %+v, sent %v", got, d.body)
	}
}

func TestEverythingThatIsShownIsPrintedBeforeThePersonIsAsked(t *testing.T) {
	d := newDesk(t)
	person := d.client()
	person.terminal, person.in = true, "no\n"
	got := person.run(t, "approve", "P-881", "--quiet", "--reason", "read")
	want := `P-881  AIR-7M1B0CD1 November
Made before findings were kept: open the case, gavel case show case_01K5ZJ3W8Q6X9V2T4N7M1B0CD1
File the report of November [2J
  to: The Commission
  basis.rule: G-4
Text from outside was read before this was proposed.
It leaves the organisation.
It is a legal filing.
Proposed by agent:airshed/reporter.
Why you: on behalf of p:rao.
Asha has claimed it.
Due 2026-11-17 01:30 IST.
Approve P-881? Type yes: `
	if got.talk != want || got.code != 1 || got.out != "" {
		t.Errorf("got code %d, %q and\n%s\nwant\n%s", got.code, got.out, got.talk, want)
	}
}

// A person who pressed yes once has decided once, whatever became of the answers.
func TestALostAnswerIsAskedForAgainUnderTheSameKey(t *testing.T) {
	d := newDesk(t)
	d.class, d.drop = "routine", 2
	got := d.client().run(t, "approve", "P-881", "--yes")
	d.Close() // an answer that was broken off may still be on its way
	if got.code != 0 || len(d.keys) < 3 || len(slices.Compact(slices.Clone(d.keys))) != 1 {
		t.Errorf("got %+v with keys %v, want the same one each time", got, d.keys)
	}
	d = newDesk(t)
	d.class, d.drop = "routine", 99
	got = d.client().run(t, "approve", "P-881", "--yes")
	d.Close()
	if got.code != 1 || len(d.keys) > 6 ||
		!strings.Contains(got.talk, "whether P-881 was decided is not known") || lastLine(got.talk) != "next: gavel show P-881" {
		t.Errorf("never: got %+v after %d", got, len(d.keys))
	}
}

func TestIDsAreCompletedFromTheServerWithTitles(t *testing.T) {
	d := newDesk(t)
	for _, tt := range []struct {
		args []string
		want []string
		not  string
	}{
		{[]string{"approve", ""}, []string{"P-881\tAIR-7M1B0CD1 File the report of November\n"}, "case_"},
		{[]string{"undo", ""}, []string{"P-881\t"}, "case_"},
		{[]string{"show", ""}, []string{"P-881\t", firstID + "\tGEN-1 Smoke\n", someRun + "\tGEN-7M1B0CD1 clerk waiting_person\n"}, "del_"},
		{[]string{"open", "run_"}, []string{someRun}, "case_"},
		{[]string{"run", "stop", someRun, ""}, []string{someRun}, "case_"},
		{[]string{"proposal", "show", ""}, []string{"P-881\tairshed file_report\n"}, "case_"},
		{[]string{"proposal", "assign", "P-881", "--to", ""}, []string{"p_1\tAsha officer\n"}, "case_"},
		{[]string{"delegation", "end", ""}, []string{"del_01K5ZJ3W8Q6X9V2T4N7M1B0CD1\tRao to Asha\n"}, "case_"},
		{[]string{"inbox", "--view", ""}, []string{"snoozed"}, "case_"},
		{[]string{"approve", "P-881", ""}, nil, "P-881\t"},
	} {
		got := d.client().run(t, append([]string{"__complete"}, tt.args...)...)
		for _, want := range tt.want {
			if !strings.Contains(got.out, want) {
				t.Errorf("%v: got %q, want %q", tt.args, got.out, want)
			}
		}
		if got.code != 0 || strings.Contains(got.out, tt.not) {
			t.Errorf("%v: got %+v, want no %s", tt.args, got, tt.not)
		}
	}
}

func TestCompletionGivesUpInASecondAndSaysNothing(t *testing.T) {
	d := newDesk(t)
	d.slow = time.Hour
	began := time.Now()
	got := d.client().run(t, "__complete", "show", "")
	if got.code != 0 || strings.Contains(got.out, "P-881") || strings.Contains(got.talk, "gavel:") {
		t.Errorf("got %+v, want silence", got)
	}
	wait.Within(t, "to give up", time.Since(began), 3*time.Second) // a process takes its time to start
}

func TestOpenStartsABrowserOnATerminalOnly(t *testing.T) {
	d := newDesk(t)
	for _, tt := range []struct {
		terminal bool
		args     []string
		opened   int
	}{{false, nil, 0}, {true, nil, 1}, {true, []string{"--no-input"}, 0}} {
		var opened []string
		var out, talk strings.Builder
		c := &cli{apps: builtIn(), in: strings.NewReader(""), out: &out, talk: &talk, environ: d.client().environ, terminal: tt.terminal,
			browse: func(page string) error { opened = append(opened, page); return fault.New(fault.Unavailable, "none") }}
		code := c.run(t.Context(), append([]string{"open", "P-881"}, tt.args...))
		page := d.URL + "/proposals/P-881"
		if code != 0 || out.String() != "PAGE  "+page+"\n" || len(opened) != tt.opened || tt.opened == 1 &&
			(opened[0] != page || !strings.Contains(talk.String(), "open the address yourself")) {
			t.Errorf("%+v: got code %d, %q, %q, opened %v", tt, code, out.String(), talk.String(), opened)
		}
	}
}

func TestErrorsEndWithACommandThatHelps(t *testing.T) {
	d := newDesk(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"approve", "x", "--yes"}, "gavel inbox"},
		{[]string{"delegation", "end", "x"}, "gavel delegation list"},
		{[]string{"run", "show", "x"}, "gavel run list"},
		{[]string{"approve", "P-881"}, "run it on a terminal, or with --yes where it is routine"},
		{[]string{"inbox", "--view", "x"}, "gavel inbox --help"},
		{[]string{"inbox", "--fields", "nope"}, "gavel inbox --help"},
	} {
		got := d.client().run(t, tt.args...)
		if got.code != 2 || lastLine(got.talk) != "next: "+tt.want {
			t.Errorf("%v: got %+v, want next: %s", tt.args, got, tt.want)
		}
	}
}
