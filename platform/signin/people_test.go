package signin_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
)

func issue(t *testing.T, h *house, org identity.Org, scopes ...string) (signin.Token, string) {
	t.Helper()
	tok, secret, err := h.store.Issue(t.Context(), admin(org), signin.NewToken{Name: "weigh bridge", Scopes: scopes,
		Life: 30 * 24 * time.Hour, Reason: "ticket 12"})
	if err != nil {
		t.Fatal(err)
	}
	return tok, secret
}

func TestAMachinesTokenHasScopesAndNoRole(t *testing.T) {
	h := newHouse(t)
	tok, secret := issue(t, h, postgrestest.North, "read:cases", "read:audit", "read:cases")
	if !strings.HasPrefix(secret, "gvt_north.") {
		t.Errorf("the token is %q", secret)
	}
	b := h.browser(t)
	b.bearer = secret
	who, _ := b.whoAmI()
	if who.Kind != "machine" || who.ID != "token:"+tok.ID || who.Org != "north" || len(who.Roles) != 0 ||
		!slices.Equal(who.Scopes, []string{"read:audit", "read:cases"}) {
		t.Errorf("the machine is %+v", who)
	}
	for _, path := range []string{"/v1/tokens", "/v1/people", "/v1/devices"} {
		if got := b.get(path); got.status != http.StatusForbidden {
			t.Errorf("%s: a machine got %d", path, got.status)
		}
	}
	if got := b.json("POST", "/v1/tokens",
		`{"name":"more","scopes":["read:cases"],"days":1,"reason":"x"}`); got.status != http.StatusForbidden {
		t.Errorf("a machine issued a token: %d", got.status)
	}
	all, err := h.store.Tokens(t.Context(), admin(postgrestest.North))
	if err != nil || len(all) != 1 || all[0].UsedAt == nil || all[0].IssuedBy != admin(postgrestest.North).ID {
		t.Errorf("listed as %+v, %v", all, err)
	}
}

func TestATokenCountsUntilItIsRevokedOrOver(t *testing.T) {
	h := newHouse(t)
	count := func(secret string) int {
		b := h.browser(t)
		b.bearer = secret
		_, status := b.whoAmI()
		return status
	}
	tok, secret := issue(t, h, postgrestest.North, "read:cases")
	if err := h.store.Revoke(t.Context(), admin(postgrestest.South), tok.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation revoked it: %v", err)
	}
	for name, bad := range map[string]string{
		"another organisation": strings.Replace(secret, "north", "south", 1), "no organisation": strings.Replace(secret, "north.", "", 1),
		"cut": secret[:len(secret)-1], "changed": secret[:len(secret)-1] + "!", "as a session": strings.Replace(secret, "gvt_", "gvs_", 1),
		"huge": secret + strings.Repeat("x", 10_000), "only the id": strings.TrimSuffix(secret, secret[len(secret)-43:]),
	} {
		if got := count(bad); got != http.StatusUnauthorized {
			t.Errorf("%s got %d", name, got)
		}
	}
	if got := count(secret); got != http.StatusOK {
		t.Errorf("the token itself got %d", got)
	}
	if err := h.store.Revoke(t.Context(), admin(postgrestest.North), tok.ID); err != nil {
		t.Fatal(err)
	}
	if got := count(secret); got != http.StatusUnauthorized {
		t.Errorf("revoked it got %d", got)
	}
	if err := h.store.Revoke(t.Context(), admin(postgrestest.North), tok.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("revoking it again: %v", err)
	}
	_, other := issue(t, h, postgrestest.North, "read:cases")
	h.clock.pass(30*24*time.Hour + time.Second)
	if got := count(other); got != http.StatusUnauthorized {
		t.Errorf("after its time it got %d", got)
	}
	records := h.records(t, signin.RecordToken)
	if len(records) != 3 || strings.Contains(strings.Join(records, ""), "ticket") {
		t.Errorf("want two issues and a revocation on record, without the reason's words: %v", records)
	}
}

