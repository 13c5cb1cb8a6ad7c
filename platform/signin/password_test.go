package signin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestAMachinesTokenMayComeAsAPassword promises that a program that knows an address
// and no header comes in by its token as the password, under any name, and that nothing
// else does: no bad token, and no token of a person.
func TestAMachinesTokenMayComeAsAPassword(t *testing.T) {
	h := newHouse(t)
	tok, secret := issue(t, h, postgrestest.North, "read:metrics")
	ask := func(name, password string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/v1/me", nil)
		r.Host = strings.TrimPrefix(h.base, "http://")
		r.SetBasicAuth(name, password)
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, r)
		return w
	}
	if got := ask("lake", secret); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), tok.ID) {
		t.Errorf("got %d %s, want the machine", got.Code, got.Body)
	}
	person := h.signedIn(t, "officer@north.example")
	var session string
	for _, value := range person.cookies {
		session = value
	}
	for what, password := range map[string]string{"a bent token": secret + "x", "no token": "b", "a token as the name": "",
		"a session": "gvs_" + session} {
		if got := ask(secret, password); got.Code != http.StatusUnauthorized {
			t.Errorf("%s: got %d %s", what, got.Code, got.Body)
		}
	}
}
