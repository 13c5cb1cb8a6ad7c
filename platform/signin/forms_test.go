package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// TestAReloadIssuesNoSecondToken promises that a form leads to another page, which
// shows the secret once and to who asked for it: a reload asks for that page again.
func TestAReloadIssuesNoSecondToken(t *testing.T) {
	h := newHouse(t)
	boss := h.signedIn(t, "org-admin@north.example")
	for _, tt := range []struct {
		path   string
		form   url.Values
		secret string
	}{
		{"/people/tokens", url.Values{"name": {"n"}, "scopes": {"read:cases", "read:audit"}, "days": {"2"}, "reason": {"r"}},
			`gvt_north\.[\w-]+`},
		{"/people/devices", url.Values{"name": {"Gate 1"}}, `north-[0-9A-Z]{4}-[0-9A-Z]{4}`},
	} {
		sent := boss.post(tt.path, tt.form)
		if sent.status != http.StatusSeeOther || sent.location != tt.path || regexp.MustCompile(tt.secret).MatchString(sent.body) {
			t.Fatalf("%s: got %d to %q: %s", tt.path, sent.status, sent.location, sent.body)
		}
		thief := h.signedIn(t, "org-admin@north.example").copied()
		thief.cookies["gavel_session"] = h.signedIn(t, "gate-supervisor@north.example").cookies["gavel_session"]
		thief.cookies["gavel_flash"] = boss.cookies["gavel_flash"]
		if got := thief.get("/people/shifts"); got.status != 200 || regexp.MustCompile(tt.secret).MatchString(got.body) {
			t.Errorf("%s: somebody else was shown the secret: %d", tt.path, got.status)
		}
		first, again := boss.get(tt.path), boss.get(tt.path)
		if !regexp.MustCompile(tt.secret).MatchString(first.body) || regexp.MustCompile(tt.secret).MatchString(again.body) {
			t.Errorf("%s: the secret is shown first: %t, and again: %t", tt.path,
				regexp.MustCompile(tt.secret).MatchString(first.body), regexp.MustCompile(tt.secret).MatchString(again.body))
		}
		if tt.path == "/people/devices" && !strings.Contains(first.body, h.base+"/pair") {
			t.Error("the page does not say at which address the device is paired")
		}
	}
	if all, err := h.store.Tokens(t.Context(), admin(postgrestest.North)); err != nil || len(all) != 1 {
		t.Errorf("there are %d tokens, want 1: %v", len(all), err)
	}
}

// TestARefusedFormKeepsWhatWasTyped promises that nobody types a form twice because
// one field was wrong, and that hints and refusals name the same bounds.
func TestARefusedFormKeepsWhatWasTyped(t *testing.T) {
	h := newHouse(t)
	boss, super := h.signedIn(t, "org-admin@north.example"), h.signedIn(t, "gate-supervisor@north.example")
	for _, tt := range []struct {
		who  *browser
		path string
		form url.Values
		want []string
	}{
		{boss, "/people/tokens", url.Values{"name": {"Payroll reader"}, "scopes": {"read:cases"}, "days": {"400"}, "reason": {"ticket 12"}},
			[]string{"from 1 to 366", `value="Payroll reader"`, `value="read:cases" checked`, `value="400"`, `value="ticket 12"`}},
		{boss, "/people/tokens", url.Values{"name": {"n"}, "scopes": {"read:case"}, "days": {"4"}, "reason": {"r"}},
			[]string{"did you mean read:cases?"}},
		{boss, "/people/devices", url.Values{"name": {strings.Repeat("Gate", 16)}}, []string{`value="` + strings.Repeat("Gate", 16) + `"`}},
		{super, "/people/shifts", url.Values{"name": {"Asha"}, "hours": {"17"}}, []string{"from 1 to 16", `value="Asha"`, `value="17"`}},
	} {
		got := tt.who.post(tt.path, tt.form)
		if got.status < 400 {
			t.Fatalf("%s: got %d", tt.path, got.status)
		}
		for _, want := range tt.want {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s: the page lacks %q", tt.path, want)
			}
		}
	}
}

// TestCodesLiveByTheClockOnTheWall promises that a demonstration's fast clock takes
// nobody's time to type a code, and that codes end on the wall's clock all the same.
func TestCodesLiveByTheClockOnTheWall(t *testing.T) {
	h := newHouse(t)
	terminal, err := h.store.RequestTerminal(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	offered, err := h.store.MakePairing(t.Context(), admin(postgrestest.North), "Gate 1")
	if err != nil {
		t.Fatal(err)
	}
	h.clock.pass(48 * time.Hour)
	h.wall.pass(9 * time.Minute)
	if _, err := h.store.ClaimTerminal(t.Context(), terminal.Secret); err != nil {
		t.Errorf("the terminal waits no longer: %v", err)
	}
	if _, _, err := h.store.Pair(t.Context(), offered.Code); err != nil {
		t.Errorf("the code counts no longer: %v", err)
	}
	if offered, err = h.store.MakePairing(t.Context(), admin(postgrestest.North), "Gate 2"); err != nil {
		t.Fatal(err)
	}
	h.wall.pass(11 * time.Minute)
	if _, _, err := h.store.Pair(t.Context(), offered.Code); err == nil {
		t.Error("a code of eleven minutes ago counts")
	}
}

// TestADemonstrationsSignInLetsATerminalIn promises that gavel login works where people
// sign in by choosing a role, that the terminal is then that role and nobody else, and
// that the token is handed out once and to the terminal only.
func TestADemonstrationsSignInLetsATerminalIn(t *testing.T) {
	h := newHouse(t, func(c *signin.Config) {
		c.Development, c.DevKey, c.Orgs = true, []byte(strings.Repeat("k", 32)), []identity.Org{postgrestest.North}
	})
	cli, b := h.browser(t), h.browser(t)
	b.cookies["gavel_dev"] = mustToken(t, []byte(strings.Repeat("k", 32)), postgrestest.North, identity.Officer)
	asked, err := h.store.RequestTerminal(t.Context(), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	claim := func() string {
		var c struct{ Token string }
		_ = json.Unmarshal([]byte(cli.json("POST", "/v1/terminals/claim", `{"secret":"`+asked.Secret+`"}`).body), &c)
		return c.Token
	}
	if token := claim(); token != "" {
		t.Errorf("before anybody confirmed it: %q", token)
	}
	if got := b.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != http.StatusOK {
		t.Fatalf("confirming got %d: %s", got.status, got.body)
	}
	cli.bearer = claim()
	if who, status := cli.whoAmI(); status != http.StatusOK || who.ID != "dev:officer@north" {
		t.Errorf("the terminal is %+v, %d", who, status)
	}
	if token := claim(); token != "" {
		t.Error("the token was handed out twice")
	}
}
