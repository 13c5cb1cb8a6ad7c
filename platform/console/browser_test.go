//go:build browser

package console_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// These tests run with -tags browser; webtest.Check says what they need.

// TestPagesAreFitForPeople promises that the pages have no serious finding from
// axe-core, log no error, break no content security policy and never scroll
// sideways, at 360 and 1280 px, light and dark, in English and Hindi. The
// screenshots are left where -args shots=DIR says, or thrown away.
func TestPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	at := "/cases/" + string(s.sampleFile(t).ID)
	closed := s.open(t, postgrestest.North, "closed", "Closed matter", 0)
	s.set(t, `update gavel.case set state = 'closed', status = 'done', closed_at = now() where id = $1`, closed.ID)
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer),
		"--out", shots(t), "--langs", "en,hi",
		"/cases", "case@"+at, "case-done@"+at+"?done=note", "sheet@"+at+"/sheet", "closed@/cases/"+string(closed.ID),
		"missing@/cases/case_01ARZ3NDEKTSV4RRFFQ69G5FAV=404", "invalid@/cases?state=sleeping=422", "/readyz")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Operator),
		"--out", shots(t), "--langs", "en,hi", "refused@"+at+"=403")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Analyst),
		"--out", shots(t), "case-analyst@"+at)
	s.node(t, "check.mjs", "--base", s.server.URL, "--out", shots(t), "--langs", "en,hi", "/dev/sign-in", "/verify")
}

// TestRecordPagesAreFitForPeople promises the same of the pages of facts and of
// the log.
func TestRecordPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	id, bare := s.Case(t, 3), s.open(t, postgrestest.North, "bare", "Nothing measured", 0)
	s.drain(t)
	s.publish(t)
	rec := records(s.ask(t, "/audit?kind=facts", nil).body)[0]
	s.open(t, postgrestest.North, "late", "Opened after the last copy", 0)
	s.drain(t)
	young := records(s.ask(t, "/audit?kind=case", nil).body)[0]
	broken := records(s.ask(t, "/audit?subject="+string(bare.ID), nil).body)[0]
	s.set(t, `alter table gavel.record disable trigger user`)
	s.set(t, `update gavel.record set json = replace(json, '"kind"', '"kind" ') where id = $1`, broken)
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Auditor),
		"--out", shots(t), "--langs", "en,hi",
		"/audit", "audit-none@/audit?kind=decision", "record@/audit/"+rec, "record-open@/audit/"+young, "record-damaged@/audit/"+broken,
		"record-key@/audit/"+rec+"?key=nonsense=422", "facts@"+s.factsOf(id, ""), "facts-none@"+s.factsOf(bare.ID, ""),
		"fact-read@"+s.factsOf(id, "F2"), "fact-computed@"+s.factsOf(id, "F7"), "fact-old@"+s.factsOf(id, "F4@1"), "verify-in@/verify")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Gate),
		"--out", shots(t), "audit-refused@/audit=403")
	s.judged(t, id)
}

// judged looks at the public page after files were sent: the pages are answers
// to a form, so they are served again at addresses of their own.
func (s *stage) judged(t *testing.T, id casefile.CaseID) {
	t.Helper()
	whole := s.Export(t, id)
	altered, _ := flip(t, whole)
	page := s.leave(t, id)
	changed := strings.Replace(page, "µg/m³</data>", "mg/m³</data>", 1)
	open := s.send(t, []byte(page), "").body
	s.drain(t)
	s.publish(t)
	pages := map[string]string{"/genuine": s.send(t, whole, "").body, "/altered": s.send(t, altered, "").body,
		"/unknown": s.send(t, []byte("a letter"), "").body,
		"/open":    open, "/report": s.send(t, []byte(page), "").body, "/differs": s.send(t, []byte(changed), "").body}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, body)
			return
		}
		s.handler.ServeHTTP(w, r)
	}))
	defer front.Close()
	s.node(t, "check.mjs", "--base", front.URL, "--out", shots(t), "verify-genuine@/genuine", "verify-altered@/altered",
		"verify-unknown@/unknown",
		"verify-open@/open", "verify-report@/report", "verify-differs@/differs")
}

// TestPagesMoveByThemselves promises live updates through lost connections,
// refused and lost forms, and browsers without script.
func TestPagesMoveByThemselves(t *testing.T) {
	moving(t, "--except", "ten tabs,after a restart")
}

// TestTenTabsAllLoadAndMoveByThemselves promises that ten tabs over HTTP/1.1, where a
// browser has six connections to a host, all load, share one stream and are all
// told.
func TestTenTabsAllLoadAndMoveByThemselves(t *testing.T) { moving(t, "--only", "ten tabs") }

// TestAfterARestartPagesMoveByThemselves promises that a page which is open while the
// server is restarted is right again within five seconds, without being loaded
// again.
func TestAfterARestartPagesMoveByThemselves(t *testing.T) { moving(t, "--only", "after a restart") }

// moving opens a case in a browser and makes things happen behind the page.
func moving(t *testing.T, which ...string) {
	t.Helper()
	s := newStage(t)
	c := s.open(t, postgrestest.North, "live", "A case that moves", 0)
	r := &restartable{stage: s}
	r.start(t)
	t.Cleanup(func() { r.stop(t) })
	control := httptest.NewServer(r.control(t, c.ID))
	t.Cleanup(control.Close)
	s.node(t, "live.mjs", append([]string{"--base", "http://" + r.addr, "--token", token(t, postgrestest.North, identity.Officer),
		"--control", control.URL, "--case", "/cases/" + string(c.ID), "--out", shots(t)}, which...)...)
}