func TestOnlyAnAdministratorIssuesAndOnlyWithinBounds(t *testing.T) {
	h := newHouse(t)
	good := signin.NewToken{Name: "n", Scopes: []string{"read:cases"}, Life: time.Hour, Reason: "r"}
	if _, _, err := h.store.Issue(t.Context(), officer(postgrestest.North), good); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer: %v", err)
	}
	for name, change := range map[string]func(*signin.NewToken){
		"no name":          func(n *signin.NewToken) { n.Name = "  " },
		"no reason":        func(n *signin.NewToken) { n.Reason = "" },
		"no scope":         func(n *signin.NewToken) { n.Scopes = nil },
		"a role as scope":  func(n *signin.NewToken) { n.Scopes = []string{"org_admin"} },
		"a mistyped scope": func(n *signin.NewToken) { n.Scopes = []string{"read:cases", "read:case"} },
		"a deciding scope": func(n *signin.NewToken) { n.Scopes = []string{"decide:poolpatrol"} },
		"for ever":         func(n *signin.NewToken) { n.Life = 367 * 24 * time.Hour },
		"for no time":      func(n *signin.NewToken) { n.Life = 0 },
		"long name":        func(n *signin.NewToken) { n.Name = strings.Repeat("n", 61) },
	} {
		n := good
		change(&n)
		if _, secret, err := h.store.Issue(t.Context(), admin(postgrestest.North), n); !fault.Is(err, fault.Invalid) &&
			!fault.Is(err, fault.TooLarge) || secret != "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestALookAsAnotherRoleIsRecordedAndOnlyReads(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "org-admin@north.example")
	if got := b.post("/account/view", url.Values{"role": {"auditor"}}); got.status != http.StatusSeeOther {
		t.Fatalf("looking as an auditor got %d: %s", got.status, got.body)
	}
	who, _ := b.whoAmI()
	if who.Viewing != "auditor" || !slices.Equal(who.Roles, []string{"auditor"}) {
		t.Errorf("looks as %+v", who)
	}
	page := b.get("/people")
	if page.status != 200 || !strings.Contains(page.body, "You are viewing as: Auditor") ||
		!strings.Contains(page.body, `action="/account/view/end"`) {
		t.Errorf("the page got %d and does not say so:\n%s", page.status, page.body)
	}
	for path, form := range map[string]url.Values{
		"/people/tokens":                  {"name": {"n"}, "scopes": {"read:cases"}, "days": {"1"}, "reason": {"r"}},
		"/people/" + who.ID + "/sign-out": {}, "/people/devices": {"name": {"Gate 1"}}, "/people/shifts": {"name": {"G"}, "hours": {"1"}},
	} {
		if got := b.post(path, form); got.status != http.StatusForbidden {
			t.Errorf("%s while looking got %d", path, got.status)
		}
	}
	if got := b.post("/account/view/end", nil); got.status != http.StatusSeeOther {
		t.Fatalf("leaving got %d", got.status)
	}
	if who, _ = b.whoAmI(); who.Viewing != "" || !slices.Equal(who.Roles, []string{"org_admin"}) {
		t.Errorf("afterwards is %+v", who)
	}
	b.post("/account/view", url.Values{"role": {"gate"}})
	b.post("/sign-out", nil)
	if got := h.records(t, signin.RecordViewAs); len(got) != 4 || !strings.Contains(got[0], `"began"`) ||
		!strings.Contains(got[1], `"ended"`) || !strings.Contains(got[3], `"role":"gate"`) {
		t.Errorf("on record: %v", got)
	}
	other := h.signedIn(t, "officer@north.example")
	if got := other.post("/account/view", url.Values{"role": {"org_admin"}}); got.status != http.StatusForbidden {
		t.Errorf("an officer looked as an administrator: %d", got.status)
	}
}

func TestAnAdministratorEndsTheSignInsOfOthers(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	who, _ := b.whoAmI()
	if _, err := h.store.EndSessions(t.Context(), officer(postgrestest.North), who.ID); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer ended another's: %v", err)
	}
	if _, err := h.store.EndSessions(t.Context(), admin(postgrestest.South), who.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation's administrator: %v", err)
	}
	boss := h.signedIn(t, "org-admin@north.example")
	if got := boss.post("/people/"+who.ID+"/sign-out", nil); got.status != http.StatusSeeOther || got.location != "/people" {
		t.Errorf("got %d: %s", got.status, got.body)
	}
	if _, status := b.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the session still counts: %d", status)
	}
}

