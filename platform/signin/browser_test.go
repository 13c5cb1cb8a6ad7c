//go:build browser

package signin_test

import (
	"context"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// TestSignInPagesAreFitForPeople promises that the pages have no serious finding
// from axe-core, log no error and never scroll sideways, at 360 and 1280 px, light
// and dark, in English and Hindi. It needs Node and Chromium and runs with -tags
// browser, after npm ci in devstack/tools/browser.
func TestSignInPagesAreFitForPeople(t *testing.T) {
	h := newHouse(t)
	server := httptest.NewServer(h.handler)
	defer server.Close()
	look := func(cookie string, pages ...string) {
		t.Helper()
		args := []string{"check.mjs", "--base", server.URL, "--out", shots(t), "--langs", "en,hi"}
		if cookie != "" {
			args = append(args, "--cookie", cookie)
		}
		node(t, append(args, pages...)...)
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
	node(t, "check.mjs", "--base", alone.URL, "--out", shots(t), "--langs", "en,hi", "sign-in-none@/sign-in")
}

func node(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = "../../devstack/tools/browser"
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s: %v", args[0], err)
	}
}

// shots is where screenshots go, which git ignores.
func shots(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../.dev/shots")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