func (s *stage) node(t *testing.T, script string, args ...string) {
	t.Helper()
	webtest.Check(t, script, args...)
}

func shots(t *testing.T) string {
	t.Helper()
	return webtest.Shots(t)
}

// sampleFile is a case with every kind of entry, and a list around it.
func (s *stage) sampleFile(t *testing.T) casefile.Case {
	t.Helper()
	for i, title := range []string{
		"Smoke reported west of the ring road, cause not known",
		"Anantapur stubble fires: three stations over the limit since 21:00 and the night wind still from the north-west",
		"सेक्टर 9 की सड़क बंद: दो रातों का मार्ग बदला",
	} {
		s.open(t, postgrestest.North, fmt.Sprintf("sample-%d", i), title, time.Duration(i)*30*time.Minute)
	}
	late := s.open(t, postgrestest.North, "late", "Reply of the depot about the fuel log", time.Hour)
	s.set(t, `update gavel.case set state = 'waiting', status = 'taken_up', waiting_for = 'a person to close it',
		due_at = now() - interval '3 hours' where id = $1`, late.ID)
	c := s.open(t, postgrestest.North, "sample", "Night shift check, van 14", 3*time.Hour)
	entries := []casefile.Entry{
		{Kind: "taken_up", ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel"},
		{Kind: "note", ActorKind: identity.Agent, ActorID: "agent:location", ActorName: "Agent: location",
			Text: "The van stopped more than 2 km off its route on 6 of 9 nights, for a median of 31 min."},
		{Kind: "note", ActorKind: identity.Person, ActorID: "p1", ActorName: "S. Rao",
			Text: "Sent back: “Check whether a roster swap explains the two day-shift riders before we write to anyone.”"},
		{Kind: "note", ActorKind: identity.Machine, ActorID: "m1", ActorName: "Roster import",
			Text: "No swap is on record for those nights.\nOne swap on 4 Nov concerns another van."},
		{Kind: "note", ActorKind: identity.Person, ActorID: "p2", ActorName: "A. Sen",
			Text: "चालक का उत्तर: “सेक्टर 9 की सड़क दो रात बंद थी, इसलिए दूसरा रास्ता लिया।”"},
	}
	err := s.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		for i, e := range entries {
			e.At = time.Now()
			change := casefile.Change{Key: fmt.Sprint(i), Entry: e, State: casefile.Waiting, Status: casefile.StatusTakenUp,
				WaitingFor: "a person to close it"}
			if _, _, err := casefile.Apply(t.Context(), tx, c.ID, change); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A restartable serves a stage on one address, and can be taken away and
// brought back there.
type restartable struct {
	*stage
	addr string
	mu   sync.Mutex
	end  context.CancelFunc
	done chan error
}

func (r *restartable) start(t *testing.T) {
	t.Helper()
	r.build(t) // a closed site stays closed; a new process would make a new one
	addr := r.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	r.addr = ln.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	r.end, r.done = cancel, make(chan error, 2)
	go func() { r.done <- web.NewServer(r.site, r.handler).Run(ctx, ln) }()
	go func() { r.done <- r.hub.Listen(ctx, r.connect) }()
}

func (r *restartable) stop(t *testing.T) {
	t.Helper()
	began := time.Now()
	r.end()
	for range 2 {
		if err := <-r.done; err != nil {
			t.Errorf("stopping: %v", err)
		}
	}
	if took := time.Since(began); took > web.Drain/2 {
		webtest.Late(t, "stopping took %s; streams must end at once", took)
	}
}

func (r *restartable) control(t *testing.T, id casefile.CaseID) http.Handler {
	officer := person(postgrestest.North, identity.Officer)
	note := func(q *http.Request) error {
		return r.store.Note(q.Context(), officer, id, "", q.URL.Query().Get("text"))
	}
	do := func(act func(*http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if err := act(q); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /note", do(note))
	mux.HandleFunc("POST /open", do(func(q *http.Request) error {
		title := q.URL.Query().Get("title")
		_, _, err := r.store.Open(q.Context(), officer, casefile.Opening{App: casefile.General().App, Key: fmt.Sprint(time.Now().
			UnixNano()), Title: title})
		return err
	}))
	mux.HandleFunc("POST /drop", do(func(*http.Request) error {
		// the last thing it said: an idle listener is asked now and then whether it is there
		r.set(t, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
			and (query ilike 'listen %' or query = '-- ping')`)
		return nil
	}))
	mux.HandleFunc("POST /outage", do(func(q *http.Request) error {
		r.outage.Store(outageOf(q.URL.Query().Get("code")))
		return nil
	}))
	mux.HandleFunc("POST /stop", do(func(*http.Request) error { r.stop(t); return nil }))
	mux.HandleFunc("POST /start", do(func(*http.Request) error { r.start(t); return nil }))
	return mux
}

// outageOf is a fault of the kind with a code; no code, no fault.
func outageOf(code string) *fault.Error {
	for _, kind := range fault.Kinds() {
		if kind.Code() == code {
			return fault.New(kind, "the database does not answer").WithNext("Wait a minute and send it again.")
		}
	}
	return nil
}
