package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// terminal signs a terminal in as who is in a browser, and returns it.
func (b *browser) terminal() *browser {
	b.t.Helper()
	asked, err := b.house.store.RequestTerminal(b.t.Context(), "desk")
	if err != nil {
		b.t.Fatal(err)
	}
	if got := b.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != http.StatusOK {
		b.t.Fatalf("confirming got %d: %s", got.status, got.body)
	}
	token, err := b.house.store.ClaimTerminal(b.t.Context(), asked.Secret)
	if err != nil || token == "" {
		b.t.Fatalf("claimed %q, %v", token, err)
	}
	at := b.house.browser(b.t)
	at.bearer = token
	return at
}

// tools begins a sign-in for a program.
func (b *browser) tools() (*browser, reply) {
	b.t.Helper()
	got := b.json("POST", "/v1/sessions/tools", `{"name":"editor"}`)
	var made struct{ Token string }
	if got.status == http.StatusCreated {
		if err := json.Unmarshal([]byte(got.body), &made); err != nil {
			b.t.Fatal(err)
		}
	}
	program := b.house.browser(b.t)
	program.bearer = made.Token
	return program, got
}

// TestAProgramIsGivenASignInThatOnlyReadsAndProposes: it is the person's, with their
// roles, decides and administers nothing, and makes no other.
func TestAProgramIsGivenASignInThatOnlyReadsAndProposes(t *testing.T) {
	h := newHouse(t)
	boss := h.signedIn(t, "org-admin@north.example").terminal()
	person, _ := boss.whoAmI()
	program, got := boss.tools()
	if got.status != http.StatusCreated || !signin.IsSession(program.bearer) {
		t.Fatalf("got %d: %s", got.status, got.body)
	}
	who, _ := program.whoAmI()
	if who.ID != person.ID || who.Sort != "tools" || strings.Join(who.Roles, " ") != "org_admin" || who.Session == person.Session {
		t.Errorf("the program is %+v of %+v", who, person)
	}
	if got := program.get("/v1/people"); got.status != http.StatusOK {
		t.Errorf("reading got %d", got.status)
	}
	for path, body := range map[string]string{
		"/v1/tokens":                         `{"name":"x","scopes":["read:cases"],"days":1,"reason":"x"}`,
		"/v1/people/" + who.ID + "/sign-out": `{}`,
		"/v1/devices/pairings":               `{"name":"x"}`,
		"/v1/shifts":                         `{"name":"x","hours":1}`,
	} {
		if got := program.json("POST", path, body); got.status != http.StatusForbidden || !strings.Contains(got.body, "for tools") {
			t.Errorf("%s got %d: %s", path, got.status, got.body)
		}
	}
	if _, got := program.tools(); got.status != http.StatusForbidden {
		t.Errorf("it made another of its kind: %d", got.status)
	}
	asCookie := h.browser(t)
	asCookie.cookies["gavel_session"] = strings.TrimPrefix(program.bearer, "gvs_")
	if got := asCookie.post("/account/view", url.Values{"role": {"officer"}}); got.status != http.StatusForbidden {
		t.Errorf("as a browser's cookie it looks as another: %d", got.status)
	}
	if records := h.records(t, signin.RecordSignIn); !strings.Contains(records[len(records)-1], `"how":"tools"`) {
		t.Errorf("on record last: %s", records[len(records)-1])
	}
}

// TestASignInForToolsEndsWithTheOneItWasBegunIn, however that ends; and only so
// many last at once.
func TestASignInForToolsEndsWithTheOneItWasBegunIn(t *testing.T) {
	h := newHouse(t)
	in := func(b *browser) bool { _, status := b.whoAmI(); return status == http.StatusOK }
	for name, end := range map[string]func(*browser, me){
		"signing out": func(desk *browser, _ me) { desk.json("POST", "/v1/sign-out", `{}`) },
		"being signed out": func(_ *browser, who me) {
			if _, err := h.store.EndSessions(t.Context(), admin(postgrestest.North), who.ID); err != nil {
				t.Fatal(err)
			}
		},
		"its time": func(*browser, me) { h.clock.pass(signin.SessionLife) },
	} {
		office := h.signedIn(t, "officer@north.example")
		desk := office.terminal()
		who, _ := desk.whoAmI()
		program, _ := desk.tools()
		other, _ := office.tools()
		if !in(program) || !in(other) {
			t.Fatalf("%s: the programs are not let in", name)
		}
		end(desk, who)
		if in(program) || in(desk) {
			t.Errorf("after %s the program is still in", name)
		}
		if name == "signing out" && !in(other) {
			t.Error("a program of another sign-in was ended")
		}
	}
	desk := h.signedIn(t, "officer@north.example").terminal()
	first, _ := desk.tools()
	second, _ := desk.tools()
	for range 19 {
		desk.tools()
	}
	if in(first) || !in(second) {
		t.Errorf("of 21 programs the first is in: %t, the second: %t; want 20", in(first), in(second))
	}
	guard := h.device(t, "Gate 2")
	sh, pin := h.shift(t, "R. Devi")
	guard.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}})
	if _, got := guard.tools(); got.status != http.StatusForbidden {
		t.Errorf("a guard on a shared device begins tools: %d", got.status)
	}
}

