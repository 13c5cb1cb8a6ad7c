package gatepass_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// A parlour is the application with an engine, a worker that has conversations, and a scripted model over HTTP. What the agents' tools
// send goes through a proxy that counts it.
type parlour struct {
	*rig
	out *counter

	mu    sync.Mutex
	wants func(scripted.Seen) (scripted.Answer, bool)
}

func newParlour(t *testing.T) *parlour {
	t.Helper()
	app := gatepass.New()
	i := platformtest.New(t, app)
	i.Keep(t).Ask(t)
	keys, err := durable.ParseKeys(durable.NewKey("k1"))
	if err != nil {
		t.Fatal(err)
	}
	i.Deps.Keys = keys
	i.Deps.Runs = agent.NewStore(i.Deps.DB, i.Deps.Vault, i.Deps.Rules, i.Deps.Clock)
	p := &parlour{rig: &rig{i, i.Serve(t, platformtest.Serves{API: app.API, Routes: app.Routes, Home: "/gatepass",
		As: people()})}, out: &counter{}}
	i.Deps.Here = p.proxy(t)
	if err := app.Open(i.Deps); err != nil {
		t.Fatal(err)
	}
	p.work(t)
	return p
}

// proxy stands before the server, and counts what an agent sends.
func (p *parlour) proxy(t *testing.T) string {
	t.Helper()
	to, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(to)
	through.Transport = p.out
	s := httptest.NewServer(through)
	t.Cleanup(s.Close)
	return s.URL
}

// work runs a worker that has the conversations.
func (p *parlour) work(t *testing.T) {
	t.Helper()
	mock, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.wants(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	work := casefile.Work(p.Deps.Cases, casefile.General())
	work.Workflows = append(work.Workflows, durable.Workflow{Name: agent.ConverseName, Func: agent.Converse})
	p.Think(t, work, mock)
}

// wanted says what the model wants next: these calls after the person's last words, and an answer once it has been told.
func (p *parlour) wanted(answer string, calls ...scripted.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wants = func(s scripted.Seen) (scripted.Answer, bool) {
		if s.Role == "user" && len(calls) > 0 {
			return scripted.Answer{Calls: calls}, true
		}
		return scripted.Answer{Text: answer}, true
	}
}

// says has somebody write, and waits until it is their turn again or a card waits.
func (p *parlour) says(t *testing.T, as, role, words string) map[string]any {
	t.Helper()
	p.Want(t, 200, as, http.MethodPost, rest.Base+"/chat/messages", map[string]any{"role": role, "message": words})
	return p.settled(t, as)
}

func (p *parlour) settled(t *testing.T, as string) (now map[string]any) {
	t.Helper()
	wait.Try(t, func() error {
		now = p.Want(t, 200, as, http.MethodGet, rest.Base+"/chat", nil).JSON
		if now["state"] == "working" {
			return fmt.Errorf("the agent of %s is still at work: %v", as, now["lines"])
		}
		return nil
	})
	return now
}

// calls are those of a conversation, as "tool: state".
func callsIn(now map[string]any) (all []string) {
	for _, l := range now["lines"].([]any) {
		if c, ok := l.(map[string]any)["call"].(map[string]any); ok {
			all = append(all, fmt.Sprintf("%s: %s", c["tool"], c["state"]))
		}
	}
	return all
}

// words are what was said, a line each.
func wordsIn(now map[string]any) string {
	var all []string
	for _, l := range now["lines"].([]any) {
		one := l.(map[string]any)
		if text, _ := one["text"].(string); text != "" {
			all = append(all, one["who"].(string)+": "+text)
		}
	}
	return strings.Join(all, "\n")
}
