package web

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

func testActor(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p1", Name: "S. Rao", Org: org, Roles: []identity.Role{identity.Officer}}
}

// newTestHub makes a hub whose visitors belong to the organisation in the query.
func newTestHub(t *testing.T, change ...func(*Config)) (*Hub, *httptest.Server) {
	t.Helper()
	type key struct{}
	cfg := Config{Actor: func(ctx context.Context) identity.Actor {
		org, _ := ctx.Value(key{}).(identity.Org)
		if org == "" {
			return identity.Actor{}
		}
		return testActor(org)
	}}
	for _, f := range change {
		f(&cfg)
	}
	site, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	hub := NewHub(site)
	mux := NewMux(site)
	hub.Routes(mux)
	server := httptest.NewServer(site.Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, identity.Org(r.URL.Query().Get("org")))))
		})
	}))
	t.Cleanup(server.Close)
	t.Cleanup(site.close) // before the server waits for its streams
	return hub, server
}

// A listener reads one stream as a browser does.
type listener struct {
	t   *testing.T
	in  *bufio.Reader
	res *http.Response
}

func listen(t *testing.T, server *httptest.Server, org string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/live?org="+org, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return &listener{t: t, in: bufio.NewReader(res.Body), res: res}
}

// next is the next event on one line: its name, a space, its data.
func (l *listener) next() string {
	l.t.Helper()
	name, data := "message", ""
	for {
		line, err := l.in.ReadString('\n')
		if err != nil {
			return "end " + err.Error()
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			return name + " " + data
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		}
	}
}

func (l *listener) want(prefix string) {
	l.t.Helper()
	if got := l.next(); !strings.HasPrefix(got, prefix) {
		l.t.Errorf("got event %q, want %q", got, prefix)
	}
}

func TestNoticesReachTheirOrganisationOnly(t *testing.T) {
	hub, server := newTestHub(t)
	hub.heard(true)
	north, south := listen(t, server, "north"), listen(t, server, "south")
	north.want(`beat {"live":true,"now":"`)
	south.want("beat ")
	hub.Publish(Notice{Org: "north", Object: "case_a", Version: 3})
	north.want(`message {"object":"case_a","version":3}`)
	hub.Publish(Notice{Org: "south", Object: "case_b", Version: 1})
	south.want(`message {"object":"case_b","version":1}`)
}

