package program

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A works is an installation at work: a server and a worker that run the yard
// beside what ships, its agents' model, and the side that effects reach.
type works struct {
	t     *testing.T
	other *agenttest.OtherSide
	app   string // the yard's name here: a queue of its own on an engine that others use, too
	base  string
}

// newWorks starts one on the parts that settings lead to.
func newWorks(t *testing.T, settings ...string) *works {
	t.Helper()
	w := &works{t: t, other: &agenttest.OtherSide{}, app: "w" + strings.Map(onlyLetters, strings.ToLower(rand.Text()))[:12]}
	mind, err := scripted.New(scripted.Config{Reply: agenttest.Reply})
	if err != nil {
		t.Fatal(err)
	}
	models, effects := httptest.NewServer(mind), httptest.NewServer(w.other)
	t.Cleanup(models.Close)
	t.Cleanup(effects.Close)
	routes := filepath.Join(t.TempDir(), "models.yaml")
	if err := os.WriteFile(routes, fmt.Appendf(nil, "plain: {provider: scripted, base_url: '%s/v1'}\n", models.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := append(slices.Clone(settings), "GAVEL_MODELS="+routes)
	yard := w.yard(settings, effects.URL)
	served, worked := startWith(t, append(builtIn(), yard), environ, "serve"), startWith(t, append(builtIn(), yard), environ, "worker")
	t.Cleanup(func() {
		for name, p := range map[string]*process{"server": served, "worker": worked} {
			if code := p.ends(t, errTerminated); code != 0 || t.Failed() {
				text := p.log.String()
				t.Logf("the %s ended with code %d\n%s", name, code, text[max(0, len(text)-3000):])
			}
		}
	})
	w.base = fmt.Sprint("http://", served.said(t, "listening")["address"])
	awaitReady(t, w.base)
	return w
}

// onlyLetters makes a letter of a digit: an application's name has no others.
func onlyLetters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

// yard is the yard as an application whose agents run as those of any other do:
// on the platform's own steps.
func (w *works) yard(settings []string, effects string) platform.App {
	w.t.Helper()
	at := slices.IndexFunc(settings, func(s string) bool { return strings.HasPrefix(s, "GAVEL_DATABASE_URL=") })
	db, err := postgres.Open(w.t.Context(), strings.TrimPrefix(settings[at], "GAVEL_DATABASE_URL="))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(db.Close)
	var agents []agent.Spec
	set := agenttest.Config{App: w.app, DB: db, ModelURL: "http://" + absentPort(w.t), Effects: effects,
		Change: func(s *agent.Spec) { agents = append(agents, *s) }}
	yard, err := agenttest.New(set)
	if err != nil {
		w.t.Fatal(err)
	}
	work := durable.Work{App: set.App}
	for _, a := range yard.Work().Activities {
		if _, ends := a.(*agenttest.Ends); ends { // the yard's own steps are the platform's here
			work.Activities = append(work.Activities, a)
		}
	}
	for _, f := range agenttest.Workflows() {
		if f.Name == agenttest.WorkflowName {
			work.Workflows = append(work.Workflows, f)
		}
	}
	return platform.App{Name: set.App, Title: "Yard", Cases: set.Kind(), Work: work, Agents: agents, Tools: yard.Registry.All(),
		Policies: fstest.MapFS{"yard.cedar": {Data: []byte(strings.ReplaceAll(agenttest.Policies, "yard", w.app))}}}
}

// startWith is start with applications of one's own.
func startWith(t *testing.T, apps applications, environ []string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := &process{log: &stream{}, stop: cancel, done: make(chan int, 1)}
	c := &cli{apps: apps, in: strings.NewReader(""), out: p.log, talk: p.log, environ: environ}
	go func() { p.done <- c.run(ctx, args) }()
	return p
}

// send is a request of somebody's; a body that is no form is sent as JSON.
func (w *works) send(as identity.Role, method, path string, body any, headers ...string) (int, string, http.Header) {
	w.t.Helper()
	var sent io.Reader
	kind := "application/json"
	if form, is := body.(url.Values); is {
		sent, kind = strings.NewReader(form.Encode()), "application/x-www-form-urlencoded"
	} else if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, sent)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	if strings.HasPrefix(path, "/v1/") {
		req.Header.Set("Authorization", "Bearer "+devToken(w.t, as))
	} else {
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: devToken(w.t, as)})
		req.Header.Set("Accept", "text/html")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

// page is one that must be there.
func (w *works) page(path string) string {
	w.t.Helper()
	status, text, _ := w.send(identity.Officer, "GET", path, nil)
	if status != http.StatusOK {
		w.t.Fatalf("%s answers %d:\n%.2000s", path, status, text)
	}
	return text
}

// read asks the API and decodes its answer.
func (w *works) read(path string, into any) {
	w.t.Helper()
	status, text, _ := w.send(identity.Officer, "GET", path, nil)
	if err := json.Unmarshal([]byte(text), into); err != nil || status != http.StatusOK {
		w.t.Fatalf("%s answers %d, %v: %s", path, status, err, text)
	}
}

// propose opens a case whose agent proposes letters, all at once, and waits for
// them.
func (w *works) propose(key string, words ...string) (file string, proposals map[string]string) {
	w.t.Helper()
	status, text, _ := w.send(identity.Analyst, "POST", "/v1/cases",
		map[string]any{"app": w.app, "key": "clerk." + key, "title": "letter " + strings.Join(words, "; letter ")})
	var opened struct{ ID string }
	if err := json.Unmarshal([]byte(text), &opened); err != nil || status != http.StatusCreated {
		w.t.Fatalf("open: %d, %v: %s", status, err, text)
	}
	var list struct{ Items []struct{ ID string } }
	wait.Until(w.t, "it is proposed", func() bool {
		list.Items = nil
		w.read("/v1/proposals?case="+opened.ID, &list)
		return len(list.Items) >= len(words)
	})
	found := map[string]string{}
	for _, it := range list.Items {
		var one struct{ Args struct{ Word string } }
		w.read("/v1/proposals/"+it.ID, &one)
		found[one.Args.Word] = it.ID
	}
	return opened.ID, found
}

// sent is the words that the other side has carried out, in that order.
func (w *works) sent() (words []string) {
	for _, e := range w.other.Log() {
		words = append(words, e.Word)
	}
	return words
}

// awaitClosed waits until a case has come to its end.
func (w *works) awaitClosed(file string) {
	w.t.Helper()
	var now struct{ State, Status string }
	wait.Holds(1, func() bool { w.read("/v1/cases/"+file, &now); return now.State == "closed" })
	if now.State != "closed" || now.Status != "done" {
		w.t.Fatalf("the case is %+v, want it closed and done; carried out so far: %v", now, w.sent())
	}
}

var (
	shownInput = regexp.MustCompile(`name="shown" value="([0-9a-f]{64})"`)
	onceInput  = regexp.MustCompile(`name="id" value="([^"]+)"`)
)

// decideOnPage sends the form of a proposal's page.
func (w *works) decideOnPage(id, page string) {
	w.t.Helper()
	shown, once := shownInput.FindStringSubmatch(page), onceInput.FindStringSubmatch(page)
	if shown == nil || once == nil {
		w.t.Fatalf("the page of %s has no form:\n%s", id, page)
	}
	status, text, header := w.send(identity.Officer, "POST", "/proposals/"+id+"/decisions",
		url.Values{"id": {once[1]}, "shown": {shown[1]}, "verdict": {"approve"}})
	if status != http.StatusSeeOther || !strings.Contains(header.Get("Location"), "done=approve") {
		w.t.Fatalf("the page's form is answered with %d to %q:\n%s", status, header.Get("Location"), text)
	}
}

// decideOverAPI reads a proposal and answers it, as a program of a person's does.
func (w *works) decideOverAPI(id, verdict string) {
	w.t.Helper()
	var one struct{ ETag string }
	w.read("/v1/proposals/"+id, &one)
	status, text, _ := w.send(identity.Officer, "POST", "/v1/proposals/"+id+"/decisions", map[string]string{"verdict": verdict,
		"reason": "As the rules have it."},
		"If-Match", one.ETag, "Idempotency-Key", "decide-"+id)
	if status != http.StatusCreated {
		w.t.Fatalf("%s %s is answered with %d: %s", verdict, id, status, text)
	}
}
