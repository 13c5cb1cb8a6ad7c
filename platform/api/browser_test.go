//go:build browser

package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestTheReferenceIsFitForPeople promises that the page has no serious finding
// from axe-core, logs no error and never scrolls sideways, at 360 and 1280 px,
// light and dark, in English and Hindi.
func TestTheReferenceIsFitForPeople(t *testing.T) {
	_, mux := everything(t)
	web.NewHub(mux.Site()).Routes(mux)
	server := httptest.NewServer(mux.Site().Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), people["officer"])))
		})
	}))
	defer server.Close()
	webtest.Check(t, "check.mjs", "--base", server.URL, "--out", webtest.Shots(t), "--langs", "en,hi", "/reference")
}