// stillAfter asks for an answer, changes something once it was let in, and only then
// has it looked whether who asked still would be.
func (b *browser) stillAfter(change func()) int {
	b.t.Helper()
	asking, answers := b.copied(), make(chan int, 1)
	asking.bearer = b.bearer
	go func() { answers <- asking.get("/v1/still").status }()
	select {
	case b.house.inside <- struct{}{}:
	case code := <-answers:
		return code // it was not let in
	}
	change()
	b.house.asked <- false
	return <-answers
}

// TestWhoIsSignedOutIsKnownToAStreamThatIsOpen: what a stream asks at each beat says
// so for every way in, and asking does not keep anybody signed in.
func TestWhoIsSignedOutIsKnownToAStreamThatIsOpen(t *testing.T) {
	h := newHouse(t)
	boss := h.signedIn(t, "org-admin@north.example")
	_, secret := issue(t, h, postgrestest.North, "read:cases")
	program := h.browser(t)
	program.bearer = secret
	for name, tt := range map[string]struct {
		who    *browser
		change func()
		want   int
	}{
		"nothing happened":         {h.signedIn(t, "officer@north.example"), func() {}, http.StatusOK},
		"who looks as another now": {boss, func() { boss.post("/account/view", url.Values{"role": {"officer"}}) }, http.StatusUnauthorized},
		"a token that was revoked": {program, func() {
			all, err := h.store.Tokens(t.Context(), admin(postgrestest.North))
			if err == nil {
				err = h.store.Revoke(t.Context(), admin(postgrestest.North), all[0].ID)
			}
			if err != nil {
				t.Error(err)
			}
		}, http.StatusUnauthorized},
	} {
		if got := tt.who.stillAfter(tt.change); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
	out := h.signedIn(t, "officer@north.example")
	if got := out.stillAfter(func() { out.copied().post("/sign-out", nil) }); got != http.StatusUnauthorized {
		t.Errorf("who was signed out: got %d", got)
	}
	idle := h.signedIn(t, "officer@north.example")
	standsOpen := func() {
		for range 11 {
			h.clock.pass(10 * time.Minute)
			h.asked <- true
		}
		h.clock.pass(11 * time.Minute)
	}
	if got := idle.stillAfter(standsOpen); got != http.StatusUnauthorized {
		t.Errorf("a page that only stands open kept itself signed in: %d", got)
	}
}

// TestARevokedTokensProposalsAreTakenBack, and where that fails the token is
// revoked all the same, and revoking it again goes on.
func TestARevokedTokensProposalsAreTakenBack(t *testing.T) {
	h := newHouse(t)
	tok, secret := issue(t, h, postgrestest.North, "read:cases")
	h.cannot = fault.New(fault.Unavailable, "the database is away")
	if err := h.store.Revoke(t.Context(), admin(postgrestest.North), tok.ID); !fault.Is(err, fault.Unavailable) {
		t.Errorf("what could not be taken back is not told: %v", err)
	}
	program := h.browser(t)
	program.bearer = secret
	if _, status := program.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the token still counts: %d", status)
	}
	h.cannot = nil
	if err := h.store.Revoke(t.Context(), admin(postgrestest.North), tok.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("again: %v", err)
	}
	if want := "north token:" + tok.ID; len(h.withdrawn) != 2 || h.withdrawn[0] != want || h.withdrawn[1] != want {
		t.Errorf("taken back: %q, want %q twice", h.withdrawn, want)
	}
	if err := h.store.Revoke(t.Context(), officer(postgrestest.North), tok.ID); !fault.Is(err, fault.Refused) || len(h.withdrawn) != 2 {
		t.Errorf("an officer: %v, %q", err, h.withdrawn)
	}
}
