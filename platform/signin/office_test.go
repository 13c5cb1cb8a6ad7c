package signin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

type me struct {
	Kind, ID, Name, Org, Session, Viewing, Device string
	Roles, Scopes                                 []string
	Sort                                          string `json:"session_kind"`
}

// whoAmI asks the house; a status other than 200 gives nobody.
func (b *browser) whoAmI() (me, int) {
	b.t.Helper()
	got := b.get("/v1/me")
	var who me
	if got.status == http.StatusOK {
		if err := json.Unmarshal([]byte(got.body), &who); err != nil {
			b.t.Fatal(err)
		}
	}
	return who, got.status
}

func TestAPersonSignsInWithTheirOffice(t *testing.T) {
	h := newHouse(t)
	b := h.browser(t)
	got := b.signIn("officer@north.example")
	if got.status != http.StatusSeeOther || got.location != "/v1/me" {
		t.Fatalf("got %d to %q, want to go on where they were going: %s", got.status, got.location, got.body)
	}
	who, _ := b.whoAmI()
	if who.Kind != "person" || who.Org != "north" || !slices.Equal(who.Roles, []string{"officer"}) || who.Name != "Demo officer (north)" ||
		who.Sort != "browser" {
		t.Errorf("signed in as %+v", who)
	}
	if !strings.HasPrefix(who.ID, "p_") || strings.Contains(who.ID, "@") {
		t.Errorf("the id %q is not opaque", who.ID)
	}
	if _, kept := b.cookies["gavel_flow"]; kept {
		t.Error("the attempt is kept after it has ended")
	}
	again := h.signedIn(t, "officer@north.example")
	if second, _ := again.whoAmI(); second.ID != who.ID || second.Session == who.Session {
		t.Errorf("the second sign-in is %+v, want the same person and another session than %+v", second, who)
	}
	if n := len(h.records(t, signin.RecordSignIn)); n != 2 {
		t.Errorf("%d sign-ins on record, want 2", n)
	}
	people, err := h.store.People(t.Context(), admin(postgrestest.North))
	if err != nil || len(people) != 1 || people[0].Email != "officer@north.example" || !slices.Equal(people[0].Roles,
		[]identity.Role{identity.Officer}) {
		t.Errorf("north knows %+v, %v", people, err)
	}
	if south, err := h.store.People(t.Context(), admin(postgrestest.South)); err != nil || len(south) != 0 {
		t.Errorf("south knows %+v, %v", south, err)
	}
}

func TestAnAnswerOfTheOfficeCountsOnceAndInItsOwnBrowser(t *testing.T) {
	h := newHouse(t)
	b := h.browser(t)
	start := b.get("/auth/start")
	thief, wrong := b.copied(), b.copied()
	back := b.atTheOffice(start.location, "officer@north.example")

	if got := h.browser(t).get(back); got.status != http.StatusForbidden {
		t.Errorf("another browser got %d, want it refused", got.status)
	}
	changed := strings.Replace(back, "state=", "state=x", 1)
	if got := wrong.get(changed); got.status != http.StatusForbidden {
		t.Errorf("another state got %d, want it refused", got.status)
	}
	if got := wrong.get(back); got.status != http.StatusForbidden {
		t.Errorf("a second answer to an attempt that failed got %d, want it refused", got.status)
	}
	if got := b.get(back); got.status != http.StatusSeeOther {
		t.Fatalf("the answer itself got %d: %s", got.status, got.body)
	}
	if got := b.get(back); got.status != http.StatusForbidden {
		t.Errorf("the same answer again got %d, want it refused", got.status)
	}
	if got := thief.get(back); got.status != http.StatusForbidden {
		t.Errorf("the code again, with the attempt's own cookie, got %d, want the office to refuse it", got.status)
	}
	if _, status := thief.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the thief got in: %d", status)
	}
	if n := len(h.records(t, signin.RecordSignIn)); n != 1 {
		t.Errorf("%d sign-ins on record, want 1", n)
	}
}

func TestWhatTheOfficeSaysIsNotTakenFromAnybodyElse(t *testing.T) {
	h := newHouse(t)
	b := h.browser(t)
	state := func() string {
		at, err := url.Parse(b.get("/auth/start").location)
		if err != nil {
			t.Fatal(err)
		}
		return at.Query().Get("state")
	}
	for name, tt := range map[string]struct {
		query  func(state string) string
		status int
		says   string
	}{
		"no code":      {func(s string) string { return "state=" + s }, 422, "used to sign you in"},
		"made-up code": {func(s string) string { return "state=" + s + "&code=abc" }, 403, "used to sign you in"},
		"refusal":      {func(s string) string { return "state=" + s + "&error=access_denied" }, 403, "access_denied"},
		"markup":       {func(s string) string { return "state=" + s + "&error=%3Cb%3E" }, 403, "let you in: error"},
		"no state":     {func(string) string { return "code=abc" }, 403, "another attempt"},
	} {
		got := b.get("/auth/callback?" + tt.query(state()))
		if got.status != tt.status || !strings.Contains(got.body, tt.says) || strings.Contains(got.body, "<b>&") {
			t.Errorf("%s: got %d, want %d and %q:\n%s", name, got.status, tt.status, tt.says, got.body)
		}
	}
}