func TestATerminalActsAsWhoConfirmedIt(t *testing.T) {
	h := newHouse(t)
	cli := h.browser(t)
	var asked struct{ Code, Secret, Page string }
	got := cli.json("POST", "/v1/terminals", `{"name":"laptop of A"}`)
	if err := json.Unmarshal([]byte(got.body), &asked); err != nil || got.status != http.StatusCreated || asked.Page != h.base+"/terminal" {
		t.Fatalf("got %d: %s", got.status, got.body)
	}
	claim := func() (token string, status int) {
		got := cli.json("POST", "/v1/terminals/claim", `{"secret":"`+asked.Secret+`"}`)
		var c struct{ Token string }
		_ = json.Unmarshal([]byte(got.body), &c)
		return c.Token, got.status
	}
	if token, status := claim(); token != "" || status != 200 {
		t.Errorf("before anybody confirmed it: %q, %d", token, status)
	}
	b := h.signedIn(t, "officer@north.example")
	if got := b.get("/terminal?code=" + asked.Code); strings.Contains(got.body, "laptop of A") ||
		strings.Contains(got.body, `value="`+asked.Code+`"`) {
		t.Error("a link fills in the code: who sends it would be let in")
	}
	if got := b.post("/terminal", url.Values{"code": {"0000-0000"}}); got.status != http.StatusNotFound {
		t.Errorf("a wrong code got %d", got.status)
	}
	if got := b.post("/terminal", url.Values{"code": {strings.ToLower(asked.Code)}}); got.status != 200 ||
		!strings.Contains(got.body, "laptop of A") {
		t.Errorf("looking got %d:\n%s", got.status, got.body)
	}
	if token, _ := claim(); token != "" {
		t.Error("looking at a terminal let it in")
	}
	if got := b.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != 200 {
		t.Fatalf("confirming got %d:\n%s", got.status, got.body)
	}
	if got := b.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != http.StatusNotFound {
		t.Errorf("confirming it again got %d", got.status)
	}
	token, _ := claim()
	cli.bearer = token
	person, _ := b.whoAmI()
	terminal, _ := cli.whoAmI()
	if terminal.ID != person.ID || terminal.Kind != "person" || terminal.Sort != "terminal" || !slices.Equal(terminal.Roles,
		person.Roles) || terminal.Session == person.Session {
		t.Errorf("the terminal is %+v, want a session of its own of %+v", terminal, person)
	}
	h.clock.pass(11*time.Hour + 59*time.Minute)
	if _, status := cli.whoAmI(); status != 200 {
		t.Errorf("before twelve hours it got %d", status)
	}
	h.clock.pass(2 * time.Minute)
	if _, status := cli.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("after twelve hours it got %d", status)
	}
}

func TestATerminalNobodyConfirmsGetsNothing(t *testing.T) {
	h := newHouse(t)
	asked, err := h.store.RequestTerminal(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	h.wall.pass(10*time.Minute + time.Second)
	if token, err := h.store.ClaimTerminal(t.Context(), asked.Secret); !fault.Is(err, fault.NotFound) || token != "" {
		t.Errorf("got %q, %v", token, err)
	}
	b := h.signedIn(t, "officer@north.example")
	if got := b.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != http.StatusNotFound {
		t.Errorf("confirming too late got %d", got.status)
	}
	boss := h.signedIn(t, "org-admin@north.example")
	asked, err = h.store.RequestTerminal(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	boss.post("/account/view", url.Values{"role": {"officer"}})
	if got := boss.post("/terminal/confirm", url.Values{"code": {asked.Code}}); got.status != http.StatusForbidden {
		t.Errorf("confirmed while looking as another: %d", got.status)
	}
}

func TestErasingSomebodyTakesWhoTheyAreAndSignsThemOut(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	who, _ := b.whoAmI()
	folder, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: h.db.App, Blobs: blob.New(folder, blob.Config{}), Masters: masters, Now: h.clock.Now,
		Rules: policy.Standard(), Erasers: []seal.Eraser{signin.Eraser()}})
	if err != nil {
		t.Fatal(err)
	}
	done, err := vault.Erase(t.Context(), admin(postgrestest.North), seal.Request{Subject: seal.Subject{Type: casefile.Staff, ID: who.ID},
		Ground: seal.OnRequest})
	if err != nil || len(done.Rows) != 2 || done.Rows[1] != (seal.Reached{Name: "signin", Rows: 1}) {
		t.Fatalf("erased %+v, %v", done.Rows, err)
	}
	if _, status := b.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("still signed in: %d", status)
	}
	rows, _ := h.db.System.Query(t.Context(), `select 1 from gavel.person p where p::text like '%officer%'`)
	if rows.Next() {
		t.Error("a row still names them")
	}
	rows.Close()
	again, _ := h.signedIn(t, "officer@north.example").whoAmI()
	if again.ID == who.ID {
		t.Error("who signs in again is who was erased")
	}
}

func TestTheDevStacksTokensAreTheOnesTheDoorTakes(t *testing.T) {
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(stack.Settings()["GAVEL_DEV_TOKEN_KEY"])
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range stack.Tokens() {
		if want := mustToken(t, key, token.Org, token.Role); token.Token != want {
			t.Errorf("%s in %s: got %q, want %q", token.Role, token.Org, token.Token, want)
		}
	}
}

func TestTheWallsHoldForPeople(t *testing.T) { postgrestest.Walls(t, sets()...) }