func TestAStreamNeedsSomebodySignedIn(t *testing.T) {
	_, server := newTestHub(t)
	if got, want := listen(t, server, "").res.StatusCode, http.StatusUnauthorized; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// TestAStreamEndsWhenItsPersonIsSignedOut: not when the database is away, which
// says nothing about anybody, but at the first beat after they were signed out.
func TestAStreamEndsWhenItsPersonIsSignedOut(t *testing.T) {
	var answer atomic.Value
	answer.Store(fault.New(fault.Unavailable, "the database is away"))
	hub, server := newTestHub(t, func(c *Config) {
		c.Still = func(context.Context) error { return answer.Load().(*fault.Error) }
	})
	hub.beat = 5 * time.Millisecond
	l := listen(t, server, "north")
	for range 3 {
		l.want("beat ")
	}
	answer.Store(fault.New(fault.SignIn, "this sign-in has ended"))
	for range 100_000 { // however many beats were under way
		if got := l.next(); strings.HasPrefix(got, "end ") {
			if strings.Contains(got, "deadline") {
				t.Errorf("the stream goes on: %s", got)
			}
			return
		}
	}
	t.Error("the stream goes on")
}

func TestAStreamSaysWhenTheDatabaseIsNotHeard(t *testing.T) {
	hub, server := newTestHub(t)
	l := listen(t, server, "north")
	l.want(`beat {"live":false`)
	hub.heard(true)
	l.want(`beat {"live":true`)
	l.want("resync {}")
	hub.heard(false)
	l.want(`beat {"live":false`)
	if err := hub.Check(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the readiness check says %v", err)
	}
}

func TestAStreamBeatsWhileNothingHappens(t *testing.T) {
	hub, server := newTestHub(t)
	hub.beat = 10 * time.Millisecond
	l := listen(t, server, "north")
	for range 3 {
		l.want("beat ")
	}
}

func TestAStreamOutlivesTheServersTimeLimits(t *testing.T) {
	hub, _ := newTestHub(t)
	hub.beat = 50 * time.Millisecond
	mux := NewMux(hub.site)
	hub.Routes(mux)
	hub.site.cfg.Actor = func(context.Context) identity.Actor { return testActor("north") }
	server := httptest.NewUnstartedServer(hub.site.Handler(mux))
	server.Config.ReadTimeout, server.Config.WriteTimeout = time.Second, time.Second
	server.Start()
	defer server.Close()
	defer hub.site.close()
	l := listen(t, server, "north")
	for began := time.Now(); time.Since(began) < 2500*time.Millisecond; {
		l.want("beat ")
	}
}

func TestStreamsEndAtOnceWhenTheServerCloses(t *testing.T) {
	hub, server := newTestHub(t)
	hub.beat = time.Hour // so that nothing else could end it
	l := listen(t, server, "north")
	l.want("beat ")
	hub.site.close()
	if got := l.next(); !strings.HasPrefix(got, "end ") || strings.Contains(got, "deadline") {
		t.Errorf("the stream went on with %q", got)
	}
}

func TestOneActorHasABoundedShareOfStreams(t *testing.T) {
	hub, _ := newTestHub(t)
	actor := testActor("north")
	var first *stream
	for i := range streamsPerActor {
		s, err := hub.join(actor)
		if err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
		if i == 0 {
			first = s
		}
	}
	if _, err := hub.join(actor); !fault.Is(err, fault.TooMany) {
		t.Errorf("one too many got %v", err)
	}
	if s, err := hub.join(testActor("south")); err != nil {
		t.Errorf("another actor got %v", err)
	} else {
		hub.leave(testActor("south"), s)
	}
	hub.leave(actor, first)
	if _, err := hub.join(actor); err != nil {
		t.Errorf("after one left, got %v", err)
	}
}

func TestHubForgetsStreamsThatLeft(t *testing.T) {
	hub, _ := newTestHub(t)
	s, err := hub.join(testActor("north"))
	if err != nil {
		t.Fatal(err)
	}
	hub.leave(testActor("north"), s)
	if len(hub.streams) != 0 || len(hub.actors) != 0 {
		t.Errorf("the hub still knows %v and %v", hub.streams, hub.actors)
	}
}

func TestASlowBrowserIsToldToReadAgainAndHoldsNobodyUp(t *testing.T) {
	hub, _ := newTestHub(t)
	slow, err := hub.join(testActor("north")) // nobody reads it
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 * pendingPerHub {
			hub.Publish(Notice{Org: "north", Object: fmt.Sprintf("case_%d", i%(2*pendingPerHub)), Version: int64(i)})
		}
	}()
	select {
	case <-done:
	case <-time.After(wait.Patience()):
		t.Fatal("publishing waits for a browser that does not read")
	}
	b := slow.take()
	if !b.resync || len(b.notices) != 0 {
		t.Errorf("after an overflow the stream holds %d notices, resync %t", len(b.notices), b.resync)
	}
	hub.Publish(Notice{Org: "north", Object: "case_x", Version: 1})
	if b = slow.take(); b.resync || b.notices["case_x"] != 1 {
		t.Errorf("after reading again the stream holds %v, resync %t", b.notices, b.resync)
	}
}

func TestOnlyTheNewestVersionOfAnObjectIsTold(t *testing.T) {
	hub, _ := newTestHub(t)
	s, err := hub.join(testActor("north"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []int64{3, 5, 4} {
		hub.Publish(Notice{Org: "north", Object: "case_a", Version: v})
	}
	if got := s.take().notices; len(got) != 1 || got["case_a"] != 5 {
		t.Errorf("got %v, want case_a at 5", got)
	}
}

func TestMalformedNoticesAreRefused(t *testing.T) {
	for payload, ok := range map[string]bool{
		`{"org":"north","object":"case_01ARZ3NDEKTSV4RRFFQ69G5FAV","version":12}`: true,
		`{"org":"north","object":"case_1","version":0}`:                           true,
		`{"org":"north","object":"case_1","version":-1}`:                          false,
		`{"org":"North!","object":"case_1","version":1}`:                          false,
		`{"object":"case_1","version":1}`:                                         false,
		`{"org":"north","object":"case_\n1","version":1}`:                         false,
		`{"org":"north","object":"","version":1}`:                                 false,
		`{"org":"north","object":"case_` + strings.Repeat("1", 65) + `"}`:         false,
		`case_1`: false,
		``:       false,
	} {
		if _, err := parseNotice(payload); (err == nil) != ok {
			t.Errorf("%s: %v, want accepted: %t", payload, err, ok)
		}
	}
}