func TestAttemptsUseAProofKeyStateAndNonce(t *testing.T) {
	h := newHouse(t)
	seen := map[string]bool{}
	for range 2 {
		at, err := url.Parse(h.browser(t).get("/auth/start").location)
		if err != nil {
			t.Fatal(err)
		}
		q := at.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" {
			t.Errorf("asked with %v", q)
		}
		for _, name := range []string{"state", "nonce", "code_challenge"} {
			if v := q.Get(name); len(v) < 43 || seen[v] {
				t.Errorf("%s is %q, want 256 bits that were not seen before", name, v)
			}
			seen[q.Get(name)] = true
		}
	}
}

func TestAnAccountWithoutARoleIsToldWhatToAskFor(t *testing.T) {
	h := newHouse(t)
	b := h.browser(t)
	got := b.signIn(devstack.Stranger)
	if got.status != http.StatusForbidden || !strings.Contains(got.body, "gavel/elsewhere/officer") ||
		strings.Contains(got.body, "canteen") {
		t.Errorf("got %d, want the groups that name nothing here, and no others:\n%s", got.status, got.body)
	}
	if _, status := b.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the stranger got in: %d", status)
	}
	if n := len(h.records(t, signin.RecordSignIn)); n != 0 {
		t.Errorf("%d sign-ins on record, want none", n)
	}
}

func TestWhoWorksForTwoChoosesAndSwitches(t *testing.T) {
	h := newHouse(t)
	b := h.browser(t)
	got := b.signIn(devstack.BothOrganisations)
	if !strings.HasPrefix(got.location, "/account/organisation?next=") {
		t.Fatalf("led to %q, want to choose", got.location)
	}
	if page := b.get(got.location); page.status != 200 || !strings.Contains(page.body, `value="south"`) ||
		strings.Contains(page.body, `value="elsewhere"`) {
		t.Errorf("the choice got %d:\n%s", page.status, page.body)
	}
	north, _ := b.whoAmI()
	if moved := b.post("/account/organisation", url.Values{"org": {"south"}, "next": {"/v1/me"}}); moved.status != 303 ||
		moved.location != "/v1/me" {
		t.Fatalf("moving got %d to %q", moved.status, moved.location)
	}
	south, _ := b.whoAmI()
	if north.Org != "north" || !slices.Equal(north.Roles, []string{"officer"}) || south.Org != "south" ||
		!slices.Equal(south.Roles, []string{"auditor"}) {
		t.Errorf("was %+v, then %+v", north, south)
	}
	if north.ID == south.ID {
		t.Error("two organisations know one person by the same id")
	}
	if got := b.post("/account/organisation", url.Values{"org": {"elsewhere"}}); got.status != http.StatusForbidden {
		t.Errorf("an organisation that is not theirs got %d", got.status)
	}
	thief := b.copied()
	b.post("/sign-out", nil)
	for name, value := range map[string]string{"north": "north.", "south": "south."} {
		_, secret, _ := strings.Cut(thief.cookies["gavel_session"], ".")
		thief.cookies["gavel_session"] = value + secret
		if _, status := thief.whoAmI(); status != http.StatusUnauthorized {
			t.Errorf("after signing out the session still counts in %s: %d", name, status)
		}
	}
}

func TestOneOrganisationsSessionIsNobodyInAnother(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	_, secret, _ := strings.Cut(b.cookies["gavel_session"], ".")
	b.cookies["gavel_session"] = "south." + secret
	if who, status := b.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("got %d as %+v", status, who)
	}
}

func TestASessionEndsByItselfAndByWill(t *testing.T) {
	h := newHouse(t)
	for name, tt := range map[string]struct {
		steps []time.Duration // the session is used after each
		ok    bool
	}{
		"idle for two hours":            {[]time.Duration{2*time.Hour + time.Minute}, false},
		"used every hour":               {[]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}, true},
		"over after twelve, used daily": {slices.Repeat([]time.Duration{time.Hour}, 12), false},
	} {
		b := h.signedIn(t, "officer@north.example")
		status := 0
		for _, step := range tt.steps {
			h.clock.pass(step)
			_, status = b.whoAmI()
		}
		if ok := status == http.StatusOK; ok != tt.ok {
			t.Errorf("%s: got %d", name, status)
		}
	}
	b := h.signedIn(t, "officer@north.example")
	thief := b.copied()
	if got := b.post("/sign-out", nil); got.status != 303 || len(b.cookies) != 0 {
		t.Errorf("signing out got %d and left %v", got.status, b.cookies)
	}
	if _, status := thief.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("a copy of the cookie still counts: %d", status)
	}
}

