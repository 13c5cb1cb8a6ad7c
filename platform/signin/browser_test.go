//go:build browser

package signin_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestSignInPagesAreFitForPeople promises that the pages have no serious finding
// from axe-core, log no error and never scroll sideways, at 360 and 1280 px, light
// and dark, in English and Hindi.
func TestSignInPagesAreFitForPeople(t *testing.T) {
	h := newHouse(t)
	server := httptest.NewServer(h.handler)
	defer server.Close()
	look := func(cookie string, pages ...string) {
		t.Helper()
		args := []string{"--base", server.URL, "--out", webtest.Shots(t), "--langs", "en,hi"}
		if cookie != "" {
			args = append(args, "--cookie", cookie)
		}
		webtest.Check(t, "check.mjs", append(args, pages...)...)
	}
	look("", "sign-in-first@/sign-in", "/pair", "sign-in-refused@/auth/callback?state=x=403")
	issue(t, h, postgrestest.North, "read:cases", "read:audit")
	tok, _ := issue(t, h, postgrestest.North, "read:metrics")
	if err := h.store.Revoke(t.Context(), admin(postgrestest.North), tok.ID); err != nil {
		t.Fatal(err)
	}
	gate := h.device(t, "Gate 2, the long name of the northern entrance")
	h.shift(t, "R. Devi")
	h.shift(t, "अनीता शर्मा")
	look("gavel_device="+gate.cookies["gavel_device"], "device@/device", "sign-in-device@/sign-in")
	boss := h.signedIn(t, "org-admin@north.example")
	mine := "gavel_session=" + boss.cookies["gavel_session"]
	look(mine, "/people", "/people/tokens", "/people/devices", "/people/shifts", "/account", "/terminal")
	boss.post("/account/view", url.Values{"role": {"auditor"}})
	look(mine, "people-as-auditor@/people", "shifts-as-auditor@/people/shifts=403")
	both := h.signedIn(t, devstack.BothOrganisations)
	look("gavel_session="+both.cookies["gavel_session"], "choose@/account/organisation")

	bare := newHouse(t, func(c *signin.Config) { c.Office = signin.Office{} })
	alone := httptest.NewServer(bare.handler)
	defer alone.Close()
	webtest.Check(t, "check.mjs", "--base", alone.URL, "--out", webtest.Shots(t), "--langs", "en,hi", "sign-in-none@/sign-in")
}
