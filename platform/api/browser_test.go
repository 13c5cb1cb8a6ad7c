//go:build browser

package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// TestTheReferenceIsFitForPeople promises that the page has no serious finding
// from axe-core, logs no error and never scrolls sideways, at 360 and 1280 px,
// light and dark, in English and Hindi. It needs Node and Chromium and runs with
// -tags browser, after npm ci in devstack/tools/browser.
func TestTheReferenceIsFitForPeople(t *testing.T) {
	_, mux := everything(t)
	web.NewHub(mux.Site()).Routes(mux)
	server := httptest.NewServer(mux.Site().Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), people["officer"])))
		})
	}))
	defer server.Close()
	shots, err := filepath.Abs("../../.dev/shots")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "check.mjs", "--base", server.URL, "--out", shots, "--langs", "en,hi", "/reference")
	cmd.Dir = "../../devstack/tools/browser"
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