func TestSigningInAgainTakesThePlaceOfTheOldSession(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	old := b.copied()
	b.signIn("officer@north.example")
	if b.cookies["gavel_session"] == old.cookies["gavel_session"] {
		t.Error("the secret stayed the same")
	}
	if _, status := old.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the old session still counts: %d", status)
	}
}

func TestCookiesBelongToThisHostOnly(t *testing.T) {
	for public, name := range map[string]string{"https://gavel.example": "__Host-gavel_flow", "http://127.0.0.1:8080": "gavel_flow"} {
		h := newHouse(t, func(c *signin.Config) { c.PublicURL = public })
		got := h.browser(t).get("/auth/start").header.Get("Set-Cookie")
		if !strings.HasPrefix(got, name+"=") || !strings.Contains(got, "HttpOnly") || !strings.Contains(got, "SameSite=Lax") ||
			!strings.Contains(got, "Path=/;") ||
			strings.Contains(got, "Domain") || strings.Contains(got, "Secure") != strings.HasPrefix(public, "https") {
			t.Errorf("%s: got %s", public, got)
		}
	}
}

func TestTheSecretIsKeptNowhere(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	_, secret, _ := strings.Cut(b.cookies["gavel_session"], ".")
	for _, table := range []string{"gavel.session", "gavel.person", "gavel.record"} {
		var n int
		rows, _ := h.db.System.Query(t.Context(), `select 1 from `+table+` x where x::text like '%' || $1 || '%'`, secret)
		for rows.Next() {
			n++
		}
		if rows.Err() != nil || n != 0 {
			t.Errorf("%s holds the secret in %d rows, %v", table, n, rows.Err())
		}
	}
}

func TestAnOfficeThatIsAwayIsSaidAndFoundAgain(t *testing.T) {
	here := false
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !here {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer.URL, "authorization_endpoint": issuer.URL + "/auth",
			"token_endpoint": issuer.URL + "/token", "jwks_uri": issuer.URL + "/keys"})
	}))
	defer issuer.Close()
	h := newHouse(t, func(c *signin.Config) { c.Office.Issuer = issuer.URL })
	b := h.browser(t)
	if got := b.get("/sign-in"); got.status != 200 || !strings.Contains(got.body, "does not answer") {
		t.Errorf("the sign-in page got %d and does not say that the office is away", got.status)
	}
	if got := b.get("/auth/start"); got.status != http.StatusServiceUnavailable {
		t.Errorf("beginning to sign in got %d", got.status)
	}
	here = true
	wait.Until(t, "the office, which is back, is found again", func() bool { return b.get("/auth/start").status == http.StatusSeeOther })
	if got := b.get("/sign-in"); strings.Contains(got.body, "does not answer") {
		t.Error("the page still says that it is away")
	}
}

func TestTheSignInPageSaysHowToBecomeTheFirstAdministrator(t *testing.T) {
	bare := newHouse(t, func(c *signin.Config) { c.Office = signin.Office{} })
	got := bare.browser(t).get("/sign-in")
	for _, want := range []string{"GAVEL_OIDC_ISSUER", "GAVEL_OIDC_CLIENT_ID", "GAVEL_OIDC_CLIENT_SECRET", bare.base + "/auth/callback",
		"gavel/north/org_admin"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("without an office the page does not say %s", want)
		}
	}
	if strings.Contains(got.body, "gavel org add") {
		t.Error("it asks for an organisation, which is there")
	}
	h := newHouse(t)
	if page := h.browser(t).get("/sign-in").body; !strings.Contains(page, "gavel/north/org_admin") ||
		!strings.Contains(page, "/auth/start") || strings.Contains(page, "GAVEL_OIDC_ISSUER") {
		t.Errorf("with an office and no administrator the page says:\n%s", page)
	}
	h.signedIn(t, "officer@north.example")
	if page := h.browser(t).get("/sign-in").body; !strings.Contains(page, "gavel/north/org_admin") {
		t.Error("an officer was taken for an administrator")
	}
	h.signedIn(t, "org-admin@north.example")
	if page := h.browser(t).get("/sign-in").body; strings.Contains(page, "gavel/north/org_admin") {
		t.Error("with an administrator the page still tells strangers how to become one")
	}
}
